// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What only a person can answer while a connection is made or its probe becomes root. What asks waits in its state and
// its clock stops.
// Plain values that cross threads through a Handoff.

#include <QString>
#include <QStringList>

namespace pilothouse {

struct Question
{
    enum class Kind { UnknownHostKey, KeyPassphrase, Password, KeyboardInteractive, SudoPassword };
    struct Prompt
    {
        QString text; ///< cleaned
        bool echo = false;
    };

    quint64 id = 0; ///< of this connection; an answer names it
    Kind kind = Kind::UnknownHostKey;
    QString host;   ///< as hostInWords() (sshtarget.h) says it; without the user for a host key
    // UnknownHostKey
    QString keyType;          ///< "ED25519"
    QString fingerprint;      ///< "SHA256:…"
    QString through;          ///< the jump hosts on the way to it; empty: none
    QString knownHostsFile;   ///< where it would be stored
    QString note;             ///< for example: other keys are known for this host; also: why keys did not do
    // KeyPassphrase
    QString keyFile;
    int attempt = 1;          ///< second and later: the last answer was wrong
    // KeyboardInteractive and Password
    QString title;
    QString instruction;
    QList<Prompt> prompts;
};

/// What a session says while its agent, not the program, may be asking a person; a jump host's words end with it.
inline constexpr QStringView agentAsksWords = u"waiting for the agent: touch your key, or answer what it asks";

struct Answer
{
    quint64 questionId = 0;
    bool accepted = false;  ///< false: declined; the attempt ends with Cancelled
    bool store = true;      ///< UnknownHostKey: keep it in known_hosts
    QStringList replies;    ///< one a prompt; wiped after use
};

} // namespace pilothouse
