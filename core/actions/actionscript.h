// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The text of an action as it goes to a host, arguments included: what a dry run prints is this. Pure, any thread.

#include "core/actions/action.h"
#include "core/base/result.h"

#include <QByteArray>

namespace pilothouse {

/// `nonce`: lower-case hex, of the answer's frames. Errors: Internal (nonce, boot id, PID, unit or a word that no script may
/// carry).
[[nodiscard]] Result<QByteArray> actionScript(const ActionRequest &request, const Actor &actor, const QByteArray &nonce);

/// The part that all actions share.
[[nodiscard]] QByteArray sharedScript();

/// Without the parts that all actions share, for people who read it: arguments and the action's own text.
[[nodiscard]] Result<QByteArray> actionExcerpt(const ActionRequest &request, const Actor &actor);

} // namespace pilothouse
