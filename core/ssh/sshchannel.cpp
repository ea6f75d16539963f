// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshchannel.h"

#include "core/base/cleantext.h"
#include "core/ssh/secret.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

SshChannel::SshChannel(std::shared_ptr<LibsshApi> api, std::function<void()> wake)
    : m_holdsApi(std::move(api))
    , m_api(*m_holdsApi)
    , m_wake(std::move(wake))
{
}

SshChannel::~SshChannel()
{
    releaseHandle();
}

void SshChannel::setShell(SshShell *shell)
{
    m_shell = shell;
}

void SshChannel::begin(ssh_session session, Clock::time_point deadline)
{
    if (m_state != State::Waiting)
        return;
    m_deadline = deadline;
    m_channel = m_api.channelNew(session);
    if (!m_channel) {
        finish(std::make_shared<Error>(Error{ErrorCode::ChannelRefused, u"No channel can be made."_s, {}}));
        return;
    }
    installCallbacks();
    m_state = State::Opening;
}

void SshChannel::installCallbacks()
{
    // Nothing but notes here: a callback must neither free a channel nor call back into libssh.
    m_callbacks = {};
    m_callbacks.userdata = this;
    m_callbacks.channel_data_function
        = [](ssh_session, ssh_channel, void *data, uint32_t length, int isError, void *self) {
              return static_cast<SshChannel *>(self)->received(data, length, isError != 0);
          };
    m_callbacks.channel_close_function = [](ssh_session, ssh_channel, void *self) {
        static_cast<SshChannel *>(self)->m_remoteClosed = true;
    };
    m_callbacks.channel_exit_status_function = [](ssh_session, ssh_channel, int status, void *self) {
        static_cast<SshChannel *>(self)->m_exitStatus = status;
    };
    m_callbacks.channel_exit_signal_function
        = [](ssh_session, ssh_channel, const char *signal, int, const char *, const char *, void *self) {
              static_cast<SshChannel *>(self)->m_exitSignal = cleanLine(QByteArrayView(signal), 40);
          };
    ssh_callbacks_init(&m_callbacks);
    m_api.channelSetCallbacks(m_channel, &m_callbacks);
}

int SshChannel::received(const void *data, quint32 length, bool isError)
{
    if (m_abandoned || m_state == State::Closing || m_state == State::Closed)
        return static_cast<int>(length); // nobody will read it: keep the window open
    const auto stream = isError ? RemoteShell::Stream::Error : RemoteShell::Stream::Output;
    if (m_incoming.empty() || m_incoming.back().stream != stream)
        m_incoming.push_back({stream, {}});
    m_incoming.back().bytes.append(static_cast<const char *>(data), length);
    return static_cast<int>(length);
}

void SshChannel::write(const QByteArray &bytes)
{
    if (m_inputToClose || m_state == State::Closing || m_state == State::Closed)
        return;
    // A copy of its own even where nothing waits: the caller may wipe what it gave, as we do once it is sent.
    if (m_outgoing.isEmpty())
        m_outgoing = QByteArray(bytes.constData(), bytes.size());
    else
        m_outgoing.append(bytes);
    m_wake();
}

void SshChannel::closeInput()
{
    m_inputToClose = true;
    m_wake();
}

void SshChannel::close()
{
    if (m_state == State::Closing || m_state == State::Closed)
        return;
    m_incoming.clear();
    finish({});
    m_wake();
}

void SshChannel::abandon()
{
    m_abandoned = true;
    m_shell.clear();
    m_incoming.clear();
    close();
    m_wake();
}

/// Closed for the owner; the handle may need more steps until the peer knows.
void SshChannel::finish(std::shared_ptr<const Error> error)
{
    m_error = std::move(error);
    m_closedToEmit = true;
    wipe(m_outgoing);
    m_sent = 0;
    m_state = m_channel ? State::Closing : State::Closed;
}

void SshChannel::releaseHandle()
{
    if (releaseChannel(m_api, m_channel, &m_callbacks))
        m_state = State::Closed;
}

void SshChannel::open()
{
    const int result = m_api.channelOpenSession(m_channel);
    if (result == SSH_OK) {
        m_state = State::Requesting;
    } else if (result != SSH_AGAIN) {
        finish(std::make_shared<Error>(
            Error{ErrorCode::ChannelRefused, u"The server refuses a further session channel."_s, {}}));
        releaseHandle();
    }
}

void SshChannel::request()
{
    const int result = m_api.channelExec(m_channel, "exec /bin/sh");
    if (result == SSH_OK) {
        m_state = State::Open;
        m_openedToEmit = true;
    } else if (result != SSH_AGAIN) {
        finish(std::make_shared<Error>(
            Error{ErrorCode::ShellUnusable, u"The server refuses to run a command."_s, {}}));
    }
}

void SshChannel::writeSome()
{
    qsizetype budget = writeStep;
    while (pendingBytes() > 0 && budget > 0) {
        const qsizetype part = std::min(pendingBytes(), budget);
        // Zero is a full window, or a key exchange under way: the pump tries again after the next packet.
        const int taken = m_api.channelWrite(m_channel, m_outgoing.constData() + m_sent, static_cast<uint32_t>(part));
        if (taken <= 0)
            break;
        m_sent += taken;
        budget -= taken;
    }
    if (m_sent == m_outgoing.size()) {
        wipe(m_outgoing); // maybe a password
        m_sent = 0;
    } else if (m_sent > writeStep) {
        m_outgoing.remove(0, m_sent);
        m_sent = 0;
    }
    if (budget == 0)
        m_wake(); // more could go: after the others
    if (pendingBytes() == 0 && m_inputToClose && !m_inputClosed) {
        m_inputClosed = true;
        m_api.channelSendEof(m_channel);
    }
}

void SshChannel::advance(Clock::time_point now)
{
    if (m_state == State::Opening)
        open();
    if (m_state == State::Requesting)
        request();
    if (m_state == State::Open && !m_remoteClosed)
        writeSome();
    if (m_remoteClosed && m_state != State::Closing && m_state != State::Closed) {
        const bool wasOpen = m_state == State::Open;
        finish(wasOpen ? nullptr : std::make_shared<Error>(
                   Error{ErrorCode::ShellUnusable, u"The server closed the channel before it ran the shell."_s, {}}));
    }
    if ((m_state == State::Opening || m_state == State::Requesting) && now >= m_deadline && !m_closedToEmit) {
        // Told now; the handle waits for the late answer in order to close it.
        m_error = std::make_shared<Error>(
            Error{ErrorCode::Timeout, u"The server does not answer the request for a channel."_s, {}});
        m_closedToEmit = true;
        m_state = State::Closing;
    }
    if (m_state == State::Closing && m_channel) {
        // An unconfirmed channel cannot be closed yet: go on opening it first.
        const int opening = m_remoteClosed ? SSH_OK : m_api.channelOpenSession(m_channel);
        if (opening == SSH_AGAIN)
            return;
        if (opening != SSH_OK || m_api.channelClose(m_channel) != SSH_AGAIN)
            releaseHandle();
    }
}

bool SshChannel::deliver()
{
    // A receiver may destroy the shell at any of these; `this` stays, the session holds it.
    if (std::exchange(m_openedToEmit, false) && m_shell)
        emit m_shell->opened();
    while (!m_incoming.empty() && m_shell) {
        const Incoming part = std::move(m_incoming.front());
        m_incoming.pop_front();
        emit m_shell->received(part.stream, part.bytes);
    }
    if (m_closedToEmit && m_incoming.empty()) {
        m_closedToEmit = false;
        if (m_shell)
            emit m_shell->closed(m_exitStatus, m_exitSignal, m_error);
        m_shell.clear();
    }
    return m_state != State::Closed || m_closedToEmit;
}

void SshChannel::sessionEnded(const Error &error)
{
    if (m_state == State::Open && m_remoteClosed)
        finish({}); // it ended in order, just before
    else if (m_state != State::Closing && m_state != State::Closed)
        finish(std::make_shared<Error>(error));
    releaseHandle();
    m_state = State::Closed;
}

std::optional<SshChannel::Clock::time_point> SshChannel::deadline() const
{
    if (m_state == State::Opening || m_state == State::Requesting)
        return m_deadline;
    return {};
}

SshShell::SshShell(std::shared_ptr<SshChannel> channel)
    : m_channel(std::move(channel))
{
    m_channel->setShell(this);
}

SshShell::~SshShell()
{
    m_channel->abandon();
}

void SshShell::write(const QByteArray &bytes)
{
    m_channel->write(bytes);
}

void SshShell::closeInput()
{
    m_channel->closeInput();
}

void SshShell::close()
{
    m_channel->close();
}

qsizetype SshShell::pendingBytes() const
{
    return m_channel->pendingBytes();
}

} // namespace pilothouse
