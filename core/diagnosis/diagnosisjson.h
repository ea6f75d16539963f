// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A diagnosis as the JSON of the outside contract ("holders"). Pure, any thread.

#include "core/diagnosis/diagnosis.h"

#include <QJsonArray>
#include <QJsonObject>

namespace pilothouse {

/// `snapshot`: what toJson() of core/host made of the snapshot that was judged. Each process gets role, verdict, evidence,
/// action and family, the document families, the host's verdict and what each card is held by.
[[nodiscard]] QJsonObject withDiagnosis(QJsonObject snapshot, const Diagnosis &diagnosis);

[[nodiscard]] QJsonObject toJson(const Family &family);
[[nodiscard]] QJsonObject toJson(const HostVerdict &verdict);

} // namespace pilothouse
