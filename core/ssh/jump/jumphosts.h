// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The jump hosts of a program, in one thread of their own: each has one session, shared by all hosts behind it (one
// sign-in, one question), which come from whatever threads. Control crosses through Handoffs, bytes through socket
// pairs. Made once by the composition; any thread may ask for a way.

#include "core/ssh/jump/handshakegate.h"

#include <QThread>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

namespace pilothouse {

class JumpPort;
class Route;
struct RouteListener;
struct RouteRequest;
struct SessionSeams;

struct JumpSettings
{
    std::shared_ptr<HandshakeGate> gate; ///< for all handshakes of the program; null: one of 16 places
    int handshakesPerHop = 6;
    std::chrono::milliseconds place{2'000};   ///< a handshake that takes longer is waiting, not working
    std::chrono::milliseconds linger{90'000}; ///< without a host behind it: longer than any link waits to try again
    std::chrono::milliseconds firstRetry{1'000}; ///< a failed jump host is left alone for so long, doubling
    std::chrono::milliseconds lastRetry{60'000};
    std::function<SessionSeams()> seams; ///< of the jump hosts' own sessions; empty: the real ones
};

class JumpHosts final
{
public:
    explicit JumpHosts(JumpSettings settings = {});
    /// Ends all jump hosts and their thread, and waits for it: a moment.
    ~JumpHosts();
    JumpHosts(const JumpHosts &) = delete;
    JumpHosts &operator=(const JumpHosts &) = delete;

    /// A way to `request.host` through its jump host. Keeps `hosts` alive. Errors of `done`: those of a session, with
    /// the jump host named in the detail.
    [[nodiscard]] static std::unique_ptr<Route> way(const std::shared_ptr<JumpHosts> &hosts, RouteRequest request,
                                                    RouteListener listener);

private:
    [[nodiscard]] std::shared_ptr<JumpPort> port();

    JumpSettings m_settings;
    std::mutex m_mutex;
    std::unique_ptr<QThread> m_thread;
    std::shared_ptr<std::atomic<pid_t>> m_kernelId;
    std::shared_ptr<JumpPort> m_port;
};

} // namespace pilothouse
