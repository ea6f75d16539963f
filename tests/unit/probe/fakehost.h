// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A directory of tools that stand in for a GPU host's, put in front of PATH, and processes to be
// found there. All that it starts ends with it. For the thread that made it.

#include "tests/support/localshell.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <vector>

namespace pilothouse::test {

class FakeHost
{
public:
    FakeHost() = default;
    FakeHost(const FakeHost &) = delete;
    FakeHost &operator=(const FakeHost &) = delete;
    ~FakeHost()
    {
        for (const auto &process : m_processes) {
            process->closeWriteChannel();
            process->waitForFinished(5000);
        }
    }

    /// A script `name` in front of PATH. `body` runs under /bin/sh.
    void tool(const QString &name, const QByteArray &body)
    {
        QFile file(m_dir.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write("#!/bin/sh\n" + body);
        file.close();
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner
                            | QFile::ReadOther | QFile::ExeOther);
    }
    void removeTool(const QString &name) { QFile::remove(m_dir.filePath(name)); }

    /// nvidia-smi with `gpus` rows, whose processes are the lines of the file `apps`.
    void nvidiaSmi(int gpus = 1) { tool(QStringLiteral("nvidia-smi"), healthySmi(gpus)); }
    [[nodiscard]] QByteArray healthySmi(int gpus = 1) const
    {
        return R"SH(case "$*" in
*--query-gpu=*) fields=${1#--query-gpu=}
    i=0
    while [ $i -lt )SH"
               + QByteArray::number(gpus) + R"SH( ]; do
        row=
        IFS=,
        for f in $fields; do
            case $f in
            index) v=$i ;;
            uuid) v=GPU-00000000-0000-0000-0000-00000000000$i ;;
            pci.bus_id) v=00000000:0$i:00.0 ;;
            driver_version) v=590.48.01 ;;
            memory.total) v=97887 ;;
            memory.used) v=96619 ;;
            memory.free) v=630 ;;
            memory.reserved) v=638 ;;
            persistence_mode) v=Enabled ;;
            mig.mode.current) v=Disabled ;;
            gpu_recovery_action) v=None ;;
            name) v='NVIDIA Test GPU' ;;
            *) v=0 ;;
            esac
            row="$row${row:+, }$v"
        done
        echo "$row"
        i=$((i + 1))
    done ;;
*--query-compute-apps=*) if [ -r ")SH"
               + QFile::encodeName(path(QStringLiteral("apps"))) + R"SH(" ]; then cat ")SH"
               + QFile::encodeName(path(QStringLiteral("apps"))) + "\"; fi ;;\nesac\n";
    }
    void apps(const QByteArray &lines)
    {
        QFile file(path(QStringLiteral("apps")));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(lines);
    }

    /// A process with these arguments that sleeps; `more` as the sleeper's own words. Its PID, 0
    /// when it failed.
    qint64 process(const QList<QByteArray> &arguments, const QStringList &more = {})
    {
        QStringList words;
        for (const QByteArray &argument : arguments)
            words.append(QStringLiteral("argument=") + QString::fromLatin1(argument.toHex()));
        auto process = std::make_unique<QProcess>();
        process->start(QStringLiteral(PILOTHOUSE_SLEEPER), words + more);
        while (process->waitForReadyRead(10'000) && !process->peek(100).contains("ready"))
            continue;
        const qint64 pid = process->peek(100).contains("ready") ? process->processId() : 0;
        m_processes.push_back(std::move(process));
        return pid;
    }

    [[nodiscard]] QString path(const QString &name) const { return m_dir.filePath(name); }
    [[nodiscard]] QProcessEnvironment environment() const
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("PATH"), m_dir.path() + u':' + m_path);
        return environment;
    }

private:
    QTemporaryDir m_dir;
    QString m_path = qEnvironmentVariable("PATH");
    std::vector<std::unique_ptr<QProcess>> m_processes;
};

} // namespace pilothouse::test
