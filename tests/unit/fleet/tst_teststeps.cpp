// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/teststeps.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;
using State = StepResult::State;

class TstTestSteps final : public QObject
{
    Q_OBJECT
private slots:
    void error_belongsToAStep_data();
    void error_belongsToAStep();
    void smi_isJudged_data();
    void smi_isJudged();
    void systemctl_isJudged_data();
    void systemctl_isJudged();
    void rights_areJudged_data();
    void rights_areJudged();
    void failures_sayWhatToDo();
    void exitCode_isTheFirstFailures();
    void names_areTheContracts();
};

void TstTestSteps::error_belongsToAStep_data()
{
    QTest::addColumn<ErrorCode>("code");
    QTest::addColumn<TestStep>("current");
    QTest::addColumn<TestStep>("step");
    using enum ErrorCode;
    const auto row = [](ErrorCode code, TestStep current, TestStep step) {
        QTest::newRow(qPrintable(nameOf(code) + QString::number(int(current)))) << code << current << step;
    };
    row(NameNotResolved, TestStep::Connect, TestStep::Resolve);
    row(SshConfigRefused, TestStep::Resolve, TestStep::Resolve);
    row(ConnectRefused, TestStep::Connect, TestStep::Connect);
    row(NotSsh, TestStep::Connect, TestStep::Connect);
    row(HandshakeFailed, TestStep::Connect, TestStep::Connect);
    row(HostKeyChanged, TestStep::HostKey, TestStep::HostKey);
    row(SignInRefused, TestStep::SignIn, TestStep::SignIn);
    row(ConnectionLost, TestStep::SignIn, TestStep::SignIn);
    row(ConnectionLost, TestStep::Smi, TestStep::Smi);
    row(ChannelRefused, TestStep::Shell, TestStep::Shell);
    row(Timeout, TestStep::Shell, TestStep::Shell);
    row(SignInRefused, TestStep::Connect, TestStep::Connect); // never later than what is under way
}

void TstTestSteps::error_belongsToAStep()
{
    QFETCH(const ErrorCode, code);
    QFETCH(const TestStep, current);
    QFETCH(const TestStep, step);
    QCOMPARE(stepOf(code, current), step);
}

void TstTestSteps::smi_isJudged_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<int>("gpus"); // -1: no list
    QTest::addColumn<QString>("fault");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QString>("words");
    using enum GpuSource::Status;
    QTest::newRow("well") << int(Ok) << 8 << QString() << 0 << u"8 GPUs, driver 590.48.01."_s;
    QTest::newRow("none") << int(Ok) << 0 << QString() << 0 << u"0 GPUs"_s;
    QTest::newRow("fault") << int(Ok) << 8 << u"GPU requires reset"_s << 6 << u"1 with a fault"_s;
    QTest::newRow("absent") << int(Absent) << -1 << QString() << 6 << u"there is no nvidia-smi"_s;
    QTest::newRow("failed") << int(Failed) << -1 << QString() << 6 << u"nvidia-smi failed"_s;
    QTest::newRow("hung") << int(Hung) << -1 << QString() << 6 << u"nvidia-smi hangs"_s;
    QTest::newRow("timeout") << int(Timeout) << -1 << QString() << 6 << u"took too long"_s;
}

void TstTestSteps::smi_isJudged()
{
    QFETCH(const int, status);
    QFETCH(const int, gpus);
    QFETCH(const QString, fault);
    QFETCH(const int, exitCode);
    QFETCH(const QString, words);
    Snapshot snapshot;
    snapshot.gpuSource.status = GpuSource::Status(status);
    snapshot.gpuSource.driverVersion = u"590.48.01"_s;
    snapshot.gpuSource.durationMs = 55.0;
    if (gpus >= 0)
        snapshot.gpus = QList<Gpu>(gpus);
    if (!fault.isEmpty())
        snapshot.gpus->first().fault = fault;
    const StepResult result = judgeSmi(snapshot);
    QCOMPARE(result.state, exitCode == 0 ? State::Done : State::Failed);
    QCOMPARE(exitCodeOf({result}), exitCode);
    QVERIFY2(result.text.contains(words), qPrintable(result.text));
    QCOMPARE(result.durationMs, std::optional(55.0));
}

void TstTestSteps::systemctl_isJudged_data()
{
    QTest::addColumn<QString>("problem");
    QTest::addColumn<bool>("units");
    QTest::addColumn<int>("exitCode");
    QTest::newRow("well") << QString() << true << 0;
    QTest::newRow("absent") << u"systemd.absent"_s << false << 6;
    QTest::newRow("unreachable") << u"systemd.unreachable"_s << false << 6;
    QTest::newRow("section failed") << u"section.units"_s << false << 6;
    QTest::newRow("no list and no reason") << QString() << false << 6;
    QTest::newRow("other problem") << u"gpu.mps"_s << true << 0;
}

void TstTestSteps::systemctl_isJudged()
{
    QFETCH(const QString, problem);
    QFETCH(const bool, units);
    QFETCH(const int, exitCode);
    Snapshot snapshot;
    if (units)
        snapshot.units = QList<Unit>{};
    if (!problem.isEmpty()) {
        Problem p;
        p.code = problem;
        p.text = u"The words of the problem."_s;
        snapshot.problems = {p};
    }
    const StepResult result = judgeSystemctl(snapshot);
    QCOMPARE(exitCodeOf({result}), exitCode);
    if (exitCode != 0 && !problem.isEmpty())
        QCOMPARE(result.text, u"The words of the problem."_s);
}

void TstTestSteps::failures_sayWhatToDo()
{
    const auto with = [](const QString &code) {
        Snapshot snapshot;
        Problem other;
        other.code = u"host.other"_s;
        other.advice = u"Nothing of this."_s;
        Problem problem;
        problem.code = code;
        problem.text = u"It is so."_s;
        problem.advice = u"Do this."_s;
        snapshot.problems = {other, problem};
        snapshot.gpuSource.status = GpuSource::Status::Absent;
        return snapshot;
    };
    const auto says = [](const StepResult &result) {
        return result.state == State::Failed && result.text.endsWith(u". Do this."_s)
            && !result.text.contains(u"Nothing of this"_s);
    };
    QVERIFY(says(judgeSmi(with(u"smi.absent"_s))));
    QVERIFY(says(judgeSmi(with(u"driver.mismatch"_s))));
    Snapshot faulty = with(u"gpu.reset_required"_s);
    faulty.gpus = QList<Gpu>(1);
    faulty.gpus->first().fault = u"GPU requires reset"_s;
    QVERIFY(says(judgeSmi(faulty)));
    QVERIFY(says(judgeSystemctl(with(u"systemd.absent"_s))));
    Snapshot hidden = with(u"host.hidepid"_s);
    hidden.system.hidepid = true;
    QVERIFY(says(judgeRights(hidden, SudoPolicy::Never)));
}

void TstTestSteps::rights_areJudged_data()
{
    QTest::addColumn<bool>("root");
    QTest::addColumn<bool>("hidepid");
    QTest::addColumn<SudoPolicy>("sudo");
    QTest::addColumn<int>("exitCode");
    QTest::newRow("root") << true << false << SudoPolicy::Never << 0;
    QTest::newRow("ordinary") << false << false << SudoPolicy::Never << 0;
    QTest::newRow("hidden") << false << true << SudoPolicy::Never << 6;
    QTest::newRow("root sees all") << true << true << SudoPolicy::NoPassword << 0;
    QTest::newRow("sudo refused") << false << false << SudoPolicy::NoPassword << 6;
}

void TstTestSteps::rights_areJudged()
{
    QFETCH(const bool, root);
    QFETCH(const bool, hidepid);
    QFETCH(const SudoPolicy, sudo);
    QFETCH(const int, exitCode);
    Snapshot snapshot;
    snapshot.system.root = root;
    snapshot.system.hidepid = hidepid;
    QCOMPARE(exitCodeOf({judgeRights(snapshot, sudo)}), exitCode);
}

void TstTestSteps::exitCode_isTheFirstFailures()
{
    StepResult done;
    StepResult keyUnknown{TestStep::HostKey, State::Failed, {}, {}, ErrorCode::HostKeyUnknown, {}};
    StepResult noTool{TestStep::Smi, State::Failed, {}, {}, ErrorCode::ToolMissing, {}};
    QCOMPARE(exitCodeOf(QList<StepResult>{}), 0);
    QCOMPARE(exitCodeOf({done}), 0);
    QCOMPARE(exitCodeOf({done, keyUnknown, noTool}), 5);
    QCOMPARE(exitCodeOf({done, noTool}), 6);
}

void TstTestSteps::names_areTheContracts()
{
    QCOMPARE(nameOf(StepResult{TestStep::HostKey, State::Skipped, {}, {}, {}, {}}), u"host key"_s);
    QCOMPARE(nameOf(StepResult{TestStep::Rights, State::Done, {}, {}, {}, {}}), u"rights"_s);
    QCOMPARE(nameOf(StepResult{TestStep::JumpHost, State::Done, {}, {}, {}, u"bastion"_s}), u"jump host bastion"_s);
    QCOMPARE(nameOf(State::Skipped), u"skipped"_s);
}

PILOTHOUSE_TEST_MAIN(TstTestSteps)
#include "tst_teststeps.moc"
