// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/simhost/probeanswer.h"
#include "core/probe/answerbuilder.h"
#include "core/probe/assemble.h"
#include "core/probe/parse/smicsv.h"
#include "core/probe/parse/smiapps.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

/// A host in memory against the console's own reader of the protocol.
class TstProbeanswer : public QObject
{
    Q_OBJECT

    std::shared_ptr<const MemoryHost> m_host = std::make_shared<const MemoryHost>("gpu1", 300);

    /// A shell that has become the probe's, and what it said of itself.
    struct Channel
    {
        std::unique_ptr<ProbeShell> shell;
        ProbeAnswer ready;
    };

    static QByteArray fed(ProbeShell &shell, const QByteArray &text)
    {
        return QByteArray::fromStdString(shell.feed({text.constData(), size_t(text.size())}));
    }

    static std::optional<ProbeAnswer> decoded(const QByteArray &bytes, const QByteArray &nonce, quint64 tick)
    {
        FrameDecoder decoder;
        decoder.expectAnswer(nonce, tick);
        const auto event = decoder.feed(bytes);
        if (!event || *event != FrameDecoder::Event::Answered)
            return std::nullopt;
        return decoder.answer();
    }

    [[nodiscard]] Channel opened(ProbeRole role) const
    {
        Channel channel{std::make_unique<ProbeShell>(m_host), {}};
        const QByteArray stage = makeNonce();
        const QByteArray said
            = fed(*channel.shell, stageText(stage, makeMarker(u"me"_s, u"gpu1"_s, u"t"_s), role, RootWay::None));
        FrameDecoder decoder;
        decoder.expectStage(stage);
        const auto event = decoder.feed(said);
        if (!event || *event != FrameDecoder::Event::Staged)
            return channel;
        const QByteArray nonce = makeNonce();
        channel.ready = decoded(fed(*channel.shell, scriptText(nonce)), nonce, 0).value_or(ProbeAnswer());
        return channel;
    }

    [[nodiscard]] static ProbeAnswer asked(Channel &channel, ProbeRequest request)
    {
        return decoded(fed(*channel.shell, requestLine(request).value()), request.nonce, request.tick)
            .value_or(ProbeAnswer());
    }

    [[nodiscard]] Snapshot taken(Depth depth) const
    {
        Channel kernel = opened(ProbeRole::Kernel);
        Channel driver = opened(ProbeRole::Driver);
        ProbeRequest request;
        request.tick = 1;
        request.depth = depth;
        request.units = QStringList{u"vllm-kimi-k25.service"_s, u"other.service"_s};
        request.gpuFields = smiGpuFields();
        request.appFields = QStringList{u"gpu_uuid"_s, u"pid"_s, u"used_memory"_s, u"process_name"_s};
        TickAnswers tick;
        tick.request = request;
        request.nonce = makeNonce();
        request.driver = false;
        tick.kernel = asked(kernel, request);
        request.nonce = makeNonce();
        request.driver = true;
        request.kernel = false;
        tick.driver = asked(driver, request);
        QHash<qint64, QString> users;
        const auto built = buildAnswer(readFacts(kernel.ready).value(), tick, users);
        AssembleMemory memory;
        ProbeSettings settings;
        settings.units = tick.request.units;
        settings.expectedGpus = 8;
        return assemble(built.value().answer, settings, memory, QDateTime::currentDateTimeUtc());
    }

private slots:
    void stage_isTakenUp()
    {
        const Channel channel = opened(ProbeRole::Driver);
        QVERIFY(channel.ready.complete);
        QCOMPARE(channel.ready.role, QByteArray("driver"));
        const auto facts = readFacts(channel.ready);
        QVERIFY(facts.has_value());
        QCOMPARE(facts->bootId.size(), 36);
        QCOMPARE(facts->pci.output.count('\n'), 8);
    }

    void light_isWhole()
    {
        const Snapshot snapshot = taken(Depth::Light);
        QVERIFY(snapshot.gpus.has_value());
        QCOMPARE(snapshot.gpus->size(), 8);
        QVERIFY(snapshot.processes.has_value());
        QCOMPARE(snapshot.processes->size(), 11);
        QVERIFY(snapshot.units.has_value());
        QCOMPARE(snapshot.units->size(), 2);
        QCOMPARE(snapshot.units->at(0).active, u"active"_s);
        QCOMPARE(snapshot.units->at(1).load, u"not-found"_s);
        QVERIFY(snapshot.problems.isEmpty());
        for (const Gpu &gpu : *snapshot.gpus)
            QCOMPARE(gpu.attributedMib, Quantity<qint64>(96615));
    }

    void deep_isWhole()
    {
        const Snapshot snapshot = taken(Depth::Deep);
        QVERIFY(snapshot.listening.has_value());
        QCOMPARE(snapshot.listening->size(), 1);
        QVERIFY(snapshot.shm.has_value());
        QCOMPARE(snapshot.shm->size(), 1);
        QCOMPARE(snapshot.shm->first().mappedBy.value_or(QList<qint64>()).size(), 8);
        QVERIFY(snapshot.problems.isEmpty());
    }

    void light_hasTrueSize()
    {
        Channel kernel = opened(ProbeRole::Kernel);
        ProbeRequest request;
        request.nonce = makeNonce();
        request.tick = 7;
        request.gpuFields = smiGpuFields();
        request.appFields = QStringList{u"gpu_uuid"_s, u"pid"_s, u"used_memory"_s, u"process_name"_s};
        const ProbeAnswer both = asked(kernel, request); // one channel for both
        QVERIFY(both.complete);
        QVERIFY(both.find("kernel-done"));
        QVERIFY2(both.bytes > 6'000 && both.bytes < 16'384, qPrintable(QString::number(both.bytes)));
    }

    void input_inPiecesAndNoise()
    {
        ProbeShell shell(m_host);
        QByteArray said;
        const QByteArray text = stageText("00112233aabbccdd", makeMarker(u"me"_s, u"h"_s, u"t"_s), ProbeRole::Kernel, RootWay::SudoUnasked);
        for (const char c : text)
            said += fed(shell, QByteArray(1, c));
        QCOMPARE(said, QByteArray("@PH STAGE 00112233aabbccdd\n"));
        QVERIFY(fed(shell, "ask n=aa t=1\nquit\n").isEmpty());
        QVERIFY(!shell.exitStatus());
        QVERIFY(!fed(shell, scriptText("aabb")).isEmpty());
        QVERIFY(fed(shell, "nonsense\n").isEmpty());
        QVERIFY(fed(shell, "quit\n").isEmpty());
        QCOMPARE(shell.exitStatus(), std::optional<int>(0));
        QVERIFY(fed(shell, "ask n=aa t=1\n").isEmpty());
    }

    void states_differ()
    {
        m_host = std::make_shared<const MemoryHost>("gpu2", 300, MemoryState::Free);
        const Snapshot free = taken(Depth::Deep);
        QVERIFY(free.processes && free.processes->isEmpty());
        QCOMPARE(free.gpus.value().first().memoryUsedMib, Quantity<qint64>(4));
        m_host = std::make_shared<const MemoryHost>("gpu3", 300, MemoryState::Leftover);
        const Snapshot leftover = taken(Depth::Deep);
        QCOMPARE(leftover.gpus.value().first().memoryUsedMib, Quantity<qint64>(96619));
        QCOMPARE(leftover.processes.value().size(), 10);
        QVERIFY(leftover.listening && leftover.listening->isEmpty());
        QCOMPARE(leftover.units.value().first().sub, u"start-pre"_s);
        QVERIFY(free.problems.isEmpty() && leftover.problems.isEmpty());
        m_host = std::make_shared<const MemoryHost>("gpu1", 300);
    }

    void hosts_differ()
    {
        const MemoryHost other("gpu2", 300);
        QVERIFY(other.bootId() != m_host->bootId());
        QVERIFY(other.gpuRows({"uuid"}) != m_host->gpuRows({"uuid"}));
        QCOMPARE(int(other.processes().size()), 300);
    }
};

PILOTHOUSE_TEST_MAIN(TstProbeanswer)
#include "tst_probeanswer.moc"
