// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/jump/commandroute.h"

#include "core/base/cleantext.h"
#include "core/base/processreap.h"
#include "core/ssh/jump/bytestream.h"
#include "core/ssh/jump/forwardchannel.h"
#include "core/ssh/jump/jumpspec.h"
#include "core/ssh/socketoptions.h"

#include <QFile>
#include <QProcess>
#include <QTimer>

#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostMessages = 1 << 14;
constexpr qint64 mostWaiting = 128 * 1024; // for the command's input
constexpr std::chrono::milliseconds forGoodbye{300}; // between SIGHUP and SIGKILL, and from the last byte to the exit

void signalGroup(const QProcess &process, int signal)
{
    // Only while it is not reaped: its number is its own until then.
    if (const qint64 group = process.processId(); process.state() != QProcess::NotRunning && group > 1)
        ::kill(-pid_t(group), signal);
}

/// Ended as ssh ends it, and soon after by force.
void leave(QProcess *process)
{
    const auto kill = [process] { signalGroup(*process, SIGKILL); };
    if (process->state() != QProcess::NotRunning) {
        process->closeWriteChannel();
        signalGroup(*process, SIGHUP);
        QTimer::singleShot(forGoodbye, process, kill);
    }
    reapWhenEnded(process, kill);
}

class CommandRoute final : public QObject, public Route
{
public:
    CommandRoute(const RouteRequest &request, RouteListener listener)
        : m_listener(std::move(listener))
        , m_address(request.host.hostName)
    {
        const Result<void> started = start(request.host);
        // Never from inside: the session does not have its route yet.
        QMetaObject::invokeMethod(this, [this] { tell(); }, Qt::QueuedConnection);
        if (!started)
            m_failure = started.error();
    }
    ~CommandRoute() override
    {
        m_output.reset();
        m_input.reset();
        if (QProcess *process = std::exchange(m_process, nullptr)) {
            process->disconnect(this);
            leave(process);
        }
    }

    void answer(Answer) override { }
    void settled() override { m_settled = true; }
    [[nodiscard]] std::optional<Error> failure() const override { return m_failure; }
    [[nodiscard]] QString remark() const override
    {
        return u"The way is a ProxyCommand%1"_s.arg(m_messages.isEmpty() ? u"."_s : u", which says: "_s + messages());
    }

private:
    [[nodiscard]] Result<void> start(const ResolvedHost &host);
    void run(const QString &command, int output);
    void tell();
    void moveIn();
    void readMessages();
    [[nodiscard]] QString messages() const;
    void ended(const QString &how);
    void fall(Error error);
    void exited(int exitCode, QProcess::ExitStatus status);

    RouteListener m_listener;
    QString m_address;
    QProcess *m_process = nullptr; ///< owned; outlives this object only to be ended
    OwnedDescriptor m_far;
    OwnedDescriptor m_end;         ///< ours of the pair
    OwnedDescriptor m_stdout;      ///< what the command writes
    std::unique_ptr<ByteStream> m_output;
    std::unique_ptr<QSocketNotifier> m_input;
    QByteArray m_messages;
    bool m_settled = false;
    std::optional<Error> m_failure;
};

Result<void> CommandRoute::start(const ResolvedHost &host)
{
    const Result<QString> command = withProxyTokens(host.proxyCommand, host);
    if (!command)
        return fail(ErrorCode::SshConfigInvalid,
                    u"The ProxyCommand of %1 cannot be used: %2"_s.arg(cleanLine(host.alias, 128),
                                                                      command.error().detail));
    std::array<int, 2> pair{-1, -1};
    std::array<int, 2> out{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair.data()) != 0)
        return fail(ErrorCode::LocalIo, u"No socket for the ProxyCommand: %1."_s.arg(errnoText(errno)));
    m_end = OwnedDescriptor(pair[0]);
    m_far = OwnedDescriptor(pair[1]);
    if (::pipe2(out.data(), O_CLOEXEC) != 0)
        return fail(ErrorCode::LocalIo, u"No pipe for the ProxyCommand: %1."_s.arg(errnoText(errno)));
    m_stdout = OwnedDescriptor(out[0]);
    const OwnedDescriptor childs(out[1]); // the command's alone, once it runs
    setNonBlocking(m_stdout.fd());
    run(*command, childs.fd());

    // When the command closes its output it mostly ends, too, and then there is more to say.
    m_output = std::make_unique<ByteStream>(m_stdout.fd(), m_end.fd(), [this] {
        QTimer::singleShot(forGoodbye, this, [this] { ended(u"closed its output"_s); });
    });
    m_input = std::make_unique<QSocketNotifier>(m_end.fd(), QSocketNotifier::Read);
    connect(m_input.get(), &QSocketNotifier::activated, this, [this] { moveIn(); });
    return {};
}

void CommandRoute::run(const QString &command, int output)
{
    QString shell = qEnvironmentVariable("SHELL");
    if (shell.isEmpty())
        shell = u"/bin/sh"_s;
    m_process = new QProcess;
    m_process->setStandardOutputFile(QProcess::nullDevice());
    m_process->setChildProcessModifier([output] {
        // A group of its own, to be ended as a whole, and no terminal on which it could ask behind our back.
        ::setsid();
        ::signal(SIGPIPE, SIG_DFL);
        ::dup2(output, STDOUT_FILENO);
    });
    connect(m_process, &QProcess::readyReadStandardError, this, &CommandRoute::readMessages);
    connect(m_process, &QProcess::bytesWritten, this, [this] {
        if (m_input)
            m_input->setEnabled(m_process->bytesToWrite() < mostWaiting);
    });
    connect(m_process, &QProcess::finished, this, &CommandRoute::exited);
    connect(m_process, &QProcess::errorOccurred, this, [this, shell](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            fall({ErrorCode::LocalIo,
                  u"The shell %1 for the ProxyCommand cannot be started: %2."_s.arg(
                      cleanLine(shell, 200), cleanLine(m_process->errorString(), 200)),
                  {}});
    });
    m_process->start(shell, {u"-c"_s, u"exec "_s + command}, QIODevice::ReadWrite);
}

void CommandRoute::tell()
{
    // The listener may destroy this: a copy is called, and nothing is touched after it.
    const auto done = m_listener.done;
    if (m_failure)
        done(fail(*m_failure));
    else
        done(Connection{m_far.release(), m_address});
}

/// From the session to the command.
void CommandRoute::moveIn()
{
    QByteArray bytes(32 * 1024, Qt::Uninitialized);
    const ssize_t count = ::recv(m_end.fd(), bytes.data(), static_cast<size_t>(bytes.size()), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count <= 0) { // the session is over, and this with it soon
        m_input->setEnabled(false);
        m_process->closeWriteChannel();
        return;
    }
    bytes.truncate(count);
    m_process->write(bytes);
    m_input->setEnabled(m_process->bytesToWrite() < mostWaiting);
}

void CommandRoute::readMessages()
{
    m_messages += m_process->readAllStandardError();
    m_messages = m_messages.right(mostMessages);
}

/// The last lines of what it wrote to standard error, as one.
QString CommandRoute::messages() const
{
    QStringList lines;
    for (const QByteArray &raw : m_messages.split('\n')) {
        if (const QString line = cleanLine(QByteArrayView(raw.trimmed()), 200); !line.isEmpty())
            lines += line;
    }
    const QString text = lines.mid(qMax(qsizetype(0), lines.size() - 3)).join(u"; "_s);
    return text.endsWith(u'.') ? text : text + u'.';
}

void CommandRoute::exited(int exitCode, QProcess::ExitStatus status)
{
    ended(status == QProcess::CrashExit ? u"was ended by signal %1"_s.arg(exitCode)
                                        : u"ended with exit code %1"_s.arg(exitCode));
}

void CommandRoute::ended(const QString &how)
{
    if (m_failure || !m_output)
        return;
    readMessages();
    m_output->move(); // what it wrote last
    fall({m_settled ? ErrorCode::ConnectionLost : ErrorCode::Unreachable,
          m_messages.isEmpty() ? u"the ProxyCommand %1."_s.arg(how) : u"the ProxyCommand %1: %2"_s.arg(how, messages()),
          {}});
}

void CommandRoute::fall(Error error)
{
    m_failure = std::move(error);
    m_output.reset();
    m_input.reset();
    m_end = OwnedDescriptor(); // the session sees the end after the reason for it
}

} // namespace

std::unique_ptr<Route> makeCommandRoute(const RouteRequest &request, RouteListener listener)
{
    return std::make_unique<CommandRoute>(request, std::move(listener));
}

} // namespace pilothouse
