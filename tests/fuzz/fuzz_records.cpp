// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The records inside sections. The first byte chooses the reader.

#include "core/probe/records.h"

#include <cstdint>

using namespace pilothouse;

namespace {

/// No record may name a process whose number its bytes do not begin with.
void check(const ProcessFilesByPid &files)
{
    for (auto it = files.begin(); it != files.end(); ++it) {
        const ProcessFiles &each = it.value();
        if (each.cmdline.size() > cmdlineLimit || it.key() <= 0)
            __builtin_trap();
        if (!each.stat.isEmpty() && !each.stat.startsWith(QByteArray::number(it.key()))
            && each.stat[0] != '0')
            __builtin_trap();
    }
}

/// Our decoder and the library's agree on what is no base64 and on what the rest means.
void checkDecoded(QByteArrayView text)
{
    QByteArray plain = text.toByteArray();
    plain.removeIf([](char c) { return c == '\n' || c == ' ' || c == '\r'; });
    const auto theirs = QByteArray::fromBase64Encoding(plain, QByteArray::AbortOnBase64DecodingErrors);
    const auto ours = decodeBytes(text, Encoding::Base64);
    if (ours.has_value() != bool(theirs) || (ours && *ours != *theirs))
        __builtin_trap();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size < 1)
        return 0;
    const QByteArrayView text(reinterpret_cast<const char *>(data + 1),
                              static_cast<qsizetype>(size - 1));
    switch (data[0] % 10) {
    case 0:
        if (const auto files = readPrefixedFiles(text))
            check(*files);
        break;
    case 1: {
        ProcessFilesByPid files;
        if (readFramedFiles(text, "0011223344556677", files))
            check(files);
        break;
    }
    case 2:
        (void)readUids(text);
        (void)readStatusLines(text);
        (void)readUsers(text);
        break;
    case 3:
        (void)readLinks(text);
        break;
    case 4:
        (void)readShmFiles(text);
        break;
    case 5:
        (void)readMappings(text);
        break;
    case 6:
        (void)readStatHead(text);
        break;
    case 9: {
        const Networks networks = readNetworks(text);
        for (const QByteArray &name : networks.of) {
            if (!networks.tables.contains(name))
                __builtin_trap();
        }
        break;
    }
    case 7:
        checkDecoded(text);
        (void)decodeBytes(text, Encoding::Hex);
        break;
    default:
        (void)readPids(text);
        (void)readSettings(text);
        break;
    }
    return 0;
}
