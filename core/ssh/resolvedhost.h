// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What `ssh -G` says of a target, typed: the settings that this program honours. Plain value, any thread.

#include <QHash>
#include <QString>
#include <QStringList>

namespace pilothouse {

struct ResolvedHost
{
    QString alias;               ///< as given to ssh -G
    QString hostName;            ///< to be resolved and connected to
    QString user;
    quint16 port = 22;
    QStringList identityFiles;   ///< absolute, in order; a missing file is no error
    QStringList certificateFiles;
    QString identityAgent;       ///< socket path; empty: SSH_AUTH_SOCK; "none": no agent
    bool identitiesOnly = false;
    QStringList userKnownHostsFiles;
    QStringList globalKnownHostsFiles;
    QString hostKeyAlias;
    QString proxyJump;           ///< empty when none
    QString proxyCommand;        ///< empty when none
    QString addressFamily;       ///< any, inet, inet6
    QString strictHostKeyChecking; ///< yes, ask, accept-new, no. "yes" refuses an unknown key unasked; the others never
                                   ///< let us accept anything by itself
    QStringList preferredAuthentications;
    bool passwordAuthentication = true;
    bool pubkeyAuthentication = true;
    bool kbdInteractiveAuthentication = true;
    bool hashKnownHosts = false;
    bool batchMode = false;      ///< yes: nobody is asked anything
    int connectTimeoutS = 0;     ///< 0: none given
    int serverAliveIntervalS = 0;
    int serverAliveCountMax = 3;
    QString bindAddress;
    QString bindInterface;
    QString rekeyLimit;
    QString hostKeyAlgorithms;
    QString kexAlgorithms;
    QString ciphers;
    QString macs;
    QString pubkeyAcceptedAlgorithms;
    int requiredRsaSize = 0;     ///< bits; 0: none given
    QString revokedHostKeys;
    QHash<QString, QStringList> all; ///< every keyword as printed, lower case, for the keyword table

    friend bool operator==(const ResolvedHost &, const ResolvedHost &) = default;
};

} // namespace pilothouse
