// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/jump/forwardchannel.h"

#include "core/base/cleantext.h"
#include "core/ssh/socketoptions.h"

#include <array>
#include <cerrno>

#include <sys/socket.h>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype part = 32 * 1024;

/// The reason and the peer's own words behind libssh's fixed beginning, "Channel opening failure: channel N error (R)
/// ".
struct Refusal
{
    int reason = 0;
    QString words;
};

Refusal refusalOf(const char *text)
{
    const QString line = cleanLine(QByteArrayView(text), 400);
    const qsizetype open = line.startsWith("Channel opening failure: "_L1) ? line.indexOf(u'(') : -1;
    const qsizetype close = open < 0 ? -1 : line.indexOf(u')', open);
    if (close < 0)
        return {};
    return {QStringView(line).mid(open + 1, close - open - 1).toInt(), line.mid(close + 1).trimmed()};
}

/// All of them end the attempt alike; the words decide only how it is called.
ErrorCode codeOf(const QString &words)
{
    const auto says = [&](const char *word) { return words.contains(QLatin1StringView(word), Qt::CaseInsensitive); };
    if (says("unknown host") || says("resolve") || says("not known"))
        return ErrorCode::NameNotResolved;
    if (says("timed out"))
        return ErrorCode::ConnectTimeout;
    if (says("refused") || says("no such file"))
        return ErrorCode::ConnectRefused;
    return ErrorCode::Unreachable;
}

Error farRefusal(ErrorCode code, const QString &where, const QString &words)
{
    const QString why = code == ErrorCode::NameNotResolved ? u"does not find the address of"_s
        : code == ErrorCode::ConnectRefused                ? u"answered that nothing listens at"_s
                                                           : u"cannot reach"_s;
    return {code, u"%1 %2 (%3)."_s.arg(why, where, words), {}};
}

} // namespace

QString WayTarget::display() const
{
    if (!socket.isEmpty())
        return u"socket %1"_s.arg(cleanLine(socket, 255));
    return u"%1 port %2"_s.arg(cleanLine(hostName, 255)).arg(port);
}

ForwardChannel::ForwardChannel(std::shared_ptr<LibsshApi> api, const WayTarget &target, OwnedDescriptor near,
                               std::function<void()> wake, Listener listener)
    : m_holdsApi(std::move(api))
    , m_api(*m_holdsApi)
    , m_target(target)
    , m_hostName(target.socket.isEmpty() ? target.hostName.toUtf8() : target.socket.toUtf8())
    , m_near(std::move(near))
    , m_wake(std::move(wake))
    , m_listener(std::move(listener))
{
}

ForwardChannel::~ForwardChannel()
{
    closeEnd();
    releaseHandle();
}

void ForwardChannel::abandon()
{
    m_listener = {};
    finish({});
    m_toTell.reset();
    m_wake();
}

void ForwardChannel::begin(ssh_session session, Clock::time_point deadline)
{
    if (m_state != State::Waiting)
        return;
    m_session = session;
    m_deadline = deadline;
    m_channel = m_api.channelNew(session);
    if (!m_channel) {
        finish(Error{ErrorCode::ChannelRefused, u"No channel can be made."_s, {}});
        return;
    }
    installCallbacks();
    m_state = State::Opening;
}

void ForwardChannel::installCallbacks()
{
    // Notes only. Data stays in libssh's buffer until the pair takes it, so that the peer's window closes in time.
    m_callbacks = {};
    m_callbacks.userdata = this;
    m_callbacks.channel_data_function = [](ssh_session, ssh_channel, void *, uint32_t length, int isError, void *self) {
        if (isError)
            return static_cast<int>(length);
        static_cast<ForwardChannel *>(self)->m_hasData = true;
        return 0;
    };
    m_callbacks.channel_eof_function
        = [](ssh_session, ssh_channel, void *self) { static_cast<ForwardChannel *>(self)->m_remoteEof = true; };
    m_callbacks.channel_close_function
        = [](ssh_session, ssh_channel, void *self) { static_cast<ForwardChannel *>(self)->m_remoteClosed = true; };
    ssh_callbacks_init(&m_callbacks);
    m_api.channelSetCallbacks(m_channel, &m_callbacks);
}

Error ForwardChannel::refusal() const
{
    const QString where = m_target.display();
    const Refusal refusal = refusalOf(m_api.errorText(m_session));
    const QString words = refusal.words.isEmpty() ? u"no reason given"_s : refusal.words;
    constexpr int prohibited = 1; // reasons of RFC 4254, 5.1
    constexpr int connectFailed = 2;
    if (refusal.reason == prohibited)
        return {ErrorCode::NoRights,
                u"it does not allow this account to be forwarded to %1 (%2)."_s.arg(where, words),
                m_target.socket.isEmpty()
                    ? u"AllowTcpForwarding and PermitOpen of its sshd_config, or options of the key, forbid it."_s
                    : u"AllowStreamLocalForwarding of its sshd_config, or options of the key, forbid it."_s};
    if (refusal.reason == connectFailed)
        return farRefusal(codeOf(words), where, words);
    return {ErrorCode::ChannelRefused, u"it opens no way to %1 (%2)."_s.arg(where, words),
            u"Its limits are reached, or it forwards nothing."_s};
}

int ForwardChannel::openChannel()
{
    return m_target.socket.isEmpty()
        ? m_api.channelOpenForward(m_channel, m_hostName.constData(), m_target.port)
        : m_api.channelOpenForwardUnix(m_channel, m_hostName.constData());
}

void ForwardChannel::open()
{
    const int result = openChannel();
    if (result == SSH_AGAIN)
        return;
    if (result != SSH_OK) {
        finish(refusal());
        releaseHandle();
        return;
    }
    Result<OwnedDescriptor> far = makeEnds();
    if (!far) {
        finish(far.error());
        return;
    }
    m_toTell = std::move(far);
    m_state = State::Open;
}

Result<OwnedDescriptor> ForwardChannel::makeEnds()
{
    std::array<int, 2> pair{m_near.release(), -1};
    if (pair[0] < 0 && ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair.data()) != 0)
        return fail(ErrorCode::LocalIo, u"No socket for the way through it: %1."_s.arg(errnoText(errno)));
    m_end = pair[0];
    m_readable = std::make_unique<QSocketNotifier>(m_end, QSocketNotifier::Read);
    m_writable = std::make_unique<QSocketNotifier>(m_end, QSocketNotifier::Write);
    m_writable->setEnabled(false);
    for (QSocketNotifier *notifier : {m_readable.get(), m_writable.get()}) {
        QObject::connect(notifier, &QSocketNotifier::activated, notifier, [this, notifier] {
            notifier->setEnabled(false); // the step that follows decides anew
            m_wake();
        });
    }
    return OwnedDescriptor(pair[1]);
}

void ForwardChannel::advance(Clock::time_point now)
{
    if (m_state == State::Opening)
        open();
    if (m_state == State::Opening && now >= m_deadline) {
        // Told now; the handle waits for the late answer in order to close it.
        finish(Error{ErrorCode::ConnectTimeout,
                     u"did not reach %1 in time."_s.arg(m_target.display()), {}});
    }
    if (m_state == State::Open) {
        moveIn();
        if (m_state == State::Open)
            moveOut();
    }
    if (m_state == State::Closing && m_channel) {
        // An unconfirmed channel cannot be closed yet: go on opening it first.
        const int opening = m_remoteClosed ? SSH_OK : openChannel();
        if (opening == SSH_AGAIN)
            return;
        if (opening != SSH_OK || m_api.channelClose(m_channel) != SSH_AGAIN)
            releaseHandle();
    }
}

/// True when nothing waits for the pair.
bool ForwardChannel::sendIn()
{
    while (!m_in.isEmpty()) {
        const ssize_t sent
            = ::send(m_end, m_in.constData(), static_cast<size_t>(m_in.size()), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            m_in.remove(0, sent);
        } else if (errno == EAGAIN) {
            m_writable->setEnabled(true);
            return false;
        } else if (errno != EINTR) {
            finish({}); // the far end is closed
            return false;
        }
    }
    return true;
}

/// From the peer to the pair.
void ForwardChannel::moveIn()
{
    qsizetype budget = step;
    while (sendIn() && m_hasData && budget > 0) {
        m_in.resize(part);
        const int count = m_api.channelRead(m_channel, m_in.data(), static_cast<uint32_t>(part));
        m_in.resize(qBound(qsizetype(0), qsizetype(count), part));
        m_hasData = count == part; // a full part may not be all
        budget -= m_in.size();
        m_taken += m_in.size();
        if (const auto came = m_listener.came; came && !m_in.isEmpty())
            came();
        if (m_target.mostIn > 0 && m_taken > m_target.mostIn) {
            if (const auto lost = m_listener.lost)
                lost({ErrorCode::AnswerTooLarge, u"More came than was wanted."_s, {}});
            finish({});
        }
    }
    if (m_state != State::Open)
        return;
    if (m_hasData && m_in.isEmpty())
        m_wake(); // after the others
    if (!m_hasData && m_in.isEmpty() && (m_remoteEof || m_remoteClosed))
        finish({});
}

/// From the pair to the peer.
void ForwardChannel::moveOut()
{
    qsizetype budget = step;
    while (budget > 0) {
        if (m_out.isEmpty()) {
            m_out.resize(part);
            const ssize_t count = ::recv(m_end, m_out.data(), static_cast<size_t>(part), MSG_DONTWAIT);
            m_out.resize(qMax(qsizetype(0), qsizetype(count)));
            if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
                finish({});
                return;
            }
            if (count < 0) {
                m_readable->setEnabled(true);
                return;
            }
        }
        // Zero is a full window, or a key exchange under way: the pump tries again after the next packet.
        const int taken = m_api.channelWrite(m_channel, m_out.constData(), static_cast<uint32_t>(m_out.size()));
        if (taken <= 0)
            return;
        m_out.remove(0, taken);
        budget -= taken;
    }
    m_wake();
}

/// Over for whoever used it; the handle may need more steps until the peer knows.
void ForwardChannel::finish(std::optional<Error> error)
{
    if (m_state == State::Closing || m_state == State::Closed)
        return;
    if (error)
        m_toTell.emplace(fail(std::move(*error)));
    m_state = m_channel ? State::Closing : State::Closed;
    closeEnd();
}

void ForwardChannel::closeEnd()
{
    m_near = OwnedDescriptor();
    m_readable.reset();
    m_writable.reset();
    m_in.clear();
    m_out.clear();
    if (m_end >= 0)
        ::close(std::exchange(m_end, -1));
}

void ForwardChannel::releaseHandle()
{
    if (releaseChannel(m_api, m_channel, &m_callbacks))
        m_state = State::Closed;
}

bool ForwardChannel::deliver()
{
    if (std::optional<Result<OwnedDescriptor>> told = std::exchange(m_toTell, std::nullopt)) {
        if (const auto opened = m_listener.opened)
            opened(std::move(*told));
    }
    return m_state != State::Closed || m_toTell;
}

void ForwardChannel::sessionEnded(const Error &error)
{
    if (m_state == State::Open) {
        if (const auto lost = m_listener.lost)
            lost(error);
    }
    m_toTell.reset(); // whoever waits is told by the session's owner
    finish({});
    releaseHandle();
    m_state = State::Closed;
}

std::optional<SessionChannel::Clock::time_point> ForwardChannel::deadline() const
{
    if (m_state == State::Opening)
        return m_deadline;
    return {};
}

} // namespace pilothouse
