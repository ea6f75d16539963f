// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// sudo as hosts have it: what it grants, why it refuses, and that a password goes by standard input alone, is asked for
// once, and is never sent twice when it is wrong. Real sudo, real sudoers files, real PAM.
#include "core/probe/prober.h"
#include "core/probe/sudopassword.h"
#include "tests/lab/labmain.h"
#include "tests/lab/testsession.h"
#include "tests/unit/ctl/ctlterminal.h"

#include <QJsonArray>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

/// A probe of an account over a connection of its own, with a person who types `reply`.
class Probe final
{
public:
    Probe(const QString &account, SudoPolicy policy, std::shared_ptr<SudoPassword> password = {})
        : m_session(settingsFor(account + u"@lab1"_s))
    {
        m_settings.host = u"lab1"_s;
        m_settings.target = account + u"@lab1"_s;
        m_settings.consoleId = u"labsudo"_s;
        m_settings.sudo = policy;
        m_settings.askPerson = true;
        m_settings.sudoPassword = password ? std::move(password) : std::make_shared<SudoPassword>();
    }

    /// The first snapshot; null when something failed.
    SnapshotPtr take()
    {
        if (!m_session.attempt())
            return nullptr;
        m_prober = std::make_unique<Prober>(m_session.session(), m_settings);
        QObject::connect(m_prober.get(), &Prober::asked, m_prober.get(), [this](const Question &question) {
            ++questions;
            QTest::qWait(int(thinks.count()));
            m_prober->answer(Answer{question.id, accepted, false, {reply}});
        });
        QObject::connect(m_prober.get(), &Prober::snapshotTaken, m_prober.get(),
                         [this](const SnapshotPtr &taken) { m_snapshot = taken; });
        bool failed = false;
        QObject::connect(m_prober.get(), &Prober::failed, m_prober.get(), [&failed] { failed = true; });
        m_prober->start();
        m_prober->requestSnapshot(Depth::Light);
        (void)QTest::qWaitFor([&] { return m_snapshot || failed; }, 40'000);
        return m_snapshot;
    }
    /// Code and text of what is said about sudo.
    [[nodiscard]] QString trouble() const
    {
        for (const Problem &problem : m_snapshot ? m_snapshot->problems : QList<Problem>()) {
            if (problem.code.startsWith(u"host.sudo_"_s))
                return problem.code + u": "_s + problem.text;
        }
        return {};
    }

    QString reply;
    bool accepted = true;
    std::chrono::milliseconds thinks{0};
    int questions = 0;

private:
    TestSession m_session;
    ProbeSettings m_settings;
    std::unique_ptr<Prober> m_prober;
    SnapshotPtr m_snapshot;
};

} // namespace

class TstLabSudo : public QObject
{
    Q_OBJECT

    const LabHost m_host{1};

    /// Lines of sudo and its PAM stack in the host's journal.
    [[nodiscard]] QByteArray journal() const
    {
        return m_host.sh(u"journalctl --sync; journalctl -o cat _COMM=sudo"_s);
    }

private slots:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(u".*"_s)); }

    void nopasswd_tellsWhatSudoTells_data()
    {
        QTest::addColumn<QString>("account");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("words");
        QTest::newRow("granted") << u"ops"_s << QString() << QString();
        QTest::newRow("root needs none") << u"root"_s << QString() << QString();
        QTest::newRow("a password") << u"asksudo"_s << u"host.sudo_password"_s << u"wants a password"_s;
        QTest::newRow("not in sudoers") << u"nosudo"_s << u"host.sudo_p"_s << u"sudo"_s;
        QTest::newRow("another command") << u"narrow"_s << u"host.sudo_p"_s << u"sudo"_s;
        QTest::newRow("requiretty") << u"ttysudo"_s << u"host.sudo_tty"_s << u"requiretty"_s;
        QTest::newRow("no sudo in its PATH") << u"lostpath"_s << u"host.sudo_missing"_s << u"finds no sudo"_s;
    }

    void nopasswd_tellsWhatSudoTells()
    {
        QFETCH(const QString, account);
        QFETCH(const QString, code);
        QFETCH(const QString, words);
        Probe probe(account, SudoPolicy::NoPassword);
        const SnapshotPtr snapshot = probe.take();
        QVERIFY(snapshot);
        QCOMPARE(snapshot->system.root, code.isEmpty());
        QVERIFY2(probe.trouble().startsWith(code) && probe.trouble().contains(words), qPrintable(probe.trouble()));
        QCOMPARE(probe.trouble().isEmpty(), code.isEmpty());
        QCOMPARE(probe.questions, 0);
    }

    void ask_tellsWhatSudoTells_data()
    {
        QTest::addColumn<QString>("account");
        QTest::addColumn<QString>("reply");
        QTest::addColumn<int>("questions");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("words");
        QTest::newRow("right") << u"asksudo"_s << u"lab-asksudo"_s << 1 << QString() << QString();
        QTest::newRow("wrong") << u"asksudo"_s << u"hunter2"_s << 1 << u"host.sudo_password_again"_s << u"is wrong"_s;
        QTest::newRow("none needed") << u"ops"_s << QString() << 0 << QString() << QString();
        QTest::newRow("root needs none") << u"root"_s << QString() << 0 << QString() << QString();
        QTest::newRow("not in sudoers") << u"nosudo"_s << u"lab-nosudo"_s << 1 << u"host.sudo_policy"_s << u"no rights"_s;
        QTest::newRow("another command") << u"narrowask"_s << u"lab-narrowask"_s << 1 << u"host.sudo_policy"_s
                                         << u"no root shell"_s;
        QTest::newRow("requiretty") << u"ttysudo"_s << QString() << 0 << u"host.sudo_tty"_s << u"requiretty"_s;
        QTest::newRow("no sudo in its PATH") << u"lostpath"_s << QString() << 0 << u"host.sudo_missing"_s
                                             << u"finds no sudo"_s;
        QTest::newRow("a code in place of it") << u"mfa"_s << u"000000"_s << 1
                                               << u"host.sudo_password_again"_s << u"is wrong"_s;
    }

    void ask_tellsWhatSudoTells()
    {
        QFETCH(const QString, account);
        QFETCH(const QString, reply);
        QFETCH(const int, questions);
        QFETCH(const QString, code);
        QFETCH(const QString, words);
        Probe probe(account, SudoPolicy::Ask);
        probe.reply = reply;
        const SnapshotPtr snapshot = probe.take();
        QVERIFY(snapshot);
        QVERIFY2(probe.trouble().startsWith(code) && probe.trouble().contains(words), qPrintable(probe.trouble()));
        QCOMPARE(probe.trouble().isEmpty(), code.isEmpty());
        QCOMPARE(snapshot->system.root, code.isEmpty());
        QCOMPARE(probe.questions, questions);
    }

    void ask_wrongIsTriedOnce()
    {
        const qsizetype before = journal().count("authentication failure");
        Probe probe(u"asksudo"_s, SudoPolicy::Ask);
        probe.reply = u"hunter2"_s;
        QVERIFY(probe.take());
        QVERIFY2(probe.trouble().contains(u"is wrong"_s), qPrintable(probe.trouble()));
        const QByteArray lines = journal();
        QCOMPARE(lines.count("authentication failure"), before + 1);
        QVERIFY(!lines.contains("hunter2"));
    }

    void ask_isNotAskedAgainWithinItsTime()
    {
        const auto password = std::make_shared<SudoPassword>();
        Probe first(u"asksudo"_s, SudoPolicy::Ask, password);
        first.reply = u"lab-asksudo"_s;
        QVERIFY(first.take());
        QCOMPARE(first.questions, 1);
        m_host.sh(u"rm -rf /run/sudo/ts"_s); // sudo's own memory has no part in this
        Probe second(u"asksudo"_s, SudoPolicy::Ask, password);
        const SnapshotPtr snapshot = second.take();
        QVERIFY(snapshot && snapshot->system.root);
        QCOMPARE(second.questions, 0);
    }

    void ask_personMayTakeLongerThanSudoWaits()
    {
        Probe probe(u"hasty"_s, SudoPolicy::Ask);
        probe.reply = u"lab-hasty"_s;
        probe.thinks = 8s; // sudo gives up after six
        const SnapshotPtr snapshot = probe.take();
        QVERIFY(snapshot);
        QVERIFY2(snapshot->system.root, qPrintable(probe.trouble()));
        QCOMPARE(probe.questions, 1);
    }

    void ask_passwordIsNowhereOnTheHost()
    {
        const QString secret = u"lab-asksudo"_s;
        Probe probe(u"asksudo"_s, SudoPolicy::Ask);
        probe.reply = secret;
        const SnapshotPtr snapshot = probe.take();
        QVERIFY(snapshot && snapshot->system.root);
        // Command lines and environments of all processes, files where something may be left, and every log. The pattern
        // is written so that it does not stand in its own command line.
        const QString pattern = u'[' + secret.first(1) + u']' + secret.sliced(1);
        const QByteArray found = m_host.sh(
            u"{ cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'; journalctl --sync; journalctl -o cat; "
            "cat /home/asksudo/.bash_history /tmp/* /var/tmp/* /run/user/*/* 2>/dev/null; } | grep -c -- '%1' || :"_s.arg(pattern));
        QCOMPARE(found.trimmed(), QByteArray("0"));
    }

    void ask_onATerminal_data()
    {
        QTest::addColumn<QByteArray>("typed");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("words");
        QTest::newRow("right") << QByteArray("lab-asksudo\n") << 0 << QByteArray("as root");
        QTest::newRow("wrong") << QByteArray("hunter2\n") << 6 << QByteArray("is wrong");
        QTest::newRow("declined") << QByteArray("\x04") << 6 << QByteArray("none was given");
    }

    void ask_onATerminal()
    {
        QFETCH(const QByteArray, typed);
        QFETCH(const int, code);
        QFETCH(const QByteArray, words);
        CtlTerminal terminal(labFolder() + u"/home"_s);
        QVERIFY(terminal.start({u"test"_s, u"asksudo@lab1"_s, u"--sudo"_s, u"ask"_s, u"--ssh-config"_s,
                                labFolder() + u"/ssh_config"_s}));
        QVERIFY2(terminal.waitFor("Password for sudo"), terminal.shown().constData());
        QVERIFY(!terminal.echoes());
        terminal.type(typed);
        QCOMPARE(terminal.end(), code);
        const QByteArray output = terminal.output();
        QVERIFY2(output.contains(words), output.constData());
        QVERIFY(!terminal.shown().contains(typed.trimmed()) && !output.contains(typed.trimmed()));
    }

    void test_exits6AndSaysWhatToDo_data()
    {
        QTest::addColumn<QString>("account");
        QTest::addColumn<QString>("policy");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("words");
        QTest::newRow("granted") << u"ops"_s << u"nopasswd"_s << 0 << u"as root"_s;
        QTest::newRow("never") << u"nosudo"_s << u"never"_s << 0 << u"An ordinary account"_s;
        QTest::newRow("a password") << u"asksudo"_s << u"nopasswd"_s << 6 << u"--sudo ask"_s;
        QTest::newRow("ask without a terminal") << u"asksudo"_s << u"ask"_s << 6 << u"nobody was asked"_s;
        QTest::newRow("requiretty") << u"ttysudo"_s << u"nopasswd"_s << 6 << u"!requiretty"_s;
        QTest::newRow("missing") << u"lostpath"_s << u"nopasswd"_s << 6 << u"finds no sudo"_s;
    }

    void test_exits6AndSaysWhatToDo()
    {
        QFETCH(const QString, account);
        QFETCH(const QString, policy);
        QFETCH(const int, code);
        QFETCH(const QString, words);
        const Ran ran = ctl({u"test"_s, account + u"@lab1"_s, u"--sudo"_s, policy, u"--json"_s});
        QVERIFY2(ran.exitCode == code, ran.summary().constData());
        const QString text = ran.json().value(u"steps"_s).toArray().last().toObject().value(u"text"_s).toString();
        QVERIFY2(text.contains(words), qPrintable(text));
    }
};

PILOTHOUSE_LAB_TEST_MAIN(TstLabSudo)
#include "tst_labsudo.moc"
