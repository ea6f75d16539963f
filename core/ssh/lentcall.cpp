// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/lentcall.h"

#include <system_error>

namespace pilothouse {

LentCall::LentCall(std::function<void()> back)
    : m_back(std::move(back))
    , m_results([this](int result) { returned(result); })
{
}

LentCall::~LentCall()
{
    wait();
}

bool LentCall::start(std::function<int()> call)
{
    wait();
    m_result.reset();
    try {
        m_thread = std::thread([call = std::move(call), sender = m_results.sender()] { sender.push(call()); });
    } catch (const std::system_error &) {
        return false;
    }
    return true;
}

void LentCall::returned(int result)
{
    wait();
    m_result = result;
    m_back();
}

std::optional<int> LentCall::take()
{
    return std::exchange(m_result, std::nullopt);
}

void LentCall::wait()
{
    if (m_thread.joinable())
        m_thread.join();
}

} // namespace pilothouse
