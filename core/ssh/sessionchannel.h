// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the session's pump drives: one channel, whatever it carries. Session's thread; owned by the session, which keeps
// it beyond its user until the peer has confirmed what is needed to close it.

#include "core/base/error.h"
#include "core/ssh/libsshapi.h"

#include <chrono>
#include <optional>
#include <utility>

namespace pilothouse {

class SessionChannel
{
public:
    using Clock = std::chrono::steady_clock;

    SessionChannel() = default;
    virtual ~SessionChannel() = default;
    SessionChannel(const SessionChannel &) = delete;
    SessionChannel &operator=(const SessionChannel &) = delete;

    /// The session is ready; again each time, only the first counts. `deadline`: when the channel must be open.
    virtual void begin(ssh_session session, Clock::time_point deadline) = 0;
    /// One step with libssh; call while the session is alive.
    virtual void advance(Clock::time_point now) = 0;
    /// Tells what has happened, outside libssh. False once the channel is of no use to anybody: the session drops it.
    [[nodiscard]] virtual bool deliver() = 0;
    /// The session ends: what was open closes with this error. Frees the handle.
    virtual void sessionEnded(const Error &error) = 0;
    /// While opening: when it must be open. Empty otherwise.
    [[nodiscard]] virtual std::optional<Clock::time_point> deadline() const = 0;
};

/// Frees a channel that calls back no more: the handle lives on in libssh until the peer has closed too. Null after it,
/// and nothing where it was null; false then.
inline bool releaseChannel(LibsshApi &api, ssh_channel &channel, ssh_channel_callbacks callbacks)
{
    if (!channel)
        return false;
    api.channelRemoveCallbacks(channel, callbacks);
    api.channelFree(std::exchange(channel, nullptr));
    return true;
}

} // namespace pilothouse
