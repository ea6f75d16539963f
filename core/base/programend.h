// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The end of a program that does not wait for its threads for ever. Made by main, shared with whoever ends threads;
// main's thread.

#include <chrono>

namespace pilothouse {

class ProgramEnd final
{
public:
    /// `threadLimit`: how long the end of all threads together may take.
    explicit ProgramEnd(std::chrono::milliseconds threadLimit = std::chrono::milliseconds(2'000));

    [[nodiscard]] std::chrono::milliseconds threadLimit() const { return m_threadLimit; }
    /// A thread did not end within the limit and still runs.
    void threadLeft() { m_threadLeft = true; }
    /// Last of all that main does while the application object is there. Where a thread still runs, it does not return:
    /// the process ends at once with `exitCode`, because what the thread uses (statics, OpenSSL) would be destroyed
    /// under it.
    [[nodiscard]] int finish(int exitCode) const;

private:
    std::chrono::milliseconds m_threadLimit;
    bool m_threadLeft = false;
};

} // namespace pilothouse
