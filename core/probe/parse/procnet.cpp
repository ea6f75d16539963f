// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/procnet.h"

#include "core/probe/parse/bytes.h"

#include <QByteArray>

#include <array>
#include <optional>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostSockets = 65'536;

QString ipv4(const char *bytes)
{
    QStringList parts;
    for (int i = 0; i < 4; ++i)
        parts += QString::number(quint8(bytes[i]));
    return parts.join(u'.');
}

/// The longest run of zero groups, two at least, becomes "::".
QString ipv6(const QByteArray &bytes)
{
    std::array<unsigned, 8> groups{};
    for (qsizetype i = 0; i < 8; ++i)
        groups[size_t(i)] = unsigned(quint8(bytes.at(2 * i))) << 8U | quint8(bytes.at(2 * i + 1));
    if (bytes.startsWith(QByteArrayView("\0\0\0\0\0\0\0\0\0\0\xff\xff", 12)))
        return u"::ffff:"_s + ipv4(bytes.constData() + 12);
    size_t best = 0;
    size_t length = 0;
    for (size_t i = 0; i < 8; ++i) {
        size_t run = 0;
        while (i + run < 8 && groups[i + run] == 0)
            ++run;
        if (run > length) {
            best = i;
            length = run;
        }
    }
    QString text;
    for (size_t i = 0; i < 8; ++i) {
        if (length >= 2 && i == best) {
            text += u"::"_s;
            i += length - 1;
            continue;
        }
        if (!text.isEmpty() && !text.endsWith(u':'))
            text += u':';
        text += QString::number(groups[i], 16);
    }
    return text;
}

std::optional<QString> addressOf(QByteArrayView hex)
{
    if (hex.size() != 8 && hex.size() != 32)
        return std::nullopt;
    QByteArray bytes;
    for (qsizetype word = 0; word < hex.size(); word += 8) {
        const auto value = toUnsigned(hex.sliced(word, 8), 16);
        if (!value)
            return std::nullopt;
        for (unsigned shift = 0; shift < 32; shift += 8) // each 32-bit word stands in the host's byte order
            bytes += char(*value >> shift & 0xFF);
    }
    return bytes.size() == 4 ? ipv4(bytes.constData()) : ipv6(bytes);
}

} // namespace

QList<ListeningSocket> parseListening(QByteArrayView text)
{
    QList<ListeningSocket> sockets;
    for (const QByteArrayView line : linesOf(text)) {
        const QList<QByteArrayView> words = wordsOf(line);
        if (words.size() < 10 || words.at(3) != "0A" || sockets.size() >= mostSockets)
            continue;
        const qsizetype colon = words.at(1).indexOf(':');
        if (colon < 0)
            continue;
        const auto address = addressOf(words.at(1).first(colon));
        const auto port = toUnsigned(words.at(1).sliced(colon + 1), 16);
        const auto uid = toInteger(words.at(7));
        const auto inode = toUnsigned(words.at(9));
        if (address && port && *port <= 65'535 && inode)
            sockets += ListeningSocket{*address, quint16(*port), uid.value_or(-1), *inode};
    }
    return sockets;
}

} // namespace pilothouse
