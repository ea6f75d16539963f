// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What can go wrong, as one enum grouped by area, with the exit code of the outside contract for each.
// Plain values, any thread. Core writes English; ui translates by code.

#include <QString>

namespace pilothouse {

enum class ErrorCode {
    // local
    Usage,             // a command line or an argument that cannot be understood
    Cancelled,         // by the person
    LocalIo,           // a file that cannot be read or written, no such program here
    InventoryInvalid,  // hosts.toml
    Internal,          // a promise of our own code did not hold
    // finding and reaching the host
    SshConfigInvalid,  // ssh -G refuses the configuration
    SshConfigRefused,  // a security-relevant keyword that we do not honour (named in the detail)
    NameNotResolved,
    ConnectRefused,
    Unreachable,
    ConnectTimeout,
    NotSsh,            // the peer speaks something else, or nothing
    HandshakeFailed,   // no common algorithms, broken key exchange
    ConnectionLost,
    // who the host is
    HostKeyUnknown,
    HostKeyChanged,
    HostKeyRevoked,
    // who we are
    SignInRefused,
    SignInTimeout,
    SignInNeedsPerson, // a passphrase or an answer is needed and nobody can be asked
    // what the host can do
    ChannelRefused,    // the server allows no (further) session channel
    ShellUnusable,     // the login shell does not run /bin/sh, or ends at once
    ToolMissing,       // nvidia-smi, systemd …
    DriverFault,
    NoRights,
    SudoRefused,
    // answers
    AnswerMalformed,   // a frame that lies, binary noise
    AnswerTooLarge,    // over the limit of 8 MiB
    AnswerTruncated,
    Timeout,           // a request's deadline passed
    // safety
    ReadOnly,
    RefusedBySafety,
};

/// What happened (`detail`, one English sentence with full stop, or one a line; host text already cleaned), and what to
/// do.
/// `detail` never holds a secret. Both may be empty; then the summary of the code stands alone.
struct Error
{
    ErrorCode code = ErrorCode::Internal;
    QString detail;
    QString advice;

    friend bool operator==(const Error &, const Error &) = default;
};

/// Stable lower-case name for logs and JSON, for example "host_key_changed".
[[nodiscard]] QString nameOf(ErrorCode code);

/// One short English sentence without full stop: "The host key has changed".
[[nodiscard]] QString summaryOf(ErrorCode code);

/// What a person can do, where the code alone decides; empty otherwise.
[[nodiscard]] QString adviceOf(ErrorCode code);

/// Summary, detail and advice as one paragraph for a terminal.
[[nodiscard]] QString sentenceOf(const Error &error);

/// Exit code of the outside contract: 2 usage, 3 no connection, 4 sign-in, 5 host key, 6 host lacks
/// something, 7 safety, 8 local failure, 130 declined.
[[nodiscard]] int exitCodeOf(ErrorCode code);

} // namespace pilothouse
