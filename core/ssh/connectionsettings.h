// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// All that a connection needs to know before it starts. Plain value, any thread.

#include "core/ssh/sshtarget.h"

#include <chrono>
#include <memory>

namespace pilothouse {

class JumpHosts;
class SshConfigCache;

struct ConnectionSettings
{
    SshTarget target;
    QString sshConfigFile;    ///< ssh -F; empty: the person's own
    QString knownHostsFile;   ///< --known-hosts: replaces all files of the configuration
    QString identityFile;     ///< --identity: replaces the configuration's keys; the agent may sign with this one alone
    bool acceptNewHostKey = false; ///< --accept-new-host-key: an unknown key only, and it is stored
    bool askPerson = true;    ///< false: a question ends the attempt (SignInNeedsPerson, HostKeyUnknown)
    std::chrono::milliseconds connectTimeout{10'000};
    std::chrono::milliseconds signInTimeout{20'000}; ///< without the time that a person takes
    std::chrono::milliseconds keepaliveInterval{15'000}; ///< quiet for so long: ask
    std::chrono::milliseconds deadAfter{45'000};     ///< nothing received for so long: lost
    QString proxyJump;        ///< ssh -J; empty: the configuration decides
    bool byItself = false;    ///< no person asked for this attempt: what needs one is not begun again
    std::shared_ptr<JumpHosts> jumpHosts; ///< shared by all connections; null: a jump host of its own
    std::shared_ptr<SshConfigCache> configCache; ///< shared by all connections; null: ssh -G each time
};

} // namespace pilothouse
