// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/jump/jumphosts.h"

#include "core/base/threadend.h"
#include "core/ssh/jump/jumpworker.h"

namespace pilothouse {

namespace {

constexpr int handshakesAtOnce = 16;

} // namespace

JumpHosts::JumpHosts(JumpSettings settings)
    : m_settings(std::move(settings))
{
    if (!m_settings.gate)
        m_settings.gate = std::make_shared<HandshakeGate>(handshakesAtOnce);
}

JumpHosts::~JumpHosts()
{
    if (!m_thread)
        return;
    m_port->post(QuitHops{});
    m_thread->wait();
    waitUntilGone(*m_kernelId, QDeadlineTimer(1'000));
}

std::shared_ptr<JumpPort> JumpHosts::port()
{
    const std::lock_guard lock(m_mutex);
    if (!m_thread) {
        m_port = std::make_shared<JumpPort>();
        m_kernelId = std::make_shared<std::atomic<pid_t>>(0);
        m_thread = std::make_unique<JumpThread>(m_settings, m_port, m_kernelId);
        // Made by whichever thread comes first, destroyed by whichever is last: it belongs to none.
        m_thread->moveToThread(nullptr);
        m_thread->start();
    }
    return m_port;
}

std::unique_ptr<Route> JumpHosts::way(const std::shared_ptr<JumpHosts> &hosts, RouteRequest request,
                                      RouteListener listener)
{
    return makeJumpRoute(hosts->port(), hosts, request, {}, std::move(listener));
}

} // namespace pilothouse
