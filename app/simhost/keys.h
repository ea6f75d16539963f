// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Throw-away ed25519 keys in files that only their owner reads. Main thread.

#include "core/base/result.h"

#include <QString>

#include <libssh/libssh.h>

#include <memory>

namespace pilothouse {

struct SshKeyFree
{
    void operator()(ssh_key key) const { ssh_key_free(key); }
};
using SshKey = std::unique_ptr<std::remove_pointer_t<ssh_key>, SshKeyFree>;

/// Makes a key and writes its private half to `path` (0600).
[[nodiscard]] Result<SshKey> makeKey(const QString &path);

/// "ssh-ed25519 AAAA…", as known_hosts and authorized_keys spell it.
[[nodiscard]] QString publicLine(const SshKey &key);

} // namespace pilothouse
