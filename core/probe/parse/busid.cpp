// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/busid.h"

#include "core/probe/parse/bytes.h"

#include <QVarLengthArray>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

bool isHex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

QByteArrayView hexRun(QByteArrayView text, qsizetype from)
{
    qsizetype end = from;
    while (end < text.size() && isHex(text.at(end)))
        ++end;
    return text.sliced(from, end - from);
}

struct Found
{
    QString id;
    qsizetype size = 0; ///< 0: nothing here
};

/// [domain:]bus:device[.function] exactly at the start of `text`.
Found busIdAt(QByteArrayView text, bool inProse)
{
    QVarLengthArray<QByteArrayView, 3> parts{hexRun(text, 0)};
    qsizetype at = parts.first().size();
    while (parts.size() < 3 && at < text.size() && text.at(at) == ':') {
        const QByteArrayView part = hexRun(text, at + 1);
        if (part.size() != 2)
            break;
        parts.append(part);
        at += 1 + part.size();
    }
    QByteArrayView function = "0";
    bool functionGiven = false;
    if (at + 1 < text.size() && text.at(at) == '.' && text.at(at + 1) >= '0' && text.at(at + 1) <= '7') {
        function = text.sliced(at + 1, 1);
        functionGiven = true;
        at += 2;
    }
    if (inProse && !functionGiven) // a time of day looks like the rest
        return {};
    if (at < text.size() && (isHex(text.at(at)) || text.at(at) == ':') && parts.size() < 3)
        return {};
    if (parts.size() == 2 && (inProse || parts.first().size() != 2))
        return {};
    if (parts.size() < 2 || parts.first().isEmpty() || parts.first().size() > 8)
        return {};
    QByteArrayView domain = parts.size() == 3 ? parts.first() : QByteArrayView("0000");
    while (domain.size() > 4 && domain.startsWith('0'))
        domain = domain.sliced(1);
    QVarLengthArray<char, 24> id(qMax<qsizetype>(0, 4 - domain.size()), '0');
    for (const QByteArrayView part : {domain, QByteArrayView(":"), parts.at(parts.size() - 2), QByteArrayView(":"),
             parts.last(), QByteArrayView("."), function}) {
        for (const char c : part)
            id.append(c >= 'A' && c <= 'F' ? char(c + ('a' - 'A')) : c);
    }
    return {QString::fromLatin1(id.constData(), id.size()), at};
}

/// Without "GPU", "GPU 1:", "PCI:" in front.
QByteArrayView withoutPrefix(QByteArrayView text)
{
    text = text.trimmed();
    const QByteArray head = lowered(text.first(qMin<qsizetype>(4, text.size())));
    if (head.startsWith("pci:"))
        return text.sliced(4);
    if (!head.startsWith("gpu"))
        return text;
    text = text.sliced(3).trimmed();
    qsizetype digits = 0;
    while (digits < text.size() && isDigit(text.at(digits)))
        ++digits;
    // "GPU1: 0000:34:00.0": an index is followed by a colon and a blank, a domain by hexadecimal digits.
    if (digits > 0 && digits + 1 < text.size() && text.at(digits) == ':' && text.at(digits + 1) == ' ')
        return text.sliced(digits + 1).trimmed();
    return text;
}

} // namespace

QString normalBusId(QByteArrayView text)
{
    const QByteArrayView bare = withoutPrefix(text);
    const Found found = busIdAt(bare, false);
    return found.size > 0 && found.size == bare.size() ? found.id : QString();
}

QString busIdIn(QByteArrayView prose)
{
    for (qsizetype i = 0; i < prose.size(); ++i) {
        if (!isHex(prose.at(i)))
            continue;
        const Found found = busIdAt(prose.sliced(i), true);
        if (found.size > 0)
            return found.id;
        while (i + 1 < prose.size() && isHex(prose.at(i + 1)))
            ++i; // no start inside a run of digits: "x0000:01:00.0" is read from its run's start only
    }
    return {};
}

} // namespace pilothouse
