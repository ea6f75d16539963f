// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A descriptor on its way to a new owner; closes it when there is none. Any thread.

#include <utility>

#include <unistd.h>

namespace pilothouse {

class OwnedDescriptor final
{
public:
    explicit OwnedDescriptor(int fd = -1) : m_fd(fd) { }
    ~OwnedDescriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    OwnedDescriptor(OwnedDescriptor &&other) noexcept : m_fd(other.release()) { }
    OwnedDescriptor &operator=(OwnedDescriptor &&other) noexcept
    {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    [[nodiscard]] int release() { return std::exchange(m_fd, -1); }
    [[nodiscard]] int fd() const { return m_fd; }

private:
    int m_fd;
};

} // namespace pilothouse
