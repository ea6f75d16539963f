// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Lines of the kernel log that concern GPUs and memory: Xid and SXid, cards off the bus, OOM kills, hung tasks. Lines
// come from dmesg ("[  12.5] …") or journalctl -k -o short-iso ("2026-… host kernel: …"); a line without such a prefix
// may be anybody's and is passed over. Pure, any thread.

#include <QByteArrayView>
#include <QList>
#include <QString>

namespace pilothouse {

struct KernelEvent
{
    enum class Kind { Xid, SXid, OffTheBus, OomKill, HungTask };
    Kind kind = Kind::Xid;
    QString when;        ///< the host's words, as printed
    QString busId;       ///< normalised, where the line names a device
    int number = 0;      ///< of Xid and SXid
    qint64 pid = 0;      ///< 0: not named
    QString name;        ///< of the process, cleaned
    QString text;        ///< the message without its prefix, cleaned
};

/// In the order of the log, newest last.
[[nodiscard]] QList<KernelEvent> parseKernelLog(QByteArrayView log);

enum class XidWeight { Note, Application, Warning, Reset, Reboot };

struct XidMeaning
{
    XidWeight weight = XidWeight::Warning;
    QString text;        ///< plain words; empty for a number that we do not know
};

/// NVIDIA's catalogue of Xid errors, in plain words.
[[nodiscard]] XidMeaning meaningOfXid(int number);

} // namespace pilothouse
