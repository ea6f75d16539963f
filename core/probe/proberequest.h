// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What goes to a probe shell: the line that turns the login's shell into it, the script, and one
// line a request. Nothing in it can be taken for a command: names are checked here, and the script
// reads the line as data. Pure.

#include "core/base/result.h"
#include "core/host/snapshot.h"

#include <QByteArray>
#include <QList>
#include <QStringList>

namespace pilothouse {

/// Action: a shell of core/actions, for one script.
enum class ProbeRole { Kernel, Driver, Action };

/// Who asks; stands in the arguments of the probe's shells, so that a later connection of the same
/// console finds them.
struct ProbeMarker
{
    QByteArray id; ///< of console and host, lower-case hex
    QByteArray run; ///< of this connection, lower-case hex
};

struct ProbeRequest
{
    QByteArray nonce; ///< lower-case hex
    quint64 tick = 0;
    Depth depth = Depth::Light;
    bool kernel = true; ///< ask for the kernel's truth
    bool driver = true; ///< ask for the driver's
    QStringList units;
    QStringList userUnits;
    QStringList gpuFields;
    QStringList appFields;
    QList<qint64> described; ///< PIDs whose details the kernel's answer brings: the driver's answer
                             ///< leaves them out
    QList<qint64> watched; ///< PIDs of nvidia-smi that may hang
    int smiLimitS = 5;
    int matchLimit = 512;
};

/// A full name that systemctl accepts: no template, known suffix, at most 255 characters.
[[nodiscard]] bool isUnitName(const QString &name);

/// 128 random bits as lower-case hex.
[[nodiscard]] QByteArray makeNonce();

/// Marker for a console's shells on one host.
[[nodiscard]] ProbeMarker makeMarker(const QString &consoleId, const QString &host,
                                     const QString &target);

/// How the probe's shell becomes root's where the account is not.
enum class RootWay { None, SudoUnasked, SudoWithPassword };

/// First text for the login's shell. Lines to throw away come first (a `read` in an rc file eats
/// them), then one line that announces itself and becomes the probe's shell. Nothing more may be
/// sent before that announcement. With a password a second one follows, with the marker's run in place of
/// the nonce, when the shell is root's: before it, sudo would take what is sent for the password.
[[nodiscard]] QByteArray stageText(const QByteArray &nonce, const ProbeMarker &marker,
                                   ProbeRole role, RootWay way);

/// By which sudo asks, on standard error.
[[nodiscard]] QByteArray sudoPrompt(const ProbeMarker &marker);

/// The script with its settings; the READY answer carries `nonce` and tick 0.
[[nodiscard]] QByteArray scriptText(const QByteArray &nonce);

/// One line, line feed included. Units with bad names are left out. Errors: Internal (bad nonce or
/// field).
[[nodiscard]] Result<QByteArray> requestLine(const ProbeRequest &request);

[[nodiscard]] QByteArray nameOf(ProbeRole role);

/// A script without its comments, which are for the reader of the tree: every host would pay for them.
[[nodiscard]] QByteArray withoutComments(QByteArrayView script);

} // namespace pilothouse
