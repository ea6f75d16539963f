// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The answer of `nvidia-smi --query-compute-apps=… --format=csv,noheader,nounits`. Order means nothing, names hold
// commas, and words stand where numbers should. Pure, any thread.

#include "core/base/quantity.h"
#include "core/probe/parse/smimessage.h"

#include <QByteArrayView>
#include <QList>
#include <QStringList>

namespace pilothouse {

/// gpu_uuid, pid, used_memory, process_name: the name last.
[[nodiscard]] QStringList smiAppFields();

struct SmiApp
{
    QString gpuUuid;        ///< "GPU-…", or "MIG-…" of a slice
    qint64 pid = 0;
    Quantity<qint64> mib;
    QString name;           ///< cleaned; empty where the tool had a word instead
    bool nameNotFound = false; ///< [Not Found]: the tool itself found no such process
};

/// A row whose PID is a word.
struct SmiHiddenApp
{
    QString gpuUuid;
    QString word;
    UnknownReason reason = UnknownReason::Failed;
    Quantity<qint64> mib;
};

struct SmiApps
{
    QList<SmiApp> apps;
    QList<SmiHiddenApp> hidden;
    QStringList listNotSupported; ///< uuids of cards that keep no process list
    QList<SmiMessage> messages;
    int unreadableRows = 0;       ///< stand for a process and cannot be read
    int ignoredLines = 0;         ///< prose that is nobody's
    QStringList unreadableOn;     ///< uuids of those rows; empty: of a card that is not told
};

/// `asked` in the order asked for; the field process_name (or name) may hold commas wherever it stands.
[[nodiscard]] SmiApps parseSmiApps(const QStringList &asked, QByteArrayView output, QByteArrayView errors = {});

} // namespace pilothouse
