// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Lines of a host's journal, as `journalctl -o json` prints them. Pure, any thread. The text is hostile: what comes out is
// cleaned and bounded.

#include <QByteArrayView>
#include <QDateTime>
#include <QList>
#include <QString>

#include <optional>

namespace pilothouse {

struct JournalLine
{
    QDateTime at;        ///< UTC, on the host's clock; invalid when it does not say
    int priority = 6;    ///< 0 emergency to 7 debug
    std::optional<qint64> pid;
    QString name;        ///< who wrote it: "systemd", "vllm"
    QString text;        ///< one line; of a message with several the first stands here, the others follow

    friend bool operator==(const JournalLine &, const JournalLine &) = default;
};

/// Oldest first. What is no JSON object with a message is passed over; a message that journalctl left out for its length
/// says so.
[[nodiscard]] QList<JournalLine> readJournal(QByteArrayView text, qsizetype most = 5000);

} // namespace pilothouse
