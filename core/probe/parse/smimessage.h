// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Lines of nvidia-smi that are not rows: what failed, on which card. Pure, any thread.

#include <QByteArrayView>
#include <QString>

#include <optional>

namespace pilothouse {

struct SmiMessage
{
    enum class Kind {
        DriverNotLoaded,
        VersionMismatch,
        LibraryMissing,
        Blocked,         ///< by the operating system
        NoDevices,
        NoPermission,
        InitFailed,      ///< NVML does not start, for another reason
        DeviceHandle,    ///< one card does not answer
        InfoRom,         ///< a warning on one card
        InvalidField,    ///< one unknown field refuses the whole query
        BadArguments,
        Crashed,
        NothingRunning,  ///< "No running processes found"
    };
    Kind kind = Kind::InitFailed;
    QString text;        ///< the line, cleaned
    QString busId;       ///< normalised; of the card meant
    int index = -1;      ///< of the card meant, where the line names one
    QString word;        ///< DeviceHandle: why
    QString field;       ///< InvalidField: which

    /// Nothing can be read while this holds.
    [[nodiscard]] bool isWholeFailure() const;
};

/// No value: not a line that nvidia-smi is known to print.
[[nodiscard]] std::optional<SmiMessage> smiMessageOf(QByteArrayView line);

} // namespace pilothouse
