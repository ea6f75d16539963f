// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/units/execline.h"

#include <optional>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

bool isBlank(QChar c)
{
    return c == u' ' || c == u'\t' || c == u'\n' || c == u'\r';
}

struct Escape
{
    char32_t character = 0;
    qsizetype length = 0; // behind the backslash
};

std::optional<Escape> figureEscape(QStringView behind, qsizetype skipped, qsizetype digits, int base)
{
    if (behind.size() < skipped + digits)
        return std::nullopt;
    const QStringView figures = behind.sliced(skipped, digits);
    for (const QChar c : figures) { // toUInt would take a sign or blanks
        const bool isDigit = (c >= u'0' && c <= u'7') || (base == 16 && (c == u'8' || c == u'9'));
        const QChar lower = c.toLower();
        if (!isDigit && !(base == 16 && lower >= u'a' && lower <= u'f'))
            return std::nullopt;
    }
    const uint number = figures.toUInt(nullptr, base);
    const bool usable = number != 0 && number <= 0x10FFFF && !(number >= 0xD800 && number < 0xE000);
    return usable && (base == 16 || number <= 255) ? std::optional(Escape{number, skipped + digits}) : std::nullopt;
}

std::optional<Escape> escapeAt(QStringView behind)
{
    static constexpr QStringView names = u"abfnrtv\\\"'s";
    static constexpr char16_t meanings[] = u"\a\b\f\n\r\t\v\\\"' ";
    if (behind.isEmpty())
        return std::nullopt;
    const QChar c = behind.front();
    if (const qsizetype simple = names.indexOf(c); simple >= 0)
        return Escape{meanings[simple], 1};
    if (c == u'x')
        return figureEscape(behind, 1, 2, 16);
    if (c == u'u')
        return figureEscape(behind, 1, 4, 16);
    if (c == u'U')
        return figureEscape(behind, 1, 8, 16);
    return c >= u'0' && c <= u'7' ? figureEscape(behind, 0, 3, 8) : std::nullopt;
}

class Splitter
{
public:
    explicit Splitter(const QString &value) : m_value(value) { skipBlanks(); }

    [[nodiscard]] bool atEnd() const { return m_at >= m_value.size(); }
    [[nodiscard]] qsizetype at() const { return m_at; }

    /// ";" alone, not quoted.
    bool takeSeparator() { return takeAlone(u";"); }

    /// "\;" alone is the word ";".
    bool takeEscapedSemicolon() { return takeAlone(u"\\;"); }

    /// No value: a quote stays open.
    std::optional<ExecWord> takeWord()
    {
        ExecWord word;
        word.begin = m_at;
        QChar quote;
        for (; !atEnd(); ++m_at) {
            const QChar c = m_value.at(m_at);
            if (c == u'\\') {
                takeEscape(word);
            } else if (!quote.isNull() && c == quote) {
                quote = QChar();
            } else if (quote.isNull() && (c == u'\'' || c == u'"')) {
                quote = c;
                word.quoted = true;
            } else if (quote.isNull() && isBlank(c)) {
                break;
            } else {
                add(word, c, m_at);
            }
        }
        if (!quote.isNull())
            return std::nullopt;
        word.end = m_at;
        word.from += m_at;
        skipBlanks();
        return word;
    }

private:
    static void add(ExecWord &word, QChar c, qsizetype from)
    {
        word.text += c;
        word.from += from;
    }

    void skipBlanks()
    {
        while (!atEnd() && isBlank(m_value.at(m_at)))
            ++m_at;
    }

    bool takeAlone(QStringView what)
    {
        const QStringView rest = QStringView(m_value).sliced(m_at);
        if (!rest.startsWith(what) || (rest.size() > what.size() && !isBlank(rest.at(what.size()))))
            return false;
        m_at += what.size();
        skipBlanks();
        return true;
    }

    /// At a backslash; leaves the last unit that belongs to it. An unknown escape stays as it is written.
    void takeEscape(ExecWord &word)
    {
        const QStringView behind = QStringView(m_value).sliced(m_at + 1);
        const auto escape = escapeAt(behind);
        if (!escape) {
            add(word, u'\\', m_at);
            if (!behind.isEmpty()) {
                ++m_at;
                add(word, m_value.at(m_at), m_at);
            }
            return;
        }
        for (const QChar unit : QString::fromUcs4(&escape->character, 1))
            add(word, unit, m_at);
        m_at += escape->length;
    }

    const QString &m_value;
    qsizetype m_at = 0;
};

/// Takes the prefixes off the program's word.
QString takePrefix(ExecWord &word)
{
    static constexpr QStringView all = u"-@:+!";
    QString prefix;
    while (prefix.size() < word.text.size()) {
        const QChar c = word.text.at(prefix.size());
        const bool twice = prefix.contains(c) && !(c == u'!' && prefix.count(u'!') == 1);
        if (!all.contains(c) || twice || (c == u'+' && prefix.contains(u'!')) || (c == u'!' && prefix.contains(u'+')))
            break;
        prefix += c;
    }
    word.text.remove(0, prefix.size());
    word.from.remove(0, prefix.size());
    return prefix;
}

} // namespace

QStringView ExecWord::baseName() const
{
    return QStringView(text).sliced(text.lastIndexOf(u'/') + 1);
}

ExecLine readExecLine(const QString &value)
{
    ExecLine line;
    Splitter splitter(value);
    while (!splitter.atEnd()) {
        if (splitter.takeSeparator())
            continue;
        ExecCommand command;
        command.begin = splitter.at();
        while (!splitter.atEnd() && !splitter.takeSeparator()) {
            const qsizetype begin = splitter.at();
            if (!command.words.isEmpty() && splitter.takeEscapedSemicolon()) {
                command.words += ExecWord{u";"_s, {begin, begin + 2}, begin, begin + 2, true};
                command.end = begin + 2;
                continue;
            }
            auto word = splitter.takeWord();
            if (!word) {
                line.unbalanced = true;
                return line;
            }
            command.end = word->end;
            if (command.words.isEmpty())
                command.prefix = takePrefix(*word);
            command.words += *std::move(word);
        }
        if (!command.words.isEmpty())
            line.commands += command;
    }
    return line;
}

QString execQuoted(QStringView text)
{
    QString quoted = text.toString();
    quoted.replace(u'\\', u"\\\\"_s).replace(u'\'', u"\\'"_s);
    return u'\'' + quoted + u'\'';
}

QList<ExecWord> readWords(const QString &value)
{
    QList<ExecWord> words;
    Splitter splitter(value);
    while (!splitter.atEnd()) {
        auto word = splitter.takeWord();
        if (!word)
            break;
        words += *std::move(word);
    }
    return words;
}

} // namespace pilothouse
