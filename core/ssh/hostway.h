// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Ways from here through a session to what its host reaches: a port, or a UNIX socket of its file system. Lives in the
// session's thread.

#include "core/base/result.h"
#include "core/ssh/owneddescriptor.h"

#include <functional>
#include <optional>

namespace pilothouse {

struct WayTarget
{
    QString hostName;    ///< as the host sees it
    quint16 port = 0;
    QString socket;      ///< a path, in place of both
    qint64 mostIn = 0;   ///< bytes from there, then the way closes; 0: no limit

    /// "10.0.0.9 port 8000" or "socket /run/x.sock", cleaned.
    [[nodiscard]] QString display() const;
};

struct WayListener
{
    /// Once, outside libssh: it is open, or why it is not: NoRights (the server forbids it), ChannelRefused, or what it
    /// says of the far end: NameNotResolved, ConnectRefused, Unreachable, ConnectTimeout. Not where the session ends.
    std::function<void(const std::optional<Error> &)> opened;
    /// An open way ends otherwise than by its two ends: AnswerTooLarge, or the session's own end. Notes only.
    std::function<void(const Error &)> lost;
    /// Bytes have come from there. Notes only.
    std::function<void()> came;
};

/// Who can open ways: an SSH session.
class WayProvider
{
public:
    virtual ~WayProvider() = default;
    /// Bytes go between `near`, a connected stream socket, and the target; the end of either is the end of the other.
    virtual void openWay(const WayTarget &target, OwnedDescriptor near, WayListener listener) = 0;
};

} // namespace pilothouse
