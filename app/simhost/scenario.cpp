// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

const QString kimiUnit = u"vllm-kimi-k25.service"_s;

QString kimiCommand()
{
    return u"/usr/bin/python3 -m vllm.entrypoints.openai.api_server --model /models/kimi-k2.5 "
           "--served-model-name kimi-k2.5 --tensor-parallel-size 8 --gpu-memory-utilization 0.98 --port 8000"_s;
}

/// The founding unit: it does not start before all cards are nearly free.
QString kimiUnitText(int loadSeconds)
{
    return u"[Unit]\n"
           "Description=vLLM Kimi K2.5\n"
           "After=network-online.target\n"
           "\n"
           "[Service]\n"
           "ExecStartPre=/bin/sh -c 'while nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits "
           "| grep -qE \"^[0-9]{4,}\"; do sleep 2; done'\n"
           "ExecStart=/run/pilothouse-sim/bin/sim-server --gpus 0,1,2,3,4,5,6,7 --load %1 --util 37 -- %2\n"
           "Restart=on-failure\n"
           "RestartSec=10\n"
           "TimeoutStartSec=infinity\n"
           "TimeoutStopSec=90\n"
           "\n"
           "[Install]\n"
           "WantedBy=multi-user.target\n"_s.arg(QString::number(loadSeconds), kimiCommand());
}

QString crowd()
{
    return u"crowd = 1 /lib/systemd/systemd-journald\n"
           "crowd = 1 /lib/systemd/systemd-udevd\n"
           "crowd = 1 /lib/systemd/systemd-logind\n"
           "crowd = 1 /usr/bin/dbus-daemon --system --address=systemd: --nofork --nopidfile --systemd-activation\n"
           "crowd = 1 /usr/sbin/cron -f\n"
           "crowd = 1 sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups\n"
           "crowd = 1 /usr/bin/nvidia-persistenced --user nvidia-persistenced\n"
           "crowd = 1 /usr/bin/prometheus-node-exporter\n"_s;
}

ScenarioHost host(const QString &name, const QString &gpus = {}, const QString &more = {})
{
    ScenarioHost made;
    made.name = name;
    made.tags = {u"simulated"_s};
    made.inMemory = MemoryState::Free;
    const int firstPid = 1000 + int(qHash(name, 7) % 20'000);
    made.files[u"host.conf"_s] = crowd() + u"first_pid = %1\n"_s.arg(firstPid) + u"user = ops 1000\n"_s + more;
    made.files[u"gpus.conf"_s] = u"count = 8\nseed = %1\nlatency_ms = 45\n"_s.arg(name) + gpus;
    return made;
}

ScenarioHost servingHost(const QString &name)
{
    ScenarioHost made = host(name, {}, u"start = %1\n"_s.arg(kimiUnit));
    made.services = {kimiUnit};
    made.inMemory = MemoryState::Serving;
    made.files[u"units/"_s + kimiUnit] = kimiUnitText(4);
    return made;
}

/// The founding case: started by hand in a login session, its launcher killed, the unit waiting for free cards.
ScenarioHost leftoverHost(const QString &name)
{
    ScenarioHost made = host(name);
    made.services = {kimiUnit};
    made.inMemory = MemoryState::Leftover;
    made.files[u"units/"_s + kimiUnit] = kimiUnitText(20);
    made.files[u"boot"_s]
        = u"sim-server --detach --pid-file /tmp/launcher --gpus 0,1,2,3,4,5,6,7 --load 0 -- %1\n"
          "until [ \"$(nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits | grep -c 96619)\" = 8 ]\n"
          "do sleep 0.1; done\n"
          "kill -9 \"$(cat /tmp/launcher)\"\n"
          "systemctl start --no-block %2\n"_s.arg(kimiCommand(), kimiUnit);
    return made;
}

QList<ScenarioHost> demo()
{
    return {servingHost(u"gpu1"_s), host(u"gpu2"_s), leftoverHost(u"gpu3"_s)};
}

QList<ScenarioHost> faults()
{
    const QString hog = u"sim-hog --detach --gpus 0 --mib 40000 --util 80 -- /usr/bin/python3 train.py\n"_s;
    QList<ScenarioHost> hosts = {
        host(u"hung"_s, u"hang = stuck\n"_s),
        host(u"lost"_s, u"gpu.3.fault = [GPU is lost]\n"_s),
        host(u"reset"_s, u"gpu.3.fault = [GPU requires reset]\ngpu.3.cell.memory.used = 0\n"_s),
        host(u"seven"_s, u"gpu.5.missing = 1\n"_s),
        host(u"handle"_s, u"gpu.2.handle_error = 1\n"_s),
        host(u"driverless"_s,
             u"failure = NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure "
             "that the latest NVIDIA driver is installed and running.\n"_s),
        host(u"nosmi"_s, {}, u"nvidia_smi = off\n"_s),
        host(u"nosystemd"_s, {}, u"systemd = off\n"_s),
        host(u"olddriver"_s, u"driver_version = 470.82.01\nunknown_fields = memory.reserved,gpu_recovery_action\n"_s),
        host(u"sleepy"_s, u"persistence = off\nlatency_ms = 1500\n"_s),
        host(u"mig"_s, u"mig = on\ntotal_mib = 143771\nname = NVIDIA H200\n"_s),
    };
    for (ScenarioHost &one : hosts)
        one.files[u"boot"_s] = hog;
    return hosts;
}

} // namespace

QStringList presetNames() { return {u"demo"_s, u"faults"_s, u"plain"_s}; }

Result<QList<ScenarioHost>> presetHosts(const QString &name)
{
    if (name == u"demo"_s)
        return demo();
    if (name == u"faults"_s)
        return faults();
    if (name == u"plain"_s)
        return QList<ScenarioHost>{host(u"gpu1"_s)};
    return fail(ErrorCode::Usage, u"There is no scenario “%1”; there are %2, or a folder of hosts."_s.arg(
                                      name, presetNames().join(u", "_s)));
}

QList<ScenarioHost> manyHosts(int count, int processes)
{
    QList<ScenarioHost> hosts;
    for (int i = 1; i <= count; ++i) {
        const QString name = u"gpu%1"_s.arg(i);
        ScenarioHost made = i % 2 == 1 ? servingHost(name) : host(name);
        made.inMemory = MemoryState::Serving; // answers of true size from all of them
        made.files[u"host.conf"_s] += u"crowd = %1 /usr/sbin/worker --pool general\n"_s.arg(processes);
        hosts.append(made);
    }
    return hosts;
}

Result<QList<ScenarioHost>> readScenario(const QString &folder)
{
    QList<ScenarioHost> hosts;
    const QDir parent(folder);
    for (const QString &name : parent.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
        ScenarioHost made;
        made.name = name;
        made.tags = {u"simulated"_s};
        const QDir root(parent.filePath(name));
        QDirIterator files(root.path(), QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            if (!file.open(QIODevice::ReadOnly))
                return fail(ErrorCode::LocalIo, u"%1 cannot be read."_s.arg(file.fileName()));
            const QString path = root.relativeFilePath(file.fileName());
            made.files[path] = QString::fromUtf8(file.readAll());
            if (path.startsWith(u"units/"_s))
                made.services.append(path.mid(6));
        }
        hosts.append(made);
    }
    if (hosts.isEmpty())
        return fail(ErrorCode::LocalIo, u"The scenario folder %1 holds no hosts."_s.arg(folder));
    return hosts;
}

Result<QString> writeHost(const ScenarioHost &host, const QString &parent)
{
    const QString root = parent + u'/' + host.name;
    for (auto file = host.files.begin(); file != host.files.end(); ++file) {
        const QString path = root + u'/' + file.key();
        QFile target(path);
        if (!QDir().mkpath(path.left(path.lastIndexOf(u'/'))) || !target.open(QIODevice::WriteOnly)
            || target.write(file.value().toUtf8()) < 0)
            return fail(ErrorCode::LocalIo, u"%1 cannot be written."_s.arg(path));
    }
    return root;
}

} // namespace pilothouse
