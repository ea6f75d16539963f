// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// In how many writes an answer leaves the host: over SSH each one is a packet that wakes both ends.
#include "tests/support/skip.h"
#include "tests/unit/probe/ownprocesses.h"
#include "tests/unit/probe/scriptrig.h"

#include <QSocketNotifier>

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/socket.h>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

/// A local shell whose standard output keeps writes apart: each is a record.
class RecordShell final : public RemoteShell
{
public:
    RecordShell(const QStringList &command, const QProcessEnvironment &environment, QList<qsizetype> &pieces)
        : m_pieces(pieces)
    {
        std::array<int, 2> pair{-1, -1};
        if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair.data()) != 0)
            qFatal("no socket pair");
        m_own = pair[0];
        const int childs = pair[1];
        const int room = 1 << 20;
        ::setsockopt(childs, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
        ::fcntl(childs, F_SETFL, 0); // blocking, as a pipe's end is
        m_notifier = std::make_unique<QSocketNotifier>(m_own, QSocketNotifier::Read);
        connect(m_notifier.get(), &QSocketNotifier::activated, this, &RecordShell::take);
        connect(&m_process, &QProcess::started, this, &RemoteShell::opened);
        connect(&m_process, &QProcess::readyReadStandardError, this,
                [this] { emit received(Stream::Error, m_process.readAllStandardError()); });
        m_process.setProcessEnvironment(environment);
        m_process.setChildProcessModifier([childs] { ::dup2(childs, STDOUT_FILENO); });
        m_process.start(command.first(), command.sliced(1));
        ::close(childs);
    }
    ~RecordShell() override
    {
        m_process.disconnect(this);
        m_process.closeWriteChannel();
        m_process.waitForFinished(10'000);
        ::close(m_own);
    }
    void write(const QByteArray &bytes) override { m_process.write(bytes); }
    void closeInput() override { m_process.closeWriteChannel(); }
    void close() override { m_process.closeWriteChannel(); }
    [[nodiscard]] qsizetype pendingBytes() const override { return m_process.bytesToWrite(); }

private:
    void take()
    {
        QByteArray record(1 << 20, Qt::Uninitialized);
        const ssize_t count = ::recv(m_own, record.data(), size_t(record.size()), MSG_DONTWAIT);
        if (count < 0 && errno == EAGAIN)
            return;
        if (count <= 0) {
            m_notifier->setEnabled(false);
            emit closed(-1, {}, {});
            return;
        }
        m_pieces += count;
        emit received(Stream::Output, record.left(count));
    }

    QProcess m_process;
    int m_own = -1;
    std::unique_ptr<QSocketNotifier> m_notifier;
    QList<qsizetype> &m_pieces;
};

class RecordProvider final : public ShellProvider
{
public:
    [[nodiscard]] std::unique_ptr<RemoteShell> openShell() override
    {
        return std::make_unique<RecordShell>(command, environment, pieces);
    }
    QStringList command;
    QProcessEnvironment environment;
    QList<qsizetype> pieces; ///< sizes of all writes
};

} // namespace

class TstProbePieces final : public QObject
{
    Q_OBJECT
private slots:
    void answer_leavesInOnePiece_data();
    void answer_leavesInOnePiece();
    void longAnswer_leavesInLargePieces();
};

void TstProbePieces::answer_leavesInOnePiece_data()
{
    QTest::addColumn<QString>("shell");
    QTest::addColumn<int>("most");
    QTest::newRow("dash") << u"dash"_s << 1;
    QTest::newRow("busybox") << u"busybox"_s << 2; // its stdio writes whole blocks, then the rest
    // Not bash: it flushes after each line, whatever it is given to write.
}

void TstProbePieces::answer_leavesInOnePiece()
{
    QFETCH(QString, shell);
    QFETCH(int, most);
    FakeHost host;
    host.nvidiaSmi(8);
    for (int gpu = 0; gpu < 8; ++gpu)
        QVERIFY(host.process({"VLLM::Worker_TP" + QByteArray::number(gpu)}) > 0);
    RecordProvider provider;
    provider.command = loginThrough(shell);
    if (provider.command.isEmpty())
        PILOTHOUSE_SKIP("no such shell, or no mount namespace can be made here");
    provider.environment = host.environment();
    ScriptRig rig(provider);
    QVERIFY2(rig.open(), qPrintable(rig.error.value_or(Error()).detail));
    for (const Depth depth : {Depth::Light, Depth::Light, Depth::Deep}) {
        provider.pieces.clear();
        const auto built = rig.ask(depth);
        QVERIFY2(built, qPrintable(rig.error.value_or(Error()).detail));
        QVERIFY(built->answer.processes->size() >= 8);
        // This shell's channel does both parts: the driver may take long, so what is known before it leaves before it.
        QVERIFY2(provider.pieces.size() >= 2 && provider.pieces.size() <= 2 * most,
                 qPrintable(u"%1 pieces"_s.arg(provider.pieces.size())));
    }
}

void TstProbePieces::longAnswer_leavesInLargePieces()
{
    FakeHost host;
    host.nvidiaSmi(1);
    for (int i = 0; i < 40; ++i)
        QVERIFY(host.process({"VLLM::Worker", QByteArray(3'000, 'x')}) > 0);
    RecordProvider provider;
    provider.command = QStringList{u"/bin/sh"_s, u"-c"_s, u"exec /bin/sh"_s};
    provider.environment = host.environment();
    ScriptRig rig(provider);
    QVERIFY2(rig.open(), qPrintable(rig.error.value_or(Error()).detail));
    provider.pieces.clear();
    const auto built = rig.ask();
    QVERIFY2(built, qPrintable(rig.error.value_or(Error()).detail));
    qsizetype sum = 0;
    for (const qsizetype piece : std::as_const(provider.pieces))
        sum += piece;
    QVERIFY(sum > 40 * 1'000);
    QVERIFY2(provider.pieces.size() <= sum / 32'000 + 4, qPrintable(u"%1 pieces"_s.arg(provider.pieces.size())));
}

PILOTHOUSE_PROBE_TEST_MAIN(TstProbePieces)
#include "tst_probepieces.moc"
