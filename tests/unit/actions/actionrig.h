// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Actions in shells of this machine, on processes that the test started itself. For tests only, in the test's thread.

#include "core/actions/actionrunner.h"
#include "core/audit/auditlog.h"
#include "tests/support/localshell.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <vector>

namespace pilothouse::test {

using namespace Qt::StringLiterals;

[[nodiscard]] inline QByteArray contentsOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

[[nodiscard]] inline QString bootId()
{
    return QString::fromLatin1(contentsOf(u"/proc/sys/kernel/random/boot_id"_s)).trimmed();
}

/// A process that the test owns, with its identity.
class Victim final
{
public:
    explicit Victim(const QStringList &command = {u"/bin/sleep"_s, u"300"_s}, const QByteArray &waitFor = {})
    {
        m_process.start(command.first(), command.sliced(1));
        if (!m_process.waitForStarted(5'000))
            qWarning("cannot start %s", qPrintable(command.first()));
        while (!waitFor.isEmpty() && !m_said.contains(waitFor) && m_process.waitForReadyRead(5'000))
            m_said += m_process.readAllStandardOutput();
        m_target.identity = {Pid{m_process.processId()}, StartTicks{startOf(m_process.processId())}};
        m_target.name = command.join(u' ');
    }
    ~Victim()
    {
        if (m_process.state() != QProcess::NotRunning) {
            m_process.kill();
            m_process.waitForFinished(5'000);
        }
    }
    Q_DISABLE_COPY_MOVE(Victim)

    [[nodiscard]] const SignalTarget &target() const { return m_target; }
    [[nodiscard]] bool isAlive() const { return m_process.state() != QProcess::NotRunning; }
    [[nodiscard]] QProcess &process() { return m_process; }

    [[nodiscard]] static quint64 startOf(qint64 pid)
    {
        const QByteArray stat = contentsOf(u"/proc/%1/stat"_s.arg(pid));
        return stat.mid(stat.lastIndexOf(')') + 2).split(' ').value(19).toULongLong();
    }

private:
    QProcess m_process;
    QByteArray m_said;
    SignalTarget m_target;
};

/// A console with its own state folder and a host's run folder that is not this machine's.
class ActionRig final
{
public:
    ActionRig()
    {
        actor.console = u"a"_s.repeated(32);
        actor.person = u"ada@desk"_s;
        actor.host = u"gpu1"_s;
        actor.auditFolder = m_state.path();
        provider.environment.insert(u"PILOTHOUSE_RUN"_s, m_run.path());
        provider.environment.insert(u"XDG_RUNTIME_DIR"_s, m_run.path());
        ways.target = u"root@10.0.0.5:22"_s;
        QObject::connect(&runner, &ActionRunner::done, &runner,
                         [this](quint64, const ActionResult &result) { results.push_back(result); });
    }

    [[nodiscard]] static ActionRequest request(ActionRequest::Kind kind, const QList<SignalTarget> &targets = {})
    {
        ActionRequest request;
        request.kind = kind;
        request.bootId = bootId();
        request.targets = targets;
        request.what = u"a test"_s;
        return request;
    }
    ActionResult run(const ActionRequest &request)
    {
        const size_t before = results.size();
        runner.run(++m_id, request, actor, ways);
        if (!QTest::qWaitFor([&] { return results.size() > before; }, 20'000))
            return {std::nullopt, Error{ErrorCode::Internal, u"the action never ended"_s, {}}, false, {}};
        return results.back();
    }
    ActionResult run(ActionRequest::Kind kind, const QList<SignalTarget> &targets = {}) { return run(request(kind, targets)); }
    /// What became of the only target.
    ProcessOutcome::What outcome(ActionRequest::Kind kind, const SignalTarget &target)
    {
        const ActionResult result = run(kind, {target});
        if (!result.answer || result.answer->processes.size() != 1) {
            QTest::qFail(qPrintable(result.error ? sentenceOf(*result.error) : u"no answer"_s), __FILE__, __LINE__);
            return ProcessOutcome::What::Untold;
        }
        return result.answer->processes.first().what;
    }
    [[nodiscard]] QList<AuditRecord> audit() const { return AuditLog(m_state.path()).last(100).value_or(QList<AuditRecord>()); }
    [[nodiscard]] QString runFile(const QString &name) const { return m_run.filePath(name); }

    Actor actor;
    ActionWays ways;
    LocalShellProvider provider;
    ActionRunner runner{provider};
    std::vector<ActionResult> results;

private:
    QTemporaryDir m_state;
    QTemporaryDir m_run;
    quint64 m_id = 0;
};

} // namespace pilothouse::test
