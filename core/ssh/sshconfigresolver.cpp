// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshconfigresolver.h"

#include "core/base/cleantext.h"
#include "core/base/processreap.h"
#include "core/ssh/sshconfig.h"

#include <QProcess>
#include <QThread>
#include <QTimer>

#include <csignal>
#include <sys/resource.h>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxOutput = 1 << 20;
constexpr qsizetype maxMessages = 1 << 16;

/// ssh's own words, as one line: "config line 5: …; config: terminating, 1 bad configuration
/// options".
QString messageOf(const QByteArray &stderrBytes)
{
    QStringList lines;
    for (const QByteArray &raw : stderrBytes.split('\n')) {
        const QString line = cleanLine(QByteArrayView(raw.trimmed()), 300);
        if (!line.isEmpty() && !line.startsWith("Pseudo-terminal"_L1) && lines.size() < 4)
            lines += line;
    }
    return lines.join("; "_L1);
}

Result<void> checkName(const SshTarget &target)
{
    // The rules of parseTarget hold for a target from anywhere: what reaches a command line is
    // checked here again.
    const Result<SshTarget> again = parseTarget(target.display());
    if (!again)
        return fail(again.error());
    if (*again != target)
        return fail(ErrorCode::Usage, u"“%1” cannot be given to ssh."_s.arg(
                                          cleanLine(QStringView(target.display()), 128)));
    return {};
}

/// All that ssh is told.
QString keyOf(const QStringList &arguments)
{
    return arguments.join(u'\n');
}

} // namespace

/// One `ssh -G`. Ends itself; its whole process group goes with it, so that no `Match exec` command
/// stays behind.
class SshConfigResolver::Run final : public QObject
{
public:
    using Done = std::function<void(Result<QByteArray>)>;

    Run(const QString &program, const QStringList &arguments, std::chrono::milliseconds limit,
        Done done, QObject *parent)
        : QObject(parent)
        , m_process(new QProcess)
        , m_limit(limit)
        , m_done(std::move(done))
    {
        m_process->setStandardInputFile(QProcess::nullDevice());
        m_process->setChildProcessModifier([] {
            ::setsid();
            ::setpriority(PRIO_PROCESS, 0, 5); // a thousand of them are not to take the processors from the window
        });
        connect(m_process, &QProcess::readyReadStandardOutput, this, &Run::read);
        connect(m_process, &QProcess::readyReadStandardError, this, &Run::read);
        connect(m_process, &QProcess::errorOccurred, this, &Run::failed);
        connect(m_process, &QProcess::finished, this, &Run::exited);
        connect(&m_timer, &QTimer::timeout, this, &Run::expired);
        m_timer.setSingleShot(true);
        m_timer.start(limit);
        m_process->start(program, arguments, QIODevice::ReadOnly);
    }
    ~Run() override
    {
        // At the thread's or the program's end no event loop runs any more that could tell.
        QProcess *process = m_process;
        leaveProcess();
        if (process && QThread::currentThread()->loopLevel() == 0)
            reapNow(process);
    }

private:
    void read()
    {
        m_output += m_process->readAllStandardOutput();
        m_messages += m_process->readAllStandardError();
        m_messages.truncate(maxMessages);
        if (m_output.size() > maxOutput)
            end(fail(ErrorCode::SshConfigInvalid, u"ssh -G printed more than 1 MiB."_s));
    }

    void failed(QProcess::ProcessError error)
    {
        if (error == QProcess::FailedToStart)
            end(fail(ErrorCode::LocalIo,
                     u"The program ssh cannot be started: %1."_s.arg(m_process->errorString()),
                     u"Install the OpenSSH client."_s));
    }

    void exited(int exitCode, QProcess::ExitStatus status)
    {
        read();
        if (status == QProcess::NormalExit && exitCode == 0) {
            end(m_output);
            return;
        }
        const QString message = messageOf(m_messages);
        // Canonical names make ssh -G ask DNS.
        const bool name = message.contains("Could not resolve hostname"_L1);
        end(fail(name ? ErrorCode::NameNotResolved : ErrorCode::SshConfigInvalid,
                 message.isEmpty() ? u"ssh -G ended with code %1."_s.arg(exitCode) : message));
    }

    void expired()
    {
        end(fail(ErrorCode::Timeout,
                 u"ssh -G did not answer within %1 s."_s.arg(double(m_limit.count()) / 1000.0),
                 u"Does a “Match exec” of the SSH configuration hang?"_s));
    }

    void end(Result<QByteArray> result)
    {
        if (!m_done)
            return;
        m_timer.stop();
        const Done done = std::exchange(m_done, {});
        leaveProcess();
        deleteLater();
        done(std::move(result));
    }

    /// A process that was ended is gone in a moment, but only the event loop can tell.
    void leaveProcess()
    {
        QProcess *process = std::exchange(m_process, nullptr);
        if (!process)
            return;
        process->disconnect(this);
        // The group outlives its leader while a command of Match exec runs.
        if (const qint64 group = process->processId(); group > 1) {
            ::kill(-pid_t(group), SIGKILL);
            process->kill(); // it may not have its group yet
        }
        reapWhenEnded(process);
    }

    QProcess *m_process; ///< owned; outlives this object only to be reaped
    QTimer m_timer;
    std::chrono::milliseconds m_limit;
    QByteArray m_output;
    QByteArray m_messages;
    Done m_done;
};

SshConfigResolver::SshConfigResolver(std::shared_ptr<SshConfigCache> cache, QObject *parent)
    : QObject(parent)
    , m_cache(std::move(cache))
    , m_program(u"ssh"_s)
{ }

SshConfigResolver::~SshConfigResolver() = default;

void SshConfigResolver::setProgram(const QString &program)
{
    m_program = program;
}

void SshConfigResolver::setLimit(std::chrono::milliseconds limit)
{
    m_limit = limit;
}

void SshConfigResolver::finish(const QPointer<QObject> &context, Callback done,
                               Result<ResolvedHost> result)
{
    QMetaObject::invokeMethod(
        this,
        [context, done = std::move(done), result = std::move(result)] {
            if (context)
                done(result);
        },
        Qt::QueuedConnection);
}

void SshConfigResolver::resolve(const SshTarget &target, const QString &configFile,
                                QObject *context, Callback done, const QString &jump)
{
    const QPointer<QObject> guard(context);
    if (Result<void> name = checkName(target); !name) {
        finish(guard, std::move(done), fail(name.error()));
        return;
    }
    QStringList arguments{u"-G"_s};
    if (!configFile.isEmpty())
        arguments << u"-F"_s << configFile;
    if (target.port)
        arguments << u"-p"_s << QString::number(*target.port);
    if (!target.user.isEmpty())
        arguments << u"-l"_s << target.user;
    if (!jump.isEmpty())
        arguments << u"-J"_s << jump;
    arguments << u"--"_s << target.host;

    Request request{guard, std::move(done), arguments, target.host, configFile, nullptr};
    if (m_cache && finishFromCache(request, m_cache->stampOf(configFile)))
        return;
    const quint64 id = ++m_lastRequest;
    Request &waiting = m_requests.emplace(id, std::move(request)).first->second;
    if (m_cache)
        waiting.place = m_cache->enter([turns = m_turns.sender(), id] { turns.push(id); });
    else
        run(id);
}

bool SshConfigResolver::finishFromCache(const Request &request, const QByteArray &stamp)
{
    if (stamp.isEmpty())
        return false;
    std::optional<ResolvedHost> known = m_cache->find(keyOf(request.arguments), stamp);
    if (known)
        finish(request.context, request.done, *std::move(known));
    return known.has_value();
}

void SshConfigResolver::run(quint64 id)
{
    const auto waiting = m_requests.find(id);
    const Request &request = waiting->second;
    // Before ssh reads the files: what it says belongs to this stamp or to none that comes again.
    const QByteArray stamp = m_cache ? m_cache->stampOf(request.configFile) : QByteArray();
    if (!request.context || finishFromCache(request, stamp)) { // another one has asked meanwhile
        m_requests.erase(waiting);
        return;
    }
    ++m_runs;
    // Owned by this object, so that nothing outlives the resolver.
    new Run(m_program, request.arguments, m_limit,
            [this, id, stamp](const Result<QByteArray> &output) { answered(id, stamp, output); }, this);
}

void SshConfigResolver::answered(quint64 id, const QByteArray &stamp, const Result<QByteArray> &output)
{
    const Request request = std::move(m_requests.extract(id).mapped()); // and its place goes to the next
    Result<ResolvedHost> host = output.and_then([&](const QByteArray &text) {
        return parseSshConfig(text, request.alias, LocalIdentity::current());
    });
    if (host) {
        if (Result<void> allowed = checkSshConfig(*host); !allowed)
            host = fail(allowed.error());
        else
            host->all.clear(); // only the check wants all that was printed
    }
    if (host && !stamp.isEmpty())
        m_cache->store(keyOf(request.arguments), stamp, *host);
    finish(request.context, request.done, std::move(host)); // not from inside the process's own signal
}

} // namespace pilothouse

#include "moc_sshconfigresolver.cpp"
