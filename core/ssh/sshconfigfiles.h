// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Walks the files of an SSH configuration along their Include lines, without understanding what
// they set: ssh does that. For the list of aliases and for the stamp of a cached answer. Any
// thread; reads files, may block briefly.

#include <QList>
#include <QString>
#include <QStringList>

#include <functional>

namespace pilothouse {

/// Where Include and the person's own configuration start from.
struct SshConfigRoots
{
    QString userFile; ///< ~/.ssh/config, or what -F names
    QString systemFile; ///< /etc/ssh/ssh_config; empty with -F
    QString userFolder; ///< ~/.ssh: relative Includes of the person's file
    QString systemFolder; ///< /etc/ssh: relative Includes of the system's
    QString home;

    /// `configFile` as given to ssh -F; empty: the person's and the system's files.
    [[nodiscard]] static SshConfigRoots of(const QString &configFile, const QString &home);
};

struct SshConfigLine
{
    QString keyword; ///< lower case
    QStringList arguments; ///< without their quotes
    QString file;
    int line = 0; ///< from 1
};

struct SshConfigScan
{
    QStringList files; ///< read, in order, each once
    QStringList
        unreadable; ///< named but not read: unreadable, not a file, over 1 MiB, beyond the limits
    QStringList absent; ///< where reading starts, but nothing is there
    QStringList patterns; ///< of Include, absolute: filesLike() says what they stand for
    bool dependsOnMore =
        false; ///< Match exec, localnetwork and such: the answer may change while no file does
};

/// Calls `visit` for each line that is not empty, in the order in which ssh meets them. At most 16
/// levels deep, 1,000 files, and a file within itself is left out.
SshConfigScan scanSshConfig(const SshConfigRoots &roots,
                            const std::function<void(const SshConfigLine &)> &visit);

/// What a pattern of Include stands for now, in ssh's order.
[[nodiscard]] QStringList filesLike(const QString &pattern);

/// One line of a configuration: keyword, then words, "…" quoted or bare, `=` allowed after the
/// keyword.
[[nodiscard]] SshConfigLine splitSshConfigLine(QStringView line);

} // namespace pilothouse
