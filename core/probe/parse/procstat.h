// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// /proc/PID/stat and /proc/PID/cmdline. comm holds any byte but NUL, line feeds and brackets too: what counts is the
// last ')'. Pure, any thread.

#include <QByteArrayView>
#include <QString>
#include <QStringList>

#include <optional>

namespace pilothouse {

struct ProcStat
{
    qint64 pid = 0;
    QString comm;          ///< cleaned; may be empty
    QChar state;
    qint64 ppid = 0;
    qint64 pgid = 0;
    qint64 sid = 0;
    bool exiting = false;      ///< PF_EXITING
    bool kernelThread = false; ///< PF_KTHREAD
    quint64 cpuTicks = 0;      ///< user and system
    int threads = 0;
    quint64 startTicks = 0;
    qint64 rssPages = 0;
};

/// No value: cut short or no stat at all.
[[nodiscard]] std::optional<ProcStat> parseProcStat(QByteArrayView stat);

struct CommandLine
{
    QStringList arguments; ///< cleaned one by one; an empty argv[0] is kept, the padding of a rewritten title is not
    QString display;       ///< joined by blanks; arguments with blanks are quoted when there are several
};

/// `cut`: the host sent only the beginning.
[[nodiscard]] CommandLine parseCommandLine(QByteArrayView cmdline, bool cut = false);

} // namespace pilothouse
