// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Signals to processes of this machine that the test started: the right ones, and no other.
#include "core/actions/actionscript.h"
#include "tests/support/skip.h"
#include "tests/support/testmain.h"
#include "tests/unit/actions/actionrig.h"

#include <QDir>

#include <sys/stat.h>
#include <unistd.h>

using namespace pilothouse;
using namespace pilothouse::test;

using Kind = ActionRequest::Kind;
using What = ProcessOutcome::What;

class TstSignals final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void term_endsTheNamedAlone_data() { ways(); }
    void term_endsTheNamedAlone();
    void reusedNumber_isNotTouched_data() { ways(); }
    void reusedNumber_isNotTouched();
    void imitatingTitle_isNotTouched();
    void ignoredTerm_thenKill();
    void nobodyThere_isGone();
    void ownShellsAndAbove_areRefused();
    void processOne_isNeverWrittenIntoAScript();
    void changedUserOrGroup_wantsAFreshLook();
    void leaderGoneWithThreads_isReached();
    void zombie_isGone();
    void anothersProcess_isDenied();
    void otherBoot_nothingIsDone();
    void halfAScript_doesNothing();

private:
    static void ways()
    {
        QTest::addColumn<QString>("way");
        QTest::newRow("perl") << u"perl"_s;
        QTest::newRow("python") << u"python"_s;
        QTest::newRow("shell") << u"shell"_s;
    }
    /// A host that has no better way than this one.
    void allow(ActionRig &rig, const QString &way) const
    {
        if (way != "perl"_L1)
            rig.provider.environment.insert(u"PATH"_s, m_tools.filePath(way));
    }

    QTemporaryDir m_tools;
};

void TstSignals::initTestCase()
{
    QVERIFY(::chmod(qPrintable(m_tools.path()), 0755) == 0);
    for (const QString &way : {u"python"_s, u"shell"_s}) {
        QVERIFY(QDir().mkpath(m_tools.filePath(way)));
        const auto names = QDir(u"/usr/bin"_s).entryList(QDir::Files | QDir::System);
        for (const QString &name : names) {
            if (!name.startsWith(u"perl"_s) && (way == "python"_L1 || !name.startsWith(u"python"_s)))
                (void)QFile::link(u"/usr/bin/"_s + name, m_tools.filePath(way + u'/' + name));
        }
    }
}

void TstSignals::term_endsTheNamedAlone()
{
    QFETCH(const QString, way);
    ActionRig rig;
    allow(rig, way);
    Victim first;
    Victim second;
    Victim bystander; // the same command, user and parent
    const ActionResult result = rig.run(Kind::Terminate, {first.target(), second.target()});
    QVERIFY2(result.answer, result.error ? qPrintable(sentenceOf(*result.error)) : "");
    QCOMPARE(result.answer->lock, ActionAnswer::Lock::Mine);
    QCOMPARE(result.answer->way, way);
    QCOMPARE(result.answer->processes.at(0), (ProcessOutcome{first.target().identity, What::Signalled}));
    QCOMPARE(result.answer->processes.at(1), (ProcessOutcome{second.target().identity, What::Signalled}));
    QTRY_VERIFY(!first.isAlive() && !second.isAlive());
    QCOMPARE(rig.outcome(Kind::Look, first.target()), What::Gone);
    QCOMPARE(rig.outcome(Kind::Look, bystander.target()), What::Alive);
    QVERIFY(bystander.isAlive());
}

void TstSignals::reusedNumber_isNotTouched()
{
    QFETCH(const QString, way);
    ActionRig rig;
    allow(rig, way);
    Victim stranger;
    SignalTarget sampled = stranger.target();
    sampled.identity.start.value -= 1; // whoever was sampled had this number before
    QCOMPARE(rig.outcome(Kind::Kill, sampled), What::Other);
    Victim meant; // of two that were sampled one is still the same: it alone is ended
    const ActionResult result = rig.run(Kind::Kill, {sampled, meant.target()});
    QVERIFY(result.answer);
    QCOMPARE(result.answer->processes.at(0).what, What::Other);
    QCOMPARE(result.answer->processes.at(1).what, What::Signalled);
    QTRY_VERIFY(!meant.isAlive());
    QVERIFY(stranger.isAlive());
}

void TstSignals::imitatingTitle_isNotTouched()
{
    ActionRig rig;
    Victim meant({u"/bin/bash"_s, u"-c"_s, u"exec -a VLLM::Worker_TP0 /bin/sleep 300"_s});
    Victim imitator({u"/bin/bash"_s, u"-c"_s, u"exec -a VLLM::Worker_TP0 /bin/sleep 300"_s});
    Victim mentions({u"/bin/sh"_s, u"-c"_s, u"read x; : VLLM::Worker_TP0"_s});
    QCOMPARE(rig.outcome(Kind::Kill, meant.target()), What::Signalled);
    QTRY_VERIFY(!meant.isAlive());
    QVERIFY(imitator.isAlive() && mentions.isAlive());
}

void TstSignals::ignoredTerm_thenKill()
{
    ActionRig rig;
    Victim stubborn({u"/bin/sh"_s, u"-c"_s, u"trap '' TERM; echo up; read x"_s}, "up");
    QCOMPARE(rig.outcome(Kind::Terminate, stubborn.target()), What::Signalled);
    QTest::qWait(200);
    QCOMPARE(rig.outcome(Kind::Look, stubborn.target()), What::Alive);
    QVERIFY(stubborn.isAlive());
    QCOMPARE(rig.outcome(Kind::Kill, stubborn.target()), What::Signalled);
    QTRY_VERIFY(!stubborn.isAlive());
    QCOMPARE(rig.outcome(Kind::Look, stubborn.target()), What::Gone);
}

void TstSignals::nobodyThere_isGone()
{
    ActionRig rig;
    SignalTarget target;
    {
        Victim ended;
        target = ended.target();
    }
    QCOMPARE(rig.outcome(Kind::Kill, target), What::Gone);
}

void TstSignals::ownShellsAndAbove_areRefused()
{
    ActionRig rig;
    SignalTarget self;
    self.identity = {Pid{::getpid()}, StartTicks{Victim::startOf(::getpid())}}; // stands above the action's shell
    QCOMPARE(rig.outcome(Kind::Terminate, self), What::Refused);
    if (::getppid() > 1) {
        self.identity = {Pid{::getppid()}, StartTicks{Victim::startOf(::getppid())}};
        QCOMPARE(rig.outcome(Kind::Look, self), What::Refused);
    }
}

void TstSignals::processOne_isNeverWrittenIntoAScript()
{
    ActionRig rig;
    for (const qint64 pid : {1, 0, -1, -4242}) {
        SignalTarget target;
        target.identity = {Pid{pid}, StartTicks{1}};
        const ActionResult result = rig.run(Kind::Kill, {target});
        QVERIFY(result.error && result.error->code == ErrorCode::RefusedBySafety);
        QVERIFY(!result.sent);
    }
    QCOMPARE(rig.provider.opened, 0);
    QCOMPARE(rig.audit().size(), 0);
}

void TstSignals::changedUserOrGroup_wantsAFreshLook()
{
    ActionRig rig;
    Victim victim;
    SignalTarget target = victim.target();
    target.uid = qint64(::getuid()) + 7;
    QCOMPARE(rig.outcome(Kind::Kill, target), What::Changed);
    target.uid = ::getuid();
    target.cgroup = u"/system.slice/other.service"_s;
    QCOMPARE(rig.outcome(Kind::Kill, target), What::Changed);
    QVERIFY(victim.isAlive());
    const QByteArray line = contentsOf(u"/proc/self/cgroup"_s).split('\n').value(0);
    target.cgroup = QString::fromUtf8(line.mid(line.indexOf(':', line.indexOf(':') + 1) + 1));
    QCOMPARE(rig.outcome(Kind::Kill, target), What::Signalled);
    QTRY_VERIFY(!victim.isAlive());
}

void TstSignals::leaderGoneWithThreads_isReached()
{
    ActionRig rig;
    Victim victim({QStringLiteral(PILOTHOUSE_SLEEPER), u"zombie-leader"_s}, "ready");
    QTRY_COMPARE(contentsOf(u"/proc/%1/stat"_s.arg(victim.target().identity.pid.value)).count(") Z "), 1);
    QCOMPARE(rig.outcome(Kind::Look, victim.target()), What::Alive);
    QCOMPARE(rig.outcome(Kind::Kill, victim.target()), What::Signalled);
    QTRY_VERIFY(!victim.isAlive());
}

void TstSignals::zombie_isGone()
{
    ActionRig rig;
    Victim parent({u"/bin/bash"_s, u"-c"_s, u"sleep 0.2 & echo $!; exec sleep 300"_s}); // nobody reaps its child
    QVERIFY(parent.process().waitForReadyRead(5'000));
    const qint64 pid = parent.process().readAllStandardOutput().trimmed().toLongLong();
    SignalTarget target;
    target.identity = {Pid{pid}, StartTicks{Victim::startOf(pid)}};
    QTRY_COMPARE(contentsOf(u"/proc/%1/stat"_s.arg(pid)).count(") Z "), 1);
    QCOMPARE(rig.outcome(Kind::Kill, target), What::Gone);
}

void TstSignals::anothersProcess_isDenied()
{
    if (::getuid() != 0)
        PILOTHOUSE_SKIP("needs root, to be somebody else");
    for (const QString &way : {u"perl"_s, u"python"_s, u"shell"_s}) {
        ActionRig rig;
        allow(rig, way);
        QTemporaryDir home;
        QVERIFY(::chown(qPrintable(home.path()), 65534, 65534) == 0);
        rig.provider.environment.insert(u"HOME"_s, home.path());
        rig.provider.environment.remove(u"XDG_RUNTIME_DIR"_s);
        rig.provider.command = {u"/usr/bin/setpriv"_s, u"--reuid=65534"_s, u"--regid=65534"_s, u"--clear-groups"_s, u"/bin/sh"_s};
        Victim victim;
        QCOMPARE(rig.outcome(Kind::Kill, victim.target()), What::Denied);
        QVERIFY(victim.isAlive());
    }
}

void TstSignals::otherBoot_nothingIsDone()
{
    ActionRig rig;
    Victim victim;
    ActionRequest request = ActionRig::request(Kind::Kill, {victim.target()});
    request.bootId = u"00000000-0000-0000-0000-000000000000"_s;
    const ActionResult result = rig.run(request);
    QVERIFY(result.answer);
    QCOMPARE(result.answer->lock, ActionAnswer::Lock::OtherBoot);
    QCOMPARE(result.answer->processes.first().what, What::Gone);
    QTest::qWait(100);
    QVERIFY(victim.isAlive());
    request.bootId.clear();
    const ActionResult unknown = rig.run(request);
    QVERIFY(unknown.error && unknown.error->code == ErrorCode::RefusedBySafety);
}

/// The link is cut while the script is on its way: the shell reads what came, to its end.
void TstSignals::halfAScript_doesNothing()
{
    ActionRig rig;
    Victim victim;
    const auto script = actionScript(ActionRig::request(Kind::Kill, {victim.target()}), rig.actor, "ab12");
    QVERIFY(script);
    const QByteArray lastLines = "perform\nexit\n";
    QVERIFY(script->endsWith(lastLines));
    for (const qsizetype length : {script->size() / 3, script->size() / 2, script->size() - lastLines.size()}) {
        QProcess shell;
        shell.setProcessEnvironment(rig.provider.environment);
        shell.start(u"/bin/sh"_s, {u"-s"_s, u"pilothouse-probe"_s, u"1"_s, u"2"_s, u"action"_s});
        shell.write(script->left(length));
        shell.closeWriteChannel();
        QVERIFY(shell.waitForFinished(10'000));
        QVERIFY(!shell.readAllStandardOutput().contains("@PH"));
        QVERIFY(victim.isAlive());
    }
    QVERIFY(!QFile::exists(rig.runFile(u"pilothouse.lock"_s)));
}

PILOTHOUSE_TEST_MAIN(TstSignals)
#include "tst_signals.moc"
