// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A way through a session to a port beyond its host (direct-tcpip), or to a UNIX socket of it: bytes go between the
// channel and a socket, one end of a pair whose other end is a further session's transport in whatever thread, or one
// that is connected already. Takes from either side only what the other one takes. Lives in the thread of the session
// that it goes through; shared with that session.

#include "core/ssh/hostway.h"
#include "core/ssh/sessionchannel.h"

#include <QByteArray>
#include <QSocketNotifier>

#include <functional>
#include <memory>

namespace pilothouse {

class ForwardChannel final : public SessionChannel
{
public:
    struct Listener
    {
        /// Once, outside libssh: the far end of the pair (none where it had its socket), or why there is none: said of
        /// the host that forwards (NoRights, ChannelRefused, LocalIo), or what it says of the far end (NameNotResolved,
        /// ConnectRefused, Unreachable, ConnectTimeout).
        std::function<void(Result<OwnedDescriptor>)> opened;
        /// The session that carries an open way has ended, or its limit is reached; the far end sees its end only after
        /// this call. Notes only.
        std::function<void(const Error &)> lost;
        /// Bytes have come from there. Notes only.
        std::function<void()> came = {};
    };

    /// `near`: the socket that it leads from; none: a pair is made.
    ForwardChannel(std::shared_ptr<LibsshApi> api, const WayTarget &target, OwnedDescriptor near,
                   std::function<void()> wake, Listener listener);
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
    [[nodiscard]] int openChannel();
    [[nodiscard]] Result<OwnedDescriptor> makeEnds();
    void moveIn();
    void moveOut();
    [[nodiscard]] bool sendIn();
    void finish(std::optional<Error> error);
    void closeEnd();
    void releaseHandle();

    std::shared_ptr<LibsshApi> m_holdsApi;
    LibsshApi &m_api;
    const WayTarget m_target;
    const QByteArray m_hostName; ///< or the socket's path, as libssh takes it
    OwnedDescriptor m_near;      ///< until it is open
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
    qint64 m_taken = 0;       ///< from the peer
    int m_end = -1;           ///< ours of the pair, or the socket
    std::unique_ptr<QSocketNotifier> m_readable;
    std::unique_ptr<QSocketNotifier> m_writable;
    QByteArray m_in;          ///< from the peer, not yet taken by the pair
    QByteArray m_out;         ///< from the pair, not yet taken by the peer
};

} // namespace pilothouse
