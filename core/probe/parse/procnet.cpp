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

/// "ADDRESS:PORT" as the kernel writes it.
std::optional<SocketEnd> endOf(QByteArrayView word)
{
    const qsizetype colon = word.indexOf(':');
    const auto address = colon < 0 ? std::nullopt : addressOf(word.first(colon));
    const auto port = address ? toUnsigned(word.sliced(colon + 1), 16) : std::nullopt;
    if (!port || *port > 65'535)
        return std::nullopt;
    return SocketEnd{*address, quint16(*port)};
}

struct Row
{
    SocketEnd local;
    SocketEnd remote;
    qint64 uid = -1;
    quint64 inode = 0;
};

/// The rows in one state.
QList<Row> rowsOf(QByteArrayView text, QByteArrayView state)
{
    QList<Row> rows;
    for (const QByteArrayView line : linesOf(text)) {
        const QList<QByteArrayView> words = wordsOf(line);
        if (words.size() < 10 || words.at(3) != state || rows.size() >= mostSockets)
            continue;
        const auto local = endOf(words.at(1));
        const auto remote = endOf(words.at(2));
        const auto inode = toUnsigned(words.at(9));
        if (local && remote && inode)
            rows += Row{*local, *remote, toInteger(words.at(7)).value_or(-1), *inode};
    }
    return rows;
}

} // namespace

QList<ListeningSocket> parseListening(QByteArrayView text)
{
    QList<ListeningSocket> sockets;
    for (const Row &row : rowsOf(text, "0A"))
        sockets += ListeningSocket{row.local.address, row.local.port, row.uid, row.inode};
    return sockets;
}

QList<EstablishedTcp> parseConnections(QByteArrayView text)
{
    const auto plain = [](SocketEnd end) {
        if (end.address.startsWith("::ffff:"_L1) && end.address.contains(u'.'))
            end.address.remove(0, 7);
        return end;
    };
    QList<EstablishedTcp> connections;
    for (const Row &row : rowsOf(text, "01"))
        connections += EstablishedTcp{plain(row.local), plain(row.remote), row.inode};
    return connections;
}

QString textOf(const SocketEnd &end)
{
    const bool bare = !end.address.contains(u':');
    return (bare ? end.address : u'[' + end.address + u']') + u':' + QString::number(end.port);
}

bool isLoopback(const SocketEnd &end)
{
    return end.address.startsWith("127."_L1) || end.address == "::1"_L1;
}

} // namespace pilothouse
