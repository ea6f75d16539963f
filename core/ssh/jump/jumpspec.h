// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Which jump host comes right before a host, from the `proxyjump` line of `ssh -G`. Pure, any thread.

#include "core/base/result.h"
#include "core/ssh/resolvedhost.h"
#include "core/ssh/sshtarget.h"

namespace pilothouse {

struct JumpSpec
{
    SshTarget hop;  ///< the last one of the line
    QString before; ///< those before it, as for ssh -J; empty: the hop's own configuration decides

    friend bool operator==(const JumpSpec &, const JumpSpec &) = default;
};

/// `host.proxyJump` is not empty. The tokens %%, %h, %n, %p and %r are the host's, as in ssh. Errors: SshConfigInvalid.
[[nodiscard]] Result<JumpSpec> jumpSpecOf(const ResolvedHost &host);

/// Expands the tokens that ssh -G leaves in ProxyJump and ProxyCommand. Errors: SshConfigInvalid with the reason alone.
[[nodiscard]] Result<QString> withProxyTokens(const QString &written, const ResolvedHost &host);

/// The same error, said of the jump host at which it happened; and the name back from what was said, empty without.
[[nodiscard]] Error atJumpHost(const QString &name, Error error);
[[nodiscard]] QString jumpHostOf(const Error &error);

/// What a healthy jump host answered of the host behind it: an error of that host, whose detail goes on after the jump
/// host's name ("answered that nothing listens at …").
[[nodiscard]] Error beyondJumpHost(const QString &name, Error error);
/// Of what keeps a way from being opened: it lies with the host behind.
[[nodiscard]] bool isBeyondJumpHost(ErrorCode code);

/// What a jump host does, as its riders say it, or the jump host before it, named alone; and the name back from the
/// words, empty where they are of the host.
[[nodiscard]] QString wordsOfJumpHost(const QString &name, const QString &words);
[[nodiscard]] QString jumpHostOf(const QString &words);

} // namespace pilothouse
