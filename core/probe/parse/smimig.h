// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// MIG devices from the text of `nvidia-smi -q` (memory and instance ids) and of `nvidia-smi -L` (uuids); both may
// stand in one text. Pure, any thread.

#include "core/host/gpu.h"

#include <QByteArrayView>
#include <QHash>
#include <QList>

namespace pilothouse {

struct SmiMig
{
    QHash<QString, QList<MigDevice>> byBusId; ///< of -q; key normalised
    QHash<QString, QStringList> uuidsByGpu;   ///< of -L: uuid of the card to those of its slices, by device index
};

[[nodiscard]] SmiMig parseSmiMig(QByteArrayView text);

} // namespace pilothouse
