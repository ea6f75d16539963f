// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/answerbuilder.h"
#include "core/probe/assemble.h"
#include "core/probe/parse/smiapps.h"
#include "core/probe/parse/smicsv.h"
#include "hostrunner.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// The true probe script under the simulated host's /bin/sh.
class TstProbeinhost : public QObject
{
    Q_OBJECT

    struct Shell
    {
        SessionPipes pipes;
        HostFacts facts;

        ~Shell() { pipes.closeAll(); }
    };

    static ProbeAnswer decoded(const QByteArray &bytes, const QByteArray &nonce, quint64 tick)
    {
        FrameDecoder decoder;
        decoder.expectAnswer(nonce, tick);
        return decoder.feed(bytes) ? decoder.answer() : ProbeAnswer();
    }

    static bool open(const HostRunner &runner, Shell &shell)
    {
        shell.pipes = runner.converse(u"exec /bin/sh"_s);
        const QByteArray stage = makeNonce();
        const QByteArray text = stageText(stage, makeMarker(u"me"_s, u"gpu1"_s, u"t"_s), ProbeRole::Kernel, RootWay::None);
        const QByteArray staged = "@PH STAGE " + stage + '\n';
        if (!HostRunner::ask(shell.pipes, text, staged).contains(staged))
            return false;
        const QByteArray nonce = makeNonce();
        const QByteArray ready = HostRunner::ask(shell.pipes, scriptText(nonce), "@PH " + nonce + " END");
        const auto facts = readFacts(decoded(ready, nonce, 0));
        if (facts)
            shell.facts = *facts;
        return facts.has_value();
    }

    static Snapshot taken(const Shell &shell, Depth depth)
    {
        TickAnswers tick;
        tick.request.nonce = makeNonce();
        tick.request.tick = 1;
        tick.request.depth = depth;
        tick.request.units = QStringList{u"vllm.service"_s};
        tick.request.gpuFields = smiGpuFields();
        tick.request.appFields = smiAppFields();
        const QByteArray end = "@PH " + tick.request.nonce + " END 1";
        const QByteArray text = HostRunner::ask(shell.pipes, requestLine(tick.request).value(), end);
        // The rest of the END line may still be on its way.
        const QByteArray rest = text.endsWith('\n') ? QByteArray() : HostRunner::ask(shell.pipes, "\n", "\n");
        tick.kernel = decoded(text + rest, tick.request.nonce, 1);
        QHash<qint64, QString> users;
        const auto built = buildAnswer(shell.facts, tick, users);
        AssembleMemory memory;
        ProbeSettings settings;
        settings.units = tick.request.units;
        return built ? assemble(built->answer, settings, memory, QDateTime::currentDateTimeUtc()) : Snapshot();
    }

private slots:
    void snapshot_ofTheFoundingCase()
    {
        ScenarioHost host = quietHost();
        host.files[u"units/vllm.service"_s] = u"[Service]\nExecStart=/bin/sleep 1000\n"_s;
        HostRunner runner;
        PILOTHOUSE_BOOT_OR_SKIP(runner, host)
        const QString server = u"sim-server --detach --pid-file /tmp/launcher --gpus 0,1 --load 0 -- /usr/bin/python3 -m "
                               "vllm.entrypoints.openai.api_server --port 8000 >/dev/null 2>&1"_s;
        QCOMPARE(runner.run(server).status, u"exit 0"_s);
        QTRY_COMPARE(runner.output(u"nvidia-smi --query-compute-apps=pid --format=csv,noheader | wc -l"_s), u"2"_s);
        QCOMPARE(runner.run(u"kill -9 $(cat /tmp/launcher); systemctl start vllm"_s).status, u"exit 0"_s);
        // Its control group is drawn by process 1, a moment later.
        QTRY_COMPARE(runner.output(u"wc -l < /sys/fs/cgroup/system.slice/vllm.service/cgroup.procs"_s), u"1"_s);
        Shell shell;
        QVERIFY(open(runner, shell));
        QCOMPARE(shell.facts.bootId, runner.output(u"cat /proc/sys/kernel/random/boot_id"_s));
        const Snapshot snapshot = taken(shell, Depth::Deep);
        QVERIFY(snapshot.gpus.has_value());
        QCOMPARE(snapshot.gpus->size(), 2);
        QCOMPARE(snapshot.gpus->at(1).memoryUsedMib, Quantity<qint64>(96619));
        QCOMPARE(snapshot.gpus->at(1).attributedMib, Quantity<qint64>(96615));
        QVERIFY(snapshot.processes.has_value());
        QStringList commands;
        int holders = 0;
        for (const Process &process : *snapshot.processes) {
            commands.append(process.command);
            holders += process.devices.value_or(QStringList()).contains(u"/dev/nvidiactl"_s) ? 1 : 0;
        }
        commands.sort();
        QVERIFY2(commands.contains(u"VLLM::EngineCore"_s) && commands.contains(u"VLLM::Worker_TP1"_s),
                 qPrintable(commands.join(u'|')));
        QVERIFY(commands.contains(u"/bin/sleep 1000"_s) || commands.contains(u"sleep 1000"_s));
        QCOMPARE(holders, 2);
        QVERIFY(snapshot.shm.has_value());
        QCOMPARE(snapshot.shm->size(), 1);
        QVERIFY(snapshot.units.has_value());
        QCOMPARE(snapshot.units->first().active, u"active"_s);
        QCOMPARE(snapshot.system.pciGpus, Quantity<int>(2));
    }

    void snapshot_seesNoProcessOfThisMachine()
    {
        QTemporaryDir state;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"PILOTHOUSE_SIM_DIR"_s, state.path());
        QProcess real;
        real.setProcessEnvironment(environment);
        real.start(QStringLiteral(SIMTOOLS_PATH), {u"sim-hog"_s, u"--title"_s, u"VLLM::Worker_TP0"_s});
        QVERIFY(real.waitForStarted());
        HostRunner runner;
        PILOTHOUSE_BOOT_OR_SKIP(runner, quietHost())
        Shell shell;
        QVERIFY(open(runner, shell));
        const Snapshot snapshot = taken(shell, Depth::Deep);
        QVERIFY(snapshot.processes.has_value());
        QVERIFY(snapshot.processes->isEmpty());
        QVERIFY(snapshot.gpus.has_value());
        QCOMPARE(snapshot.gpus->first().memoryUsedMib, Quantity<qint64>(4));
        QCOMPARE(real.state(), QProcess::Running);
        real.terminate();
        QVERIFY(real.waitForFinished());
    }
};

PILOTHOUSE_TEST_MAIN(TstProbeinhost)
#include "tst_probeinhost.moc"
