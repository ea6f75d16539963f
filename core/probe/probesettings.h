// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a prober asks a host for. Plain value, any thread.

#include <QString>
#include <QStringList>

#include <chrono>
#include <memory>

namespace pilothouse {

class SudoPassword;

enum class SudoPolicy { Never, NoPassword, Ask };

struct ProbeSettings
{
    QString host;              ///< name for Snapshot::host
    QString target;            ///< user@address:port for Snapshot::target
    QString consoleId;         ///< random, constant for this console: a reconnect ends its own older probe shells
    QStringList units;         ///< system units by full name ("vllm.service"); invalid names are refused one by one
    QStringList userUnits;
    int expectedGpus = 0;      ///< 0: not said
    SudoPolicy sudo = SudoPolicy::Never;
    bool askPerson = false;    ///< SudoPolicy::Ask: one is there, and wants this attempt
    std::shared_ptr<SudoPassword> sudoPassword; ///< kept between connections, used in the prober's thread alone
    std::chrono::milliseconds snapshotTimeout{10'000};
    std::chrono::milliseconds smiTimeout{5'000};
};

} // namespace pilothouse
