// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Lends the session to a helper thread for one libssh call that waits for the agent, so that the session's own thread
// stays free to answer, to count time and to stop. While isOut(), nobody else may touch the session.
// Lives in the session's thread; owned by the sign-in.

#include "core/base/handoff.h"

#include <functional>
#include <optional>
#include <thread>

namespace pilothouse {

class LentCall final
{
public:
    /// `back` is called in this thread when the call has returned.
    explicit LentCall(std::function<void()> back);
    /// Waits for the call: cut what it waits for before.
    ~LentCall();
    LentCall(const LentCall &) = delete;
    LentCall &operator=(const LentCall &) = delete;

    /// False when no thread can be had.
    [[nodiscard]] bool start(std::function<int()> call);
    [[nodiscard]] bool isOut() const { return m_thread.joinable(); }
    /// What the call returned, once.
    [[nodiscard]] std::optional<int> take();
    void wait();

private:
    void returned(int result);

    std::function<void()> m_back;
    std::optional<int> m_result;
    std::thread m_thread;
    Handoff<int> m_results;
};

} // namespace pilothouse
