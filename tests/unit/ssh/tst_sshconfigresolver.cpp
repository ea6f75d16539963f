// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshconfigresolver.h"
#include "tests/support/skip.h"
#include "tests/support/testmain.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <csignal>
#include <memory>

using namespace pilothouse;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TstSshConfigResolver final : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void cleanup();

    void resolve_asksSsh();
    void resolve_passesUserAndPort();
    void resolve_namesThatSshTakesButLibsshDoesNot_data();
    void resolve_namesThatSshTakesButLibsshDoesNot();
    void resolve_answersLaterNeverAtOnce();
    void resolve_refusesWhatIsNoName_data();
    void resolve_refusesWhatIsNoName();
    void resolve_brokenConfigurationNamesFileAndLine();
    void resolve_missingConfiguration();
    void resolve_unsupportedMatchShowsTheMessage();
    void resolve_jumpHostIsKeptBeyondTheHostName();
    void resolve_noSshHere();
    void resolve_unansweredNameIsNameNotResolved();
    void resolve_hangingMatchExecEndsInTimeAndLeavesNothing();
    void resolve_endlessOutputIsCutOff();
    void resolve_crashIsAnError();
    void resolve_severalAtOnce();
    void destroyed_neverCallsBack();
    void contextGone_neverCallsBack();
    void callback_mayDestroyTheResolver();
    void cache_savesARun();
    void cache_isSharedByResolvers();
    void cache_distinguishesOptions();
    void cache_seesEveryFileChange_data();
    void cache_seesEveryFileChange();
    void cache_notWhereMoreThanFilesCounts_data();
    void cache_notWhereMoreThanFilesCounts();
    void cache_notForMatchExec();
    void cache_notForErrors();
    void cache_readsTheFilesOnce();
    void cache_letsFewRunAtOnce();
    void cache_asksOnceForWhatManyWant();
    void cache_waitingResolverMayGo();

private:
    void write(const QString &name, const QByteArray &text) const;
    QString path(const QString &name) const { return m_dir->filePath(name); }
    QString script(const QByteArray &body) const;
    Result<ResolvedHost> ask(const SshTarget &target) { return ask(target, path(u"config"_s)); }
    Result<ResolvedHost> ask(const SshTarget &target, const QString &file);

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<SshConfigResolver> m_resolver;
};

void TstSshConfigResolver::init()
{
    if (QStandardPaths::findExecutable(u"ssh"_s).isEmpty())
        PILOTHOUSE_SKIP("needs openssh-client");
    QTest::failOnWarning(QRegularExpression(u".*"_s));
    m_dir = std::make_unique<QTemporaryDir>();
    m_resolver = std::make_unique<SshConfigResolver>();
    write(u"config"_s, "Host gpu1\n  HostName real.example\n  User alice\n  Port 2222\n");
}

void TstSshConfigResolver::cleanup()
{
    m_resolver.reset();
}

void TstSshConfigResolver::write(const QString &name, const QByteArray &text) const
{
    QFile file(path(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text), text.size());
}

/// A stand-in for ssh.
QString TstSshConfigResolver::script(const QByteArray &body) const
{
    write(u"fake-ssh"_s, "#!/bin/sh\n" + body + "\n");
    QFile::setPermissions(path(u"fake-ssh"_s),
                          QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return path(u"fake-ssh"_s);
}

Result<ResolvedHost> TstSshConfigResolver::ask(const SshTarget &target, const QString &file)
{
    std::optional<Result<ResolvedHost>> answer;
    int calls = 0;
    m_resolver->resolve(target, file, this, [&](Result<ResolvedHost> result) {
        answer = std::move(result);
        ++calls;
    });
    if (calls != 0 || !QTest::qWaitFor([&] { return answer.has_value(); }, 10'000) || calls != 1)
        return fail(ErrorCode::Internal, u"called %1 times"_s.arg(calls));
    return *answer;
}

void TstSshConfigResolver::resolve_asksSsh()
{
    const Result<ResolvedHost> host = ask({{}, u"gpu1"_s, {}});
    QVERIFY2(host, host ? "" : qPrintable(host.error().detail));
    QCOMPARE(host->alias, u"gpu1"_s);
    QCOMPARE(host->hostName, u"real.example"_s);
    QCOMPARE(host->user, u"alice"_s);
    QCOMPARE(host->port, quint16(2222));
    QVERIFY(!host->userKnownHostsFiles.isEmpty());
    QVERIFY(host->identityFiles.constFirst().startsWith(u'/'));
    QCOMPARE(m_resolver->runs(), 1);
}

void TstSshConfigResolver::resolve_passesUserAndPort()
{
    const Result<ResolvedHost> host = ask({u"DOM\\bob"_s, u"gpu1"_s, quint16(2200)});
    QVERIFY(host);
    QCOMPARE(host->user, u"DOM\\bob"_s);
    QCOMPARE(host->port, quint16(2200));
}

void TstSshConfigResolver::resolve_namesThatSshTakesButLibsshDoesNot_data()
{
    QTest::addColumn<QString>("name");
    for (const char *name : {"gpu_01", "10.0.0.5", "fd00::5", "fe80::1%eth0", "gpu1.example."})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TstSshConfigResolver::resolve_namesThatSshTakesButLibsshDoesNot()
{
    QFETCH(QString, name);
    const Result<ResolvedHost> host = ask({{}, name, {}});
    QVERIFY2(host, host ? "" : qPrintable(host.error().detail));
    QCOMPARE(host->hostName, name);
}

void TstSshConfigResolver::resolve_answersLaterNeverAtOnce()
{
    bool called = false;
    m_resolver->resolve({{}, u"-bad"_s, {}}, {}, this,
                        [&](const Result<ResolvedHost> &) { called = true; });
    QVERIFY(!called);
    QTRY_VERIFY(called);
}

void TstSshConfigResolver::resolve_refusesWhatIsNoName_data()
{
    QTest::addColumn<QString>("user");
    QTest::addColumn<QString>("host");
    QTest::newRow("option") << QString() << u"-oProxyCommand=touch x"_s;
    QTest::newRow("forged output") << QString() << u"gpu1\nproxyjump none"_s;
    QTest::newRow("empty") << QString() << QString();
    QTest::newRow("user in the host") << QString() << u"root@gpu1"_s;
    QTest::newRow("address of the web") << QString() << u"ssh://gpu1"_s;
    QTest::newRow("user that is an option") << u"-G"_s << u"gpu1"_s;
    QTest::newRow("user with a line feed") << u"a\nb"_s << u"gpu1"_s;
    QTest::newRow("port in the host") << QString() << u"gpu1:22"_s;
}

void TstSshConfigResolver::resolve_refusesWhatIsNoName()
{
    QFETCH(QString, user);
    QFETCH(QString, host);
    const Result<ResolvedHost> answer = ask({user, host, {}});
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, ErrorCode::Usage);
    QCOMPARE(m_resolver->runs(), 0);
}

void TstSshConfigResolver::resolve_brokenConfigurationNamesFileAndLine()
{
    write(u"config"_s, "Host *\n  Include extra\n  NoSuchKeyword yes\n");
    const Result<ResolvedHost> host = ask({{}, u"gpu1"_s, {}});
    QVERIFY(!host);
    QCOMPARE(host.error().code, ErrorCode::SshConfigInvalid);
    QVERIFY2(host.error().detail.contains(path(u"config"_s)), qPrintable(host.error().detail));
    QVERIFY(host.error().detail.contains(u"line 3"_s));
    QVERIFY(host.error().detail.contains(u"nosuchkeyword"_s));
    QVERIFY(!host.error().detail.contains(u'\n'));
}

void TstSshConfigResolver::resolve_missingConfiguration()
{
    const Result<ResolvedHost> host = ask({{}, u"gpu1"_s, {}}, path(u"nowhere"_s));
    QVERIFY(!host);
    QCOMPARE(host.error().code, ErrorCode::SshConfigInvalid);
    QVERIFY(host.error().detail.contains(path(u"nowhere"_s)));
}

void TstSshConfigResolver::resolve_unsupportedMatchShowsTheMessage()
{
    write(u"config"_s, "Match nosuchcriterion x\n  User bob\n");
    const Result<ResolvedHost> host = ask({{}, u"gpu1"_s, {}});
    QVERIFY(!host);
    QCOMPARE(host.error().code, ErrorCode::SshConfigInvalid);
    QVERIFY2(host.error().detail.contains(u"line 1"_s), qPrintable(host.error().detail));
}

void TstSshConfigResolver::resolve_jumpHostIsKeptBeyondTheHostName()
{
    // The layout by which libssh forgets the jump host: the pattern meets the alias, not the
    // HostName.
    write(u"config"_s,
          "Host gpu1\n  HostName real.example\nHost gpu*\n  ProxyJump bob@bastion:2222\n");
    const Result<ResolvedHost> host = ask({{}, u"gpu1"_s, {}});
    QVERIFY(host);
    QCOMPARE(host->hostName, u"real.example"_s);
    QCOMPARE(host->proxyJump, u"bob@bastion:2222"_s);
}

void TstSshConfigResolver::resolve_noSshHere()
{
    m_resolver->setProgram(path(u"no-ssh"_s));
    const Result<ResolvedHost> host = ask({{}, u"gpu1"_s, {}});
    QVERIFY(!host);
    QCOMPARE(host.error().code, ErrorCode::LocalIo);
    QVERIFY(host.error().advice.contains(u"OpenSSH"_s));
}

void TstSshConfigResolver::resolve_unansweredNameIsNameNotResolved()
{
    m_resolver->setProgram(script(
        "echo 'ssh: Could not resolve hostname gpu1: Name or service not known' >&2; exit 255"));
    const Result<ResolvedHost> host = ask({{}, u"gpu1"_s, {}});
    QVERIFY(!host);
    QCOMPARE(host.error().code, ErrorCode::NameNotResolved);
}

void TstSshConfigResolver::resolve_hangingMatchExecEndsInTimeAndLeavesNothing()
{
    const QString pidFile = path(u"pid"_s);
    write(u"config"_s, "Match exec \"echo $$ >" + QFile::encodeName(pidFile)
                           + "; exec sleep 300\"\n  User bob\n");
    m_resolver->setLimit(700ms);
    QElapsedTimer timer;
    timer.start();
    const Result<ResolvedHost> host = ask({{}, u"gpu1"_s, {}});
    QVERIFY(!host);
    QCOMPARE(host.error().code, ErrorCode::Timeout);
    QVERIFY(host.error().advice.contains(u"Match exec"_s));
    QVERIFY(timer.elapsed() < 5'000);
    QFile file(pidFile);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const int pid = file.readAll().trimmed().toInt();
    QVERIFY(pid > 1);
    QTRY_VERIFY(
        ::kill(pid, 0) != 0
        || QFile(u"/proc/%1/exe"_s.arg(pid)).symLinkTarget().isEmpty()); // gone, or a zombie
}

void TstSshConfigResolver::resolve_endlessOutputIsCutOff()
{
    m_resolver->setProgram(script("exec yes sendenv something long enough to fill the pipe"));
    QElapsedTimer timer;
    timer.start();
    const Result<ResolvedHost> host = ask({{}, u"gpu1"_s, {}});
    QVERIFY(!host);
    QCOMPARE(host.error().code, ErrorCode::SshConfigInvalid);
    QVERIFY(timer.elapsed() < 4'000);
}

void TstSshConfigResolver::resolve_crashIsAnError()
{
    m_resolver->setProgram(script("kill -SEGV $$"));
    const Result<ResolvedHost> host = ask({{}, u"gpu1"_s, {}});
    QVERIFY(!host);
    QCOMPARE(host.error().code, ErrorCode::SshConfigInvalid);
    m_resolver->setProgram(script("exit 3"));
    const Result<ResolvedHost> silent = ask({{}, u"gpu1"_s, {}});
    QVERIFY(!silent);
    QVERIFY(silent.error().detail.contains(u"code 3"_s));
}

void TstSshConfigResolver::resolve_severalAtOnce()
{
    QStringList names;
    for (int i = 0; i < 8; ++i) {
        m_resolver->resolve({{}, u"host%1"_s.arg(i), {}}, path(u"config"_s), this,
                            [&](const Result<ResolvedHost> &host) {
                                names += host ? host->hostName : u"failed"_s;
                            });
    }
    QTRY_COMPARE_WITH_TIMEOUT(names.size(), 8, 10'000);
    names.sort();
    QCOMPARE(names.constFirst(), u"host0"_s);
    QCOMPARE(names.constLast(), u"host7"_s);
}

void TstSshConfigResolver::destroyed_neverCallsBack()
{
    bool called = false;
    const auto done = [&](const Result<ResolvedHost> &) { called = true; };
    m_resolver->setProgram(script("exec sleep 300"));
    m_resolver->resolve({{}, u"gpu1"_s, {}}, {}, this, done);
    m_resolver->resolve({{}, u"-bad"_s, {}}, {}, this, done);
    QElapsedTimer timer;
    timer.start();
    m_resolver.reset();
    QVERIFY(timer.elapsed() < 2'000);
    QCoreApplication::processEvents();
    QVERIFY(!called);
}

void TstSshConfigResolver::contextGone_neverCallsBack()
{
    bool called = false;
    auto context = std::make_unique<QObject>();
    m_resolver->resolve({{}, u"gpu1"_s, {}}, {}, context.get(),
                        [&](const Result<ResolvedHost> &) { called = true; });
    context.reset();
    bool other = false;
    m_resolver->resolve({{}, u"gpu1"_s, {}}, {}, this,
                        [&](const Result<ResolvedHost> &) { other = true; });
    QTRY_VERIFY(other);
    QVERIFY(!called);
}

void TstSshConfigResolver::callback_mayDestroyTheResolver()
{
    bool called = false;
    m_resolver->resolve({{}, u"gpu1"_s, {}}, path(u"config"_s), this,
                        [&](const Result<ResolvedHost> &) {
                            called = true;
                            m_resolver.reset();
                        });
    QTRY_VERIFY(called);
    QVERIFY(!m_resolver);
}

void TstSshConfigResolver::cache_savesARun()
{
    m_resolver = std::make_unique<SshConfigResolver>(std::make_shared<SshConfigCache>());
    const Result<ResolvedHost> first = ask({{}, u"gpu1"_s, {}});
    const Result<ResolvedHost> second = ask({{}, u"gpu1"_s, {}});
    QVERIFY(first && second);
    QCOMPARE(*first, *second);
    QCOMPARE(m_resolver->runs(), 1);
}

void TstSshConfigResolver::cache_isSharedByResolvers()
{
    const auto cache = std::make_shared<SshConfigCache>();
    m_resolver = std::make_unique<SshConfigResolver>(cache);
    QVERIFY(ask({{}, u"gpu1"_s, {}}));
    m_resolver = std::make_unique<SshConfigResolver>(cache);
    QVERIFY(ask({{}, u"gpu1"_s, {}}));
    QCOMPARE(m_resolver->runs(), 0);
}

void TstSshConfigResolver::cache_distinguishesOptions()
{
    m_resolver = std::make_unique<SshConfigResolver>(std::make_shared<SshConfigCache>());
    write(u"other"_s, "Host gpu1\n  HostName other.example\n");
    QCOMPARE(ask({{}, u"gpu1"_s, {}})->hostName, u"real.example"_s);
    QCOMPARE(ask({{}, u"gpu1"_s, {}}, path(u"other"_s))->hostName, u"other.example"_s);
    QCOMPARE(ask({u"bob"_s, u"gpu1"_s, {}})->user, u"bob"_s);
    QCOMPARE(ask({{}, u"gpu1"_s, quint16(99)})->port, quint16(99));
    QCOMPARE(ask({{}, u"gpu2"_s, {}})->hostName, u"gpu2"_s);
    QCOMPARE(m_resolver->runs(), 5);
}

void TstSshConfigResolver::cache_seesEveryFileChange_data()
{
    QTest::addColumn<QString>("changed");
    QTest::newRow("the file itself") << u"config"_s;
    QTest::newRow("an included file") << u"extra.d/a.conf"_s;
    QTest::newRow("a new file of an included folder") << u"extra.d/b.conf"_s;
    QTest::newRow("a file that was named but not there") << u"later"_s;
}

void TstSshConfigResolver::cache_seesEveryFileChange()
{
    QFETCH(QString, changed);
    m_resolver = std::make_unique<SshConfigResolver>(std::make_shared<SshConfigCache>());
    QVERIFY(QDir(m_dir->path()).mkdir(u"extra.d"_s));
    const QByteArray include = "Include " + QFile::encodeName(path(u"extra.d/*.conf"_s)) + ' '
        + QFile::encodeName(path(u"later"_s)) + "\n";
    write(u"config"_s, include);
    write(u"extra.d/a.conf"_s, "");
    const Result<ResolvedHost> before = ask({{}, u"gpu1"_s, {}});
    QVERIFY2(before, before ? "" : qPrintable(before.error().detail));
    QCOMPARE(before->hostName, u"gpu1"_s);
    write(changed, "Host gpu1\n  HostName new.example\n");
    QCOMPARE(ask({{}, u"gpu1"_s, {}})->hostName, u"new.example"_s);
    QCOMPARE(m_resolver->runs(), 2);
    QCOMPARE(ask({{}, u"gpu1"_s, {}})->hostName, u"new.example"_s);
    QCOMPARE(m_resolver->runs(), 2);
}

void TstSshConfigResolver::cache_notWhereMoreThanFilesCounts_data()
{
    QTest::addColumn<QByteArray>("lines");
    QTest::newRow("Match exec") << QByteArray("Match exec true");
    QTest::newRow("Match exec, written together") << QByteArray("match user root exec=\"false\"");
    QTest::newRow("Match !exec") << QByteArray("Match originalhost gpu1 !exec false");
    QTest::newRow("in an included file") << QByteArray("Include %matching%");
    QTest::newRow("canonical names") << QByteArray("CanonicalizeHostname yes\nCanonicalizeFallbackLocal yes");
}

void TstSshConfigResolver::cache_notWhereMoreThanFilesCounts()
{
    QFETCH(QByteArray, lines);
    m_resolver = std::make_unique<SshConfigResolver>(std::make_shared<SshConfigCache>());
    write(u"matching"_s, "Match exec \"true\"\n  Port 2323\n");
    lines.replace("%matching%", QFile::encodeName(path(u"matching"_s)));
    write(u"config"_s, "Host gpu1\n  HostName 127.0.0.1\n" + lines + '\n');
    QVERIFY(ask({{}, u"gpu1"_s, {}}));
    QVERIFY(ask({{}, u"gpu1"_s, {}}));
    QCOMPARE(m_resolver->runs(), 2);
}

void TstSshConfigResolver::cache_notForMatchExec()
{
    m_resolver = std::make_unique<SshConfigResolver>(std::make_shared<SshConfigCache>());
    write(u"config"_s, "Match host gpu1 exec \"test -e " + QFile::encodeName(path(u"vpn"_s))
                           + "\"\n  HostName vpn.example\n");
    QCOMPARE(ask({{}, u"gpu1"_s, {}})->hostName, u"gpu1"_s);
    write(u"vpn"_s, {});
    QCOMPARE(ask({{}, u"gpu1"_s, {}})->hostName, u"vpn.example"_s);
}

void TstSshConfigResolver::cache_notForErrors()
{
    m_resolver = std::make_unique<SshConfigResolver>(std::make_shared<SshConfigCache>());
    write(u"config"_s, "Host gpu1\n  RevokedHostKeys /revoked\n");
    QVERIFY(!ask({{}, u"gpu1"_s, {}}));
    QVERIFY(!ask({{}, u"gpu1"_s, {}}));
    QCOMPARE(m_resolver->runs(), 2);
}

void TstSshConfigResolver::cache_readsTheFilesOnce()
{
    // An alias costs a look at the files, not the reading of all of them.
    QByteArray text;
    for (int i = 0; i < 4'000; ++i)
        text += "Host host" + QByteArray::number(i) + "\n  HostName 127.0.0.1\n  User root\n";
    write(u"config"_s, text);
    SshConfigCache cache;
    QElapsedTimer timer;
    timer.start();
    const QByteArray stamp = cache.stampOf(path(u"config"_s));
    const qint64 reading = timer.nsecsElapsed();
    QVERIFY(!stamp.isEmpty());
    timer.start();
    for (int i = 0; i < 10; ++i)
        QCOMPARE(cache.stampOf(path(u"config"_s)), stamp);
    QVERIFY2(timer.nsecsElapsed() < reading, qPrintable(u"%1 of %2"_s.arg(timer.nsecsElapsed()).arg(reading)));
    write(u"config"_s, "Match exec true\n");
    QVERIFY(cache.stampOf(path(u"config"_s)).isEmpty());
    QVERIFY(cache.stampOf(path(u"config"_s)).isEmpty());
    write(u"config"_s, text);
    QVERIFY(!cache.stampOf(path(u"config"_s)).isEmpty());
}

void TstSshConfigResolver::cache_letsFewRunAtOnce()
{
    // Each run notes how many there are while it runs.
    QVERIFY(QDir(m_dir->path()).mkdir(u"runs"_s));
    const QString slow = script("cd " + QFile::encodeName(path(u"runs"_s)) + "; : >$$; ls | wc -l >>../counts; "
                                "sleep 0.1; rm $$; exec ssh \"$@\"");
    const auto cache = std::make_shared<SshConfigCache>(3);
    std::vector<std::unique_ptr<SshConfigResolver>> resolvers;
    int answers = 0;
    for (int i = 0; i < 12; ++i) {
        resolvers.push_back(std::make_unique<SshConfigResolver>(cache));
        resolvers.back()->setProgram(slow);
        resolvers.back()->resolve({{}, u"host%1"_s.arg(i), {}}, path(u"config"_s), this,
                                  [&](const Result<ResolvedHost> &host) { answers += host ? 1 : 0; });
    }
    QTRY_COMPARE_WITH_TIMEOUT(answers, 12, 20'000);
    int most = 0;
    QFile counts(path(u"counts"_s));
    QVERIFY(counts.open(QIODevice::ReadOnly));
    for (const QByteArray &line : counts.readAll().split('\n'))
        most = std::max(most, line.trimmed().toInt());
    QCOMPARE(most, 3);
}

void TstSshConfigResolver::cache_asksOnceForWhatManyWant()
{
    const auto cache = std::make_shared<SshConfigCache>(1);
    std::vector<std::unique_ptr<SshConfigResolver>> resolvers;
    int answers = 0;
    for (int i = 0; i < 5; ++i) {
        resolvers.push_back(std::make_unique<SshConfigResolver>(cache));
        resolvers.back()->resolve({{}, u"gpu1"_s, {}}, path(u"config"_s), this,
                                  [&](const Result<ResolvedHost> &host) { answers += host ? 1 : 0; });
    }
    QTRY_COMPARE(answers, 5);
    int runs = 0;
    for (const auto &resolver : resolvers)
        runs += resolver->runs();
    QCOMPARE(runs, 1);
}

void TstSshConfigResolver::cache_waitingResolverMayGo()
{
    const auto cache = std::make_shared<SshConfigCache>(1);
    auto first = std::make_unique<SshConfigResolver>(cache);
    first->setProgram(script("exec sleep 30"));
    auto second = std::make_unique<SshConfigResolver>(cache);
    m_resolver = std::make_unique<SshConfigResolver>(cache);
    int answers = 0;
    const auto count = [&](const Result<ResolvedHost> &host) { answers += host ? 1 : 0; };
    first->resolve({{}, u"gpu1"_s, {}}, path(u"config"_s), this, count);
    second->resolve({{}, u"gpu2"_s, {}}, path(u"config"_s), this, count);
    m_resolver->resolve({{}, u"gpu3"_s, {}}, path(u"config"_s), this, count);
    QTRY_COMPARE(first->runs(), 1);
    second.reset(); // was in the queue
    QTest::qWait(50);
    QCOMPARE(m_resolver->runs(), 0);
    first.reset(); // ran
    QTRY_COMPARE(answers, 1);
    QCOMPARE(m_resolver->runs(), 1);
}

PILOTHOUSE_TEST_MAIN(TstSshConfigResolver)
#include "tst_sshconfigresolver.moc"
