// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A way to a host that is no plain socket: through a jump host, or through a command. The session's transport is a
// connected descriptor in the end. Lives in the session's thread; owned by the session, and leaving is destroying it.

#include "core/base/result.h"
#include "core/ssh/connectionsettings.h"
#include "core/ssh/question.h"
#include "core/ssh/resolvedhost.h"
#include "core/ssh/sshconnector.h"

#include <functional>
#include <optional>

namespace pilothouse {

struct RouteRequest
{
    ConnectionSettings settings; ///< as they were given, before the host's own configuration changed them
    ResolvedHost host;           ///< at the end of the way
};

/// Called later, in the session's thread; never after the route is gone.
struct RouteListener
{
    std::function<void(const QString &words)> words;
    /// False: it is this host's turn now, after it waited for what many share.
    std::function<void(bool waits)> waits;
    /// Of a host on the way; the answer goes to Route::answer() with the same id.
    std::function<void(const Question &)> asked;
    std::function<void(Result<Connection>)> done; ///< once
};

class Route
{
public:
    virtual ~Route() = default;
    virtual void answer(Answer answer) = 0;
    /// The host's own handshake is over, or waits for a person: others may begin theirs.
    virtual void settled() = 0;
    /// Why the way broke, where that is known: set before the descriptor's other end closes.
    [[nodiscard]] virtual std::optional<Error> failure() const = 0;
    /// A sentence for an error of the handshake, for a way that cannot tell a silent host from a way that leads
    /// nowhere.
    [[nodiscard]] virtual QString remark() const { return {}; }
};

} // namespace pilothouse
