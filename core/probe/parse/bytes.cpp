// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/bytes.h"

#include <QByteArray>

#include <charconv>
#include <cmath>
#include <string_view>

namespace pilothouse {

namespace {

bool isBlank(char c)
{
    return c == ' ' || c == '\t';
}

template <class T>
std::optional<T> wholeNumber(QByteArrayView digits, int base)
{
    T value{};
    const char *end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
    if (digits.isEmpty() || error != std::errc{} || stop != end)
        return std::nullopt;
    return value;
}

} // namespace

QList<QByteArrayView> linesOf(QByteArrayView text)
{
    QList<QByteArrayView> lines;
    while (!text.isEmpty()) {
        const qsizetype end = text.indexOf('\n');
        QByteArrayView line = end < 0 ? text : text.first(end);
        text = end < 0 ? QByteArrayView() : text.sliced(end + 1);
        while (line.endsWith('\r'))
            line.chop(1);
        lines += line;
    }
    return lines;
}

QList<QByteArrayView> wordsOf(QByteArrayView line)
{
    QList<QByteArrayView> words;
    qsizetype start = -1;
    for (qsizetype i = 0; i <= line.size(); ++i) {
        const bool gap = i == line.size() || isBlank(line.at(i));
        if (!gap && start < 0)
            start = i;
        if (gap && start >= 0) {
            words += line.sliced(start, i - start);
            start = -1;
        }
    }
    return words;
}

qsizetype lastOf(QByteArrayView text, char c)
{
    const std::size_t at = std::string_view(text.data(), std::size_t(text.size())).rfind(c);
    return at == std::string_view::npos ? -1 : qsizetype(at);
}

std::optional<qint64> toInteger(QByteArrayView digits)
{
    return wholeNumber<qint64>(digits, 10);
}

std::optional<quint64> toUnsigned(QByteArrayView digits, int base)
{
    return wholeNumber<quint64>(digits, base);
}

std::optional<double> toDecimal(QByteArrayView text)
{
    double value = 0;
    const char *end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
    if (text.isEmpty() || error != std::errc{} || stop != end || !std::isfinite(value))
        return std::nullopt;
    return value;
}

QByteArray lowered(QByteArrayView text)
{
    return text.toByteArray().toLower();
}

} // namespace pilothouse
