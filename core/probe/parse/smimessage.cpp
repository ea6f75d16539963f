// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/smimessage.h"

#include "core/base/cleantext.h"
#include "core/probe/parse/busid.h"
#include "core/probe/parse/bytes.h"

#include <array>

namespace pilothouse {

using Kind = SmiMessage::Kind;

namespace {

struct Pattern
{
    const char *part; ///< lower case, anywhere in the line
    Kind kind;
};

// In this order: the first that fits decides.
constexpr std::array patterns{
    Pattern{"couldn't communicate with the nvidia driver", Kind::DriverNotLoaded},
    Pattern{"driver not loaded", Kind::DriverNotLoaded},
    Pattern{"driver/library version mismatch", Kind::VersionMismatch},
    Pattern{"couldn't find libnvidia-ml", Kind::LibraryMissing},
    Pattern{"to your system path", Kind::LibraryMissing},
    Pattern{"nvml shared library", Kind::LibraryMissing},
    Pattern{"shared library not found", Kind::LibraryMissing},
    Pattern{"access blocked by the operating system", Kind::Blocked},
    Pattern{"no devices were found", Kind::NoDevices},
    Pattern{"inforom is corrupted", Kind::InfoRom},
    Pattern{"is not a valid field to query", Kind::InvalidField},
    Pattern{"invalid combination of input arguments", Kind::BadArguments},
    Pattern{"option is not recognized", Kind::BadArguments},
    Pattern{"failed to process command line", Kind::BadArguments},
    Pattern{"no running processes found", Kind::NothingRunning},
    Pattern{"no running compute processes found", Kind::NothingRunning},
    Pattern{"segmentation fault", Kind::Crashed},
    Pattern{"core dumped", Kind::Crashed},
    Pattern{"insufficient permissions", Kind::NoPermission},
    Pattern{"failed to initialize nvml", Kind::InitFailed},
    Pattern{"failed to properly shut down nvml", Kind::InitFailed},
    Pattern{"nvidia-smi has failed", Kind::InitFailed},
};

SmiMessage messageOf(Kind kind, QByteArrayView line)
{
    SmiMessage message;
    message.kind = kind;
    message.text = cleanLine(line, 300);
    return message;
}

/// "Unable to determine the device handle for GPU1: 0000:34:00.0: Unknown Error", in all its spellings.
std::optional<SmiMessage> deviceHandleOf(QByteArrayView line, const QByteArray &lower)
{
    constexpr QByteArrayView marker = "the device handle for";
    const qsizetype at = lower.indexOf(marker);
    if (at < 0 || !lower.contains("unable to"))
        return std::nullopt;
    SmiMessage message = messageOf(Kind::DeviceHandle, line);
    const QByteArrayView rest = line.sliced(at + marker.size()).trimmed();
    message.busId = busIdIn(rest);
    // The reason follows the last colon and blank; a bus id holds colons, but no blanks after them.
    for (qsizetype i = rest.size() - 1; i > 0; --i) {
        if (rest.at(i) == ' ' && rest.at(i - 1) == ':') {
            const QByteArrayView word = rest.sliced(i).trimmed();
            message.word = normalBusId(word).isEmpty() ? cleanLine(word, 120) : QString();
            break;
        }
    }
    // "GPU0:" is an index, "GPU0000:65:00.0" is not.
    const QByteArrayView head = rest.startsWith("GPU") ? rest.sliced(3).trimmed() : rest;
    const qsizetype colon = head.indexOf(": ");
    if (colon > 0 && colon <= 3) {
        if (const auto index = toInteger(head.first(colon)))
            message.index = int(*index);
    }
    return message;
}

QString fieldOf(QByteArrayView line)
{
    const qsizetype open = line.indexOf('"');
    const qsizetype close = open < 0 ? -1 : line.indexOf('"', open + 1);
    return close < 0 ? QString() : cleanLine(line.sliced(open + 1, close - open - 1), 80);
}

} // namespace

bool SmiMessage::isWholeFailure() const
{
    switch (kind) {
    case Kind::DriverNotLoaded:
    case Kind::VersionMismatch:
    case Kind::LibraryMissing:
    case Kind::Blocked:
    case Kind::NoPermission:
    case Kind::InitFailed:
    case Kind::InvalidField:
    case Kind::BadArguments:
    case Kind::Crashed:
        return true;
    case Kind::NoDevices:
    case Kind::DeviceHandle:
    case Kind::InfoRom:
    case Kind::NothingRunning:
        break;
    }
    return false;
}

std::optional<SmiMessage> smiMessageOf(QByteArrayView line)
{
    line = line.trimmed();
    const QByteArray lower = lowered(line.first(qMin<qsizetype>(line.size(), 1024)));
    if (auto handle = deviceHandleOf(line, lower))
        return handle;
    for (const Pattern &pattern : patterns) {
        if (!lower.contains(pattern.part))
            continue;
        SmiMessage message = messageOf(pattern.kind, line);
        if (pattern.kind == Kind::InfoRom)
            message.busId = busIdIn(line);
        if (pattern.kind == Kind::InvalidField)
            message.field = fieldOf(line);
        return message;
    }
    return std::nullopt;
}

} // namespace pilothouse
