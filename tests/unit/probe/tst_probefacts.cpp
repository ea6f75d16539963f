// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a deep look finds out about processes beyond who holds what, by the real script and a real /proc.
#include "core/probe/assemble.h"
#include "tests/support/skip.h"
#include "tests/unit/probe/ownprocesses.h"
#include "tests/unit/probe/scriptrig.h"

#include <fcntl.h>
#include <sys/stat.h>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

QString hex(const QByteArray &text)
{
    return QString::fromLatin1(text.toHex());
}

/// A sleeper in a network of its own, which begins when it is told to: its network is made meanwhile.
class Outlying
{
public:
    explicit Outlying(const QStringList &words)
    {
        m_process.start(u"unshare"_s, QStringList{u"--net"_s, u"/bin/sh"_s, u"-c"_s,
                                                  u"ip link set lo up; echo made; read -r go; exec \"$0\" \"$@\""_s,
                                                  QStringLiteral(PILOTHOUSE_SLEEPER)}
                                          + words);
        awaitWord("made");
    }
    ~Outlying()
    {
        m_process.closeWriteChannel();
        m_process.waitForFinished(5000);
    }
    Outlying(const Outlying &) = delete;
    Outlying &operator=(const Outlying &) = delete;

    [[nodiscard]] qint64 pid() const { return m_process.processId(); }
    bool begin()
    {
        m_process.write("\n");
        return awaitWord("ready");
    }

private:
    bool awaitWord(const QByteArray &word)
    {
        while (!m_process.peek(200).contains(word) && m_process.waitForReadyRead(10'000))
            continue;
        return m_process.peek(200).contains(word);
    }
    QProcess m_process;
};

/// 10.77.0.1 in `far`'s network, 10.77.0.2 in `near`'s.
bool wire(const Outlying &far, const Outlying &near)
{
    const QString script = u"set -e; ip link add phf%1 netns %1 type veth peer name phn%2 netns %2; "
                           "nsenter -t %1 -n sh -c 'ip addr add 10.77.0.1/24 dev phf%1; ip link set phf%1 up'; "
                           "nsenter -t %2 -n sh -c 'ip addr add 10.77.0.2/24 dev phn%2; ip link set phn%2 up'"_s;
    return QProcess::execute(u"/bin/sh"_s, {u"-c"_s, script.arg(far.pid()).arg(near.pid())}) == 0;
}

std::optional<DeepFacts> factsOf(const Snapshot &snapshot, qint64 pid)
{
    for (const Process &process : snapshot.processes.value_or(QList<Process>())) {
        if (process.pid.value == pid)
            return process.deep;
    }
    return std::nullopt;
}

std::optional<QStringList> peersOf(const Snapshot &snapshot, qint64 pid)
{
    const auto facts = factsOf(snapshot, pid);
    return facts ? facts->peers : QStringList{u"not in the list"_s};
}

} // namespace

class TstProbeFacts : public QObject
{
    Q_OBJECT

private slots:
    void peers_underEachShell_data() { shells(); }
    void peers_underEachShell();
    void peers_whoMayNotLook();
    void kinAndState_underEachShell_data() { shells(); }
    void kinAndState_underEachShell();
    void sessions_underEachShell_data() { shells(); }
    void sessions_underEachShell();

private:
    static void shells();
    /// A provider for the row's shell; without a command where it cannot be had.
    [[nodiscard]] std::unique_ptr<LocalShellProvider> providerFor(const FakeHost &host);
    [[nodiscard]] static std::optional<Snapshot> look(ShellProvider &provider);
    QTemporaryDir m_applets;
};

std::optional<Snapshot> TstProbeFacts::look(ShellProvider &provider)
{
    ScriptRig rig(provider);
    const bool opened = rig.open();
    const auto built = opened ? rig.ask(Depth::Deep) : std::nullopt;
    if (!built) {
        qWarning() << rig.error.value_or(Error()).detail;
        return std::nullopt;
    }
    AssembleMemory memory;
    return assemble(built->answer, {}, memory, QDateTime::currentDateTimeUtc());
}

void TstProbeFacts::shells()
{
    QTest::addColumn<QString>("shell");
    for (const char *shell : {"dash", "bash", "busybox", "ksh"})
        QTest::newRow(shell) << QString::fromLatin1(shell);
}

std::unique_ptr<LocalShellProvider> TstProbeFacts::providerFor(const FakeHost &host)
{
    QFETCH(QString, shell);
    auto provider = std::make_unique<LocalShellProvider>(loginThrough(shell));
    provider->environment = host.environment();
    if (shell == u"busybox")
        provider->environment.insert(u"PATH"_s, host.path({}) + u':' + appletFolder(m_applets));
    return provider;
}

#define PROVIDER_OR_SKIP(name, host)                                                               \
    const auto name = providerFor(host);                                                           \
    if ((name)->command.isEmpty())                                                                 \
        PILOTHOUSE_SKIP("this shell is not installed, or no mount namespace can be made here");

void TstProbeFacts::peers_underEachShell()
{
    if (geteuid() != 0)
        PILOTHOUSE_SKIP("needs root to make networks");
    FakeHost host;
    host.nvidiaSmi(1);
    PROVIDER_OR_SKIP(provider, host);
    // A rank in a container's network, whose other rank no rule knows: for this host it is elsewhere.
    Outlying far({u"listen-anywhere=5001"_s});
    Outlying rank({u"argument="_s + hex("VLLM::Worker_TP0"), u"listen-anywhere=5002"_s, u"connect=127.0.0.1:5002"_s,
                   u"connect=10.77.0.2:5002"_s, u"connect=10.77.0.1:5001"_s});
    // Two ranks that only speak to each other, each in a network of its own.
    Outlying one({u"argument="_s + hex("VLLM::Worker_TP1"), u"listen-anywhere=5001"_s});
    Outlying two({u"argument="_s + hex("VLLM::Worker_TP2"), u"connect=10.77.0.1:5001"_s});
    QVERIFY(wire(far, rank) && wire(one, two));
    QVERIFY(far.begin() && rank.begin() && one.begin() && two.begin());
    const qint64 plain = host.process({"VLLM::Worker_TP3\nin self 1\nself/net/tcp:  sl "}, {u"listen=5003"_s, u"connect=127.0.0.1:5003"_s});
    QVERIFY(plain > 0);

    const auto snapshot = look(*provider);
    QVERIFY(snapshot);
    QCOMPARE(peersOf(*snapshot, rank.pid()), QStringList{u"10.77.0.1:5001"_s});
    QCOMPARE(peersOf(*snapshot, one.pid()), QStringList());
    QCOMPARE(peersOf(*snapshot, two.pid()), QStringList());
    QCOMPARE(peersOf(*snapshot, plain), QStringList());
}

void TstProbeFacts::peers_whoMayNotLook()
{
    if (geteuid() != 0)
        PILOTHOUSE_SKIP("needs root to become somebody else");
    FakeHost host;
    host.nvidiaSmi(1);
    QFile::setPermissions(host.path({}), QFile::Permissions(0x7755));
    const qint64 root = host.process({"VLLM::root"});
    const qint64 own = host.process({"VLLM::own"}, {u"uid=65534"_s});
    LocalShellProvider provider({u"setpriv"_s, u"--reuid=65534"_s, u"--regid=65534"_s, u"--clear-groups"_s, u"/bin/sh"_s,
                                 u"-c"_s, u"exec /bin/sh"_s});
    provider.environment = host.environment();
    const auto snapshot = look(provider);
    QVERIFY(snapshot);
    QCOMPARE(peersOf(*snapshot, root), std::nullopt);
    // Who has changed its user is closed to it too, unless it began a program since.
    QVERIFY(peersOf(*snapshot, own) != QStringList{u"not in the list"_s});
}

void TstProbeFacts::kinAndState_underEachShell()
{
    FakeHost host;
    host.nvidiaSmi(1);
    PROVIDER_OR_SKIP(provider, host);
    // A tracker that reads at 42, relatives with the other end, and who was started when both were closed.
    int ends[2];
    QCOMPARE(::pipe(ends), 0);
    QCOMPARE(::dup2(ends[0], 42), 42);
    ::close(ends[0]);
    const qint64 tracker = host.process({"python3", "-c", "from multiprocessing.resource_tracker import main;main(42)"});
    const qint64 worker = host.process({"VLLM::Worker_TP0"}, {u"lock=64"_s});
    const qint64 nameless = host.process({"python3", "-c", "from multiprocessing.spawn import spawn_main", "--multiprocessing-fork"});
    ::close(42);
    ::close(ends[1]);
    const qint64 stranger = host.process({"VLLM::Worker_TP1\n1/status:SigPnd:\t0000000000000100"}, {u"comm="_s + hex("a\n1/wchan:b")});
    QVERIFY(tracker > 0 && worker > 0 && nameless > 0 && stranger > 0);
    const auto snapshot = look(*provider);
    QVERIFY(snapshot);
    const QList<quint64> pipes = factsOf(*snapshot, tracker).value_or(DeepFacts()).trackerPipes.value_or(QList<quint64>());
    QCOMPARE(pipes.size(), 1);
    for (const qint64 pid : {worker, nameless})
        QCOMPARE(factsOf(*snapshot, pid).value_or(DeepFacts()).trackerPipes, pipes);
    QCOMPARE(factsOf(*snapshot, stranger).value_or(DeepFacts()).trackerPipes, QList<quint64>());
    for (const qint64 pid : {tracker, worker, nameless, stranger}) {
        const DeepFacts facts = factsOf(*snapshot, pid).value_or(DeepFacts());
        QCOMPARE(facts.killPending, false);
        QCOMPARE(facts.parentName, u"tst_probefacts"_s);
        QVERIFY(facts.waitsIn && facts.waitsIn != u"b"_s);
        QCOMPARE(facts.lockedKib, pid == worker ? qint64(64) : qint64(0));
    }
}

void TstProbeFacts::sessions_underEachShell()
{
    FakeHost host;
    host.nvidiaSmi(1);
    PROVIDER_OR_SKIP(provider, host);
    QTemporaryDir logins;
    const auto write = [&logins](const QString &name, const QByteArray &text) {
        QFile file(logins.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    };
    write(u"3"_s, "# private\nUID=0\nUSER=alice\nACTIVE=1\nSTATE=active\nSCOPE=session-3.scope\nTTY=null\nCLASS=user\n");
    write(u"c4"_s, "USER=bob\nSTATE=closing\nSCOPE=session-c4.scope\nCLASS=user\n");
    write(u"5"_s, "USER=carol\nSTATE=online\nSCOPE=session-5.scope\nTTY=../etc/passwd\nCLASS=background\n");
    QCOMPARE(mkfifo(QFile::encodeName(logins.filePath(u"3.ref"_s)).constData(), 0600), 0); // reading it would never end
    provider->environment.insert(u"PILOTHOUSE_RUN_LOGINS"_s, logins.path());
    const auto snapshot = look(*provider);
    QVERIFY(snapshot);
    QVERIFY(snapshot->system.sessions);
    const QList<LoginSession> &sessions = *snapshot->system.sessions;
    QCOMPARE(sessions.size(), 2);
    QCOMPARE(sessions.at(0).name, u"session-3.scope"_s);
    QCOMPARE(sessions.at(0).user, u"alice"_s);
    QVERIFY(sessions.at(0).idleS.isKnown()); // of /dev/null, whenever that was read
    QCOMPARE(sessions.at(1).name, u"session-5.scope"_s);
    QVERIFY(!sessions.at(1).idleS.isKnown()); // no terminal is called so
}

PILOTHOUSE_PROBE_TEST_MAIN(TstProbeFacts)
#include "tst_probefacts.moc"
