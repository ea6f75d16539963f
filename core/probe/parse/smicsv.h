// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The answer of `nvidia-smi --query-gpu=… --format=csv,noheader,nounits`: rows, and lines that are none. Headers,
// units, CR LF, missing blanks and prose between the rows are all seen in the wild. Pure, any thread.

#include "core/host/gpu.h"
#include "core/probe/parse/smimessage.h"

#include <QByteArrayView>
#include <QList>
#include <QStringList>

namespace pilothouse {

/// Every field that this reader knows. `name` stands last, so that a comma inside it shifts nothing.
[[nodiscard]] QStringList smiGpuFields();
/// Those without which a snapshot is useless; never left out of the question.
[[nodiscard]] QStringList smiCoreGpuFields();

struct SmiGpus
{
    QList<Gpu> gpus;              ///< in the order of the rows; a fault word has tainted its card already
    QString driverVersion;
    QList<SmiMessage> messages;   ///< of both streams
    int faultRows = 0;            ///< rows of error words only: a card without an identity
    QString faultWord;            ///< theirs
    int unreadableRows = 0;       ///< start like a row, but have the wrong number of cells
    int ignoredLines = 0;         ///< prose that is nobody's
    QString firstIgnored;         ///< cleaned
    int repeatedRows = 0;         ///< the same uuid or index again
};

/// One row as it stands there, before the rows are joined to a list.
struct SmiRow
{
    Gpu gpu;
    QString driverVersion;
    bool hasIdentity = false;
    bool onlyFaults = true;
    QString fault;        ///< worst fault word of the row
};

/// What the last answer's bytes were read as. A value that the caller keeps from tick to tick, at most 64 rows of it:
/// rows that come again, or with other figures only, are not read anew. The result is the same as without.
struct SmiGpusMemo
{
    struct Line
    {
        QByteArray bytes;
        QList<QByteArrayView> cells; ///< of `bytes`
        SmiRow row;
    };

    QStringList asked;
    QByteArray output;
    SmiGpus gpus;
    QList<Line> lines;
};

/// `asked`: the fields in the order asked for; unknown names are skipped over.
[[nodiscard]] SmiGpus parseSmiGpus(const QStringList &asked, QByteArrayView output, QByteArrayView errors = {});
[[nodiscard]] SmiGpus parseSmiGpus(const QStringList &asked, QByteArrayView output, QByteArrayView errors,
    SmiGpusMemo &memo);

/// A line cut into as many cells as `columns`, the surplus commas going to cell `flexible` (-1: none may be
/// surplus). Empty when there are too few or too many. Cells are trimmed.
[[nodiscard]] QList<QByteArrayView> csvCells(QByteArrayView line, qsizetype columns, qsizetype flexible);

/// Taints the whole card: memory and load become unknown (failed), `fault` keeps the worst word.
void taint(Gpu &gpu, const QString &word);

} // namespace pilothouse
