// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/cleantext.h"

#include <algorithm>

namespace pilothouse {

namespace {

constexpr char16_t replacement = 0xFFFD;
constexpr char16_t ellipsis = 0x2026;

bool isInvisibleFormat(char16_t c)
{
    return c == 0x00AD || c == 0x034F || c == 0x061C || c == 0x180E || (c >= 0x200B && c <= 0x200F)
        || (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF
        || (c >= 0xFFF9 && c <= 0xFFFB);
}

char16_t printable(char16_t c)
{
    if (c < 0x20)
        return char16_t(0x2400 + c);
    if (c == 0x7F)
        return 0x2421;
    if ((c >= 0x80 && c < 0xA0) || c == 0x2028 || c == 0x2029 || isInvisibleFormat(c))
        return replacement;
    return c;
}

QString clean(QStringView text, qsizetype limit, bool keepLineFeeds)
{
    QString out;
    out.reserve(qMin(text.size(), limit));
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (out.size() >= limit) {
            if (limit > 0) {
                if (out.size() > 1 && out.at(limit - 1).isLowSurrogate())
                    out.chop(1);
                out.replace(out.size() - 1, 1, QChar(ellipsis));
            }
            break;
        }
        const char16_t c = text.at(i).unicode();
        if (keepLineFeeds && c == u'\r' && i + 1 < text.size() && text.at(i + 1) == u'\n')
            continue;
        if (keepLineFeeds && c == u'\n') {
            out += u'\n';
            continue;
        }
        if (QChar::isHighSurrogate(c) && i + 1 < text.size()
            && text.at(i + 1).isLowSurrogate()) {
            if (out.size() + 2 > limit) {
                out += QChar(ellipsis);
                break;
            }
            const char32_t whole = QChar::surrogateToUcs4(text.at(i), text.at(i + 1));
            ++i;
            // Tag characters and other supplementary format characters are invisible.
            if (QChar::category(whole) == QChar::Other_Format || !QChar::isPrint(whole))
                out += QChar(replacement);
            else
                out += QStringView(text.sliced(i - 1, 2));
            continue;
        }
        out += QChar::isSurrogate(c) ? QChar(replacement) : QChar(printable(c));
    }
    return out;
}

} // namespace

QString cleanLine(QByteArrayView bytes, qsizetype limit)
{
    // Most of what hosts print is plain ASCII and short: nothing to clean, nothing to decode.
    const auto plain = [](char c) { return c >= 0x20 && c < 0x7F; };
    if (bytes.size() <= limit && std::all_of(bytes.begin(), bytes.end(), plain))
        return QString::fromLatin1(bytes);
    // Decoding first: a byte limit could cut a character in two. Four bytes a unit is the most UTF-8 needs.
    return clean(QString::fromUtf8(bytes.first(qMin(bytes.size(), limit * 4))), limit, false);
}

QString cleanLine(QStringView text, qsizetype limit)
{
    return clean(text, limit, false);
}

QString cleanText(QByteArrayView bytes, qsizetype limit)
{
    return clean(QString::fromUtf8(bytes.first(qMin(bytes.size(), limit * 4))), limit, true);
}

} // namespace pilothouse
