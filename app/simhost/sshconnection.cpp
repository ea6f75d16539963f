// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sshconnection.h"

#include <algorithm>
#include <iterator>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pilothouse {
namespace {

constexpr long handshakeTimeout = 10; // seconds
constexpr int idlePollMs = 1000;
constexpr int blockedPollMs = 5;      // a grown window is no event of any descriptor of ours

} // namespace

SshConnection::SshConnection(ssh_session session, const HostBackend &backend, ssh_key userKey,
                             ServerLimits limits)
    : m_session(session)
    , m_backend(backend)
    , m_userKey(userKey)
    , m_limits(limits)
    , m_wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    m_thread = std::thread([this] {
        run();
        m_over = true;
    });
}

SshConnection::~SshConnection()
{
    stop();
    m_thread.join();
    m_channels.clear();
    ssh_disconnect(m_session);
    ssh_free(m_session);
    close(m_wake);
}

void SshConnection::stop()
{
    m_stop = true;
    shutdown(ssh_get_fd(m_session), SHUT_RDWR);
    const std::uint64_t one = 1;
    if (write(m_wake, &one, sizeof one) < 0)
        return;
}

int SshConnection::authenticate(const std::string &user, ssh_key key, char state)
{
    const bool known = ssh_key_cmp(key, m_userKey, SSH_KEY_CMP_PUBLIC) == 0 && m_backend.knowsUser(user);
    if (!known || (state != SSH_PUBLICKEY_STATE_NONE && state != SSH_PUBLICKEY_STATE_VALID))
        return SSH_AUTH_DENIED;
    if (state == SSH_PUBLICKEY_STATE_VALID) {
        m_user = user;
        m_signedIn = true;
    }
    return SSH_AUTH_SUCCESS;
}

int SshConnection::sessionCount() const
{
    return int(std::count_if(m_channels.begin(), m_channels.end(), [](const auto &channel) {
        return channel->isSession() && !channel->isDone();
    }));
}

ssh_channel SshConnection::openSession()
{
    if (!m_signedIn || sessionCount() >= m_limits.maxSessions)
        return nullptr;
    const ssh_channel channel = ssh_channel_new(m_session);
    m_channels.push_back(std::make_unique<SshChannelPump>(channel, m_backend, m_user));
    return channel;
}

int SshConnection::openForward(ssh_message message)
{
    if (!m_signedIn || ssh_message_type(message) != SSH_REQUEST_CHANNEL_OPEN
        || ssh_message_subtype(message) != SSH_CHANNEL_DIRECT_TCPIP)
        return 1;
    const char *address = ssh_message_channel_request_open_destination(message);
    const auto pipes
        = m_backend.connectTo(address ? address : "", ssh_message_channel_request_open_destination_port(message));
    if (!pipes)
        return 1;
    const ssh_channel channel = ssh_message_channel_request_open_reply_accept(message);
    m_channels.push_back(std::make_unique<SshChannelPump>(channel, m_backend, *pipes));
    return 0;
}

void SshConnection::run()
{
    ssh_callbacks_init(&m_callbacks);
    m_callbacks.userdata = this;
    m_callbacks.auth_pubkey_function
        = [](ssh_session, const char *user, ssh_key key, char state, void *connection) {
              return static_cast<SshConnection *>(connection)->authenticate(user, key, state);
          };
    m_callbacks.channel_open_request_session_function = [](ssh_session, void *connection) {
        return static_cast<SshConnection *>(connection)->openSession();
    };
    ssh_set_server_callbacks(m_session, &m_callbacks);
    ssh_set_message_callback(
        m_session,
        [](ssh_session, ssh_message message, void *connection) {
            return static_cast<SshConnection *>(connection)->openForward(message);
        },
        this);
    ssh_options_set(m_session, SSH_OPTIONS_TIMEOUT, &handshakeTimeout);
    ssh_set_auth_methods(m_session, SSH_AUTH_METHOD_PUBLICKEY);
    if (m_stop || ssh_handle_key_exchange(m_session) != SSH_OK)
        return;
    ssh_set_blocking(m_session, 0);
    const ssh_event event = ssh_event_new();
    ssh_event_add_session(event, m_session);
    serve(event);
    ssh_event_remove_session(event, m_session);
    ssh_event_free(event);
}

void SshConnection::serve(ssh_event event)
{
    while (!m_stop && ssh_is_connected(m_session)) {
        waitForBytes();
        if (ssh_event_dopoll(event, 0) == SSH_ERROR)
            return;
        for (std::size_t i = 0; i < m_channels.size(); ++i)
            m_channels[i]->pump();
        // Closing a channel may read the client's next request, which opens another: first out of the list, then closed.
        const auto over = std::stable_partition(m_channels.begin(), m_channels.end(),
                                                [](const auto &channel) { return !channel->isDone(); });
        std::vector<std::unique_ptr<SshChannelPump>> closing(std::make_move_iterator(over),
                                                             std::make_move_iterator(m_channels.end()));
        m_channels.erase(over, m_channels.end());
        closing.clear();
    }
}

void SshConnection::waitForBytes()
{
    std::vector<pollfd> waits = {{ssh_get_fd(m_session), POLLIN, 0}, {m_wake, POLLIN, 0}};
    if ((ssh_get_poll_flags(m_session) & SSH_WRITE_PENDING) != 0)
        waits.front().events |= POLLOUT;
    bool blocked = false;
    for (const auto &channel : m_channels) {
        channel->addWaits(waits);
        blocked = blocked || channel->isBlocked();
    }
    poll(waits.data(), waits.size(), blocked ? blockedPollMs : idlePollMs);
}

} // namespace pilothouse
