// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A way through a session to a port beyond its host (direct-tcpip): bytes go between the channel and one end of a
// socket pair, whose other end is a further session's transport, in whatever thread. Takes from either side only what
// the other one takes. Lives in the thread of the session that it goes through; shared with that session.

#include "core/ssh/sessionchannel.h"

#include "core/base/result.h"

#include <QByteArray>
#include <QSocketNotifier>

#include <functional>
#include <memory>

namespace pilothouse {

/// A descriptor on its way to a new owner; closes it when there is none.
class OwnedDescriptor final
{
public:
    explicit OwnedDescriptor(int fd = -1) : m_fd(fd) { }
    ~OwnedDescriptor();
    OwnedDescriptor(OwnedDescriptor &&other) noexcept : m_fd(other.release()) { }
    OwnedDescriptor &operator=(OwnedDescriptor &&other) noexcept;
    [[nodiscard]] int release();
    [[nodiscard]] int fd() const { return m_fd; }

private:
    int m_fd;
};

class ForwardChannel final : public SessionChannel
{
public:
    struct Listener
    {
        /// Once, outside libssh: the far end, or why there is none: said of the jump host (NoRights, ChannelRefused,
        /// LocalIo), or what it says of the far end (NameNotResolved, ConnectRefused, Unreachable, ConnectTimeout).
        std::function<void(Result<OwnedDescriptor>)> opened;
        /// The session that carries an open way has ended; the far end sees its end only after this call. Notes only.
        std::function<void(const Error &)> lost;
    };

    ForwardChannel(std::shared_ptr<LibsshApi> api, QString hostName, quint16 port, std::function<void()> wake,
                   Listener listener);
    ~ForwardChannel() override;

    /// Nobody wants it any more.
    void abandon();

    void begin(ssh_session session, Clock::time_point deadline) override;
    void advance(Clock::time_point now) override;
    [[nodiscard]] bool deliver() override;
    void sessionEnded(const Error &error) override;
    [[nodiscard]] std::optional<Clock::time_point> deadline() const override;

    /// Most bytes that one step moves each way, so that no way starves the others.
    static constexpr qsizetype step = 128 * 1024;

private:
    enum class State { Waiting, Opening, Open, Closing, Closed };

    void installCallbacks();
    void open();
    [[nodiscard]] Error refusal() const;
    [[nodiscard]] Result<OwnedDescriptor> makePair();
    void moveIn();
    void moveOut();
    [[nodiscard]] bool sendIn();
    void finish(std::optional<Error> error);
    void closeEnd();
    void releaseHandle();

    std::shared_ptr<LibsshApi> m_holdsApi;
    LibsshApi &m_api;
    QByteArray m_hostName;
    quint16 m_port;
    std::function<void()> m_wake;
    Listener m_listener;
    ssh_session m_session = nullptr;
    ssh_channel m_channel = nullptr;
    ssh_channel_callbacks_struct m_callbacks{};
    State m_state = State::Waiting;
    Clock::time_point m_deadline;
    std::optional<Result<OwnedDescriptor>> m_toTell;
    bool m_hasData = false;   ///< libssh may hold bytes for us
    bool m_remoteEof = false;
    bool m_remoteClosed = false;
    int m_end = -1;           ///< ours of the pair
    std::unique_ptr<QSocketNotifier> m_readable;
    std::unique_ptr<QSocketNotifier> m_writable;
    QByteArray m_in;          ///< from the peer, not yet taken by the pair
    QByteArray m_out;         ///< from the pair, not yet taken by the peer
};

} // namespace pilothouse
