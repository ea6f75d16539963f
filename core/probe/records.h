// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Reads what stands inside the sections of an answer: which file of which process, which
// descriptor, which mapping. Every record begins with words that the host's own tools wrote; what a
// user of the host chose comes after them, to the end of the record. Pure, trusts no count, any
// thread.

#include "core/base/result.h"
#include "core/probe/hostanswer.h"

#include <QByteArray>
#include <QByteArrayView>
#include <QHash>
#include <QList>

#include <optional>

namespace pilothouse {

enum class Encoding { Base64, Hex };

/// Errors: AnswerMalformed (a character that the encoding does not have).
[[nodiscard]] Result<QByteArray> decodeBytes(QByteArrayView text, Encoding encoding);

struct ProcessFiles
{
    QByteArray stat; ///< empty: gone or not readable
    QByteArray cgroup;
    QByteArray cmdline;
    bool cmdlineCut = false;
};
using ProcessFilesByPid = QHash<qint64, ProcessFiles>;

constexpr qsizetype cmdlineLimit = 4096;

/// Lines "PID/FILE:text" as grep prints them, one for each line of the file. Errors:
/// AnswerMalformed, for a line without such a beginning, a file that comes twice, a PID whose stat
/// is another's.
[[nodiscard]] Result<ProcessFilesByPid> readPrefixedFiles(QByteArrayView raw);

/// "\nNONCE PID/FILE\n" and the file's bytes, for hosts whose grep cannot do the above. Adds to
/// `files`.
[[nodiscard]] Result<void> readFramedFiles(QByteArrayView raw, const QByteArray &nonce,
                                           ProcessFilesByPid &files);

/// Lines "PID/status:Uid:\tREAL\t…"; others are passed over.
[[nodiscard]] QHash<qint64, qint64> readUids(QByteArrayView text);

/// Lines "PID/status:KEY:\tVALUE" and "PID/wchan:PLACE", as "KEY:\tVALUE" and "wchan:PLACE" by PID;
/// others are passed over.
[[nodiscard]] QHash<qint64, QByteArray> readStatusLines(QByteArrayView text);

/// Numbers divided by blanks and line feeds; other words are passed over.
[[nodiscard]] QList<qint64> readPids(QByteArrayView text);

struct HeldLink
{
    qint64 pid = 0;
    int fd = -1;
    QByteArray target;
};
/// Lines "PID/fd/N TARGET" or "PID/task/TID/fd/N TARGET".
[[nodiscard]] QList<HeldLink> readLinks(QByteArrayView text);

/// Which processes share a network, and each network's connections.
struct Networks
{
    QHash<qint64, QByteArray> of; ///< PID to the name of its network, one of `tables`
    QHash<QByteArray, QByteArray> tables; ///< lines of /proc/net/tcp and tcp6; only whole ones
};
/// A line "limit N", lines "in NAME PID" or "in NAME PID/task/TID", then "NAME/net/tcp:LINE" and
/// "NAME/net/tcp6:LINE" as grep prints them, headers included. A table without a header or with N
/// lines was not read to its end and is left out, and so are its processes. Other lines are passed over.
[[nodiscard]] Networks readNetworks(QByteArrayView text);

/// Lines "DEVICE INODE BYTES UID PATH", device and inode decimal as stat has them.
[[nodiscard]] QList<RawShmFile> readShmFiles(QByteArrayView text);

/// Lines "PID/maps:RANGE PERMS OFFSET DEVICE INODE", cut behind the inode: inode to PIDs, each
/// once.
[[nodiscard]] QHash<quint64, QList<qint64>> readMappings(QByteArrayView text);

/// Lines of passwd: uid to name, cleaned.
[[nodiscard]] QHash<qint64, QString> readUsers(QByteArrayView text);

/// Lines "key=value".
[[nodiscard]] QHash<QByteArray, QByteArray> readSettings(QByteArrayView text);

struct StatHead
{
    qint64 pid = 0;
    QByteArray comm;
    char state = '?';
    quint64 startTicks = 0;
};
/// The few fields of /proc/PID/stat that the driver of the script needs itself. No value when it
/// cannot be read.
[[nodiscard]] std::optional<StatHead> readStatHead(QByteArrayView stat);

} // namespace pilothouse
