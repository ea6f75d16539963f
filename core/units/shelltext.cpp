// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/units/shelltext.h"

#include "core/host/timespan.h"

#include <QRegularExpression>

#include <algorithm>
#include <limits>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// Before a program, and not it.
const QStringList &fillers()
{
    static const QStringList words{u"if"_s,    u"then"_s,    u"elif"_s, u"else"_s, u"while"_s, u"until"_s,
                                   u"do"_s,    u"!"_s,       u"{"_s,    u"time"_s, u"exec"_s,  u"sudo"_s,
                                   u"nohup"_s, u"command"_s, u"env"_s,  u"-"_s,    u"nice"_s,  u"-n"_s};
    return words;
}

bool isAssignment(QStringView word)
{
    static const QRegularExpression pattern(u"^[A-Za-z_][A-Za-z0-9_]*\\+?="_s);
    return pattern.match(word).hasMatch();
}

class Scanner
{
public:
    explicit Scanner(QStringView text) : m_text(text) { m_levels += Level(); }

    QList<ShellCommand> run()
    {
        while (m_at < m_text.size()) {
            take(m_text.at(m_at));
            ++m_at;
        }
        while (!m_levels.isEmpty())
            closeLevel();
        return m_commands;
    }

private:
    /// What is being read at one depth of $( ).
    struct Level
    {
        ShellCommand command;
        ShellWord word;
        bool hasWord = false;
        bool inDouble = false;
        QChar end; ///< of "$(" or "`"; null: the text itself
    };

    Level &level() { return m_levels.last(); }

    void take(QChar c)
    {
        if (c == u'\\' && m_at + 1 < m_text.size()) {
            ++m_at;
            add(m_text.at(m_at), m_at - 1);
        } else if (c == u'$' && startsWith(u"$((")) {
            const qsizetype end = m_text.indexOf(u"))", m_at);
            const qsizetype stop = end < 0 ? m_text.size() - 1 : end + 1;
            for (; m_at < stop; ++m_at)
                add(m_text.at(m_at), m_at);
            add(m_text.at(m_at), m_at);
        } else if (c == u'$' && startsWith(u"$(")) {
            add(c, m_at);
            ++m_at;
            openLevel(u')');
        } else if (c == u'`' && level().end == u'`') {
            closeLevel();
        } else if (c == u'`') {
            add(c, m_at);
            openLevel(u'`');
        } else if (c == u'"') {
            level().inDouble = !level().inDouble;
            touch();
        } else if (level().inDouble) {
            add(c, m_at);
        } else if (c == u'\'') {
            const qsizetype end = m_text.indexOf(u'\'', m_at + 1);
            touch();
            for (++m_at; m_at < m_text.size() && m_at != end; ++m_at)
                add(m_text.at(m_at), m_at);
        } else if (c == u')' && level().end == u')') {
            closeLevel();
        } else if (c == u'#' && !level().hasWord) {
            const qsizetype end = m_text.indexOf(u'\n', m_at);
            m_at = end < 0 ? m_text.size() : end - 1;
        } else if (c.isSpace() && c != u'\n') {
            endWord();
        } else if (isSeparator(c)) {
            endCommand();
        } else {
            add(c, m_at);
        }
    }

    bool isSeparator(QChar c) const
    {
        if (c == u'&') { // not of "2>&1" and "&>"
            const bool behind = m_at > 0 && (m_text.at(m_at - 1) == u'>' || m_text.at(m_at - 1) == u'<');
            return !behind && !startsWith(u"&>");
        }
        return c == u';' || c == u'|' || c == u'(' || c == u')' || c == u'\n';
    }

    [[nodiscard]] bool startsWith(QStringView what) const { return m_text.sliced(m_at).startsWith(what); }

    void touch()
    {
        Level &now = level();
        if (!now.hasWord)
            now.word = ShellWord{{}, m_at, m_at};
        now.hasWord = true;
    }

    void add(QChar c, qsizetype from)
    {
        Level &now = level();
        if (!now.hasWord)
            now.word = ShellWord{{}, from, from};
        now.hasWord = true;
        now.word.text += c;
    }

    void endWord()
    {
        Level &now = level();
        if (std::exchange(now.hasWord, false)) {
            now.word.end = std::min(m_at, m_text.size());
            now.command.words += now.word;
        }
    }

    void endCommand()
    {
        endWord();
        if (!level().command.words.isEmpty())
            m_commands += std::exchange(level().command, {});
    }

    void openLevel(QChar end)
    {
        if (m_levels.size() > 20) // nobody writes that by hand
            return;
        m_levels += Level();
        level().end = end;
    }

    void closeLevel()
    {
        const QChar end = level().end;
        endCommand();
        m_levels.removeLast();
        if (!m_levels.isEmpty() && !end.isNull())
            add(end, m_at);
    }

    QStringView m_text;
    qsizetype m_at = 0;
    QList<Level> m_levels;
    QList<ShellCommand> m_commands;
};

std::optional<qint64> wholeNumber(QStringView text)
{
    bool isNumber = false;
    const qint64 number = text.toLongLong(&isNumber);
    return isNumber && number >= 0 && number < 1'000'000'000 ? std::optional(number) : std::nullopt;
}

/// How often the loops of a text run; no value: there is none; endless: no bound is seen.
std::optional<double> turnsOf(const QString &text, const QList<ShellCommand> &commands)
{
    std::optional<double> most;
    for (const ShellCommand &command : commands) {
        const QString head = command.words.first().text;
        if ((head == u"while" || head == u"until") && command.programName() != u"read")
            most = std::max(most.value_or(0), std::numeric_limits<double>::infinity());
        if (head != u"for")
            continue;
        static const QRegularExpression braces(u"\\{(\\d+)\\.\\.(\\d+)\\}"_s);
        static const QRegularExpression seq(u"\\bseq\\s+(?:(\\d+)\\s+)?(\\d+)"_s);
        double turns = double(std::max<qsizetype>(command.words.size() - 3, 0));
        for (const QRegularExpression &pattern : {braces, seq}) {
            const QRegularExpressionMatch match = pattern.match(text);
            if (match.hasMatch()) {
                const auto last = wholeNumber(match.capturedView(2));
                turns = double(last.value_or(0) - wholeNumber(match.capturedView(1)).value_or(1) + 1);
            }
        }
        most = std::max(most.value_or(0), turns);
    }
    if (!most || *most < std::numeric_limits<double>::infinity())
        return most;
    // A counter that is compared is a bound.
    for (const QString &counter : countersIn(text)) {
        const QRegularExpression compared(u"\\b"_s + counter + u"\\}?\"?\\s*(?:-[lg][te]|[<>]=?)\\s*(\\d+)");
        if (const auto match = compared.match(text); match.hasMatch())
            return double(wholeNumber(match.capturedView(1)).value_or(0));
    }
    return most;
}

} // namespace

qsizetype ShellCommand::program() const
{
    for (qsizetype i = 0; i < words.size(); ++i) {
        const QString &word = words.at(i).text;
        if (word == u"for" || word == u"case")
            return -1;
        if (word == u"timeout") {
            while (i + 1 < words.size() && words.at(i + 1).text.startsWith(u'-'))
                i += words.at(i + 1).text.size() == 2 ? 2 : 1;
            ++i;
            continue;
        }
        if (!fillers().contains(word) && !isAssignment(word))
            return i;
    }
    return -1;
}

QString ShellCommand::programName() const
{
    const qsizetype at = program();
    return at < 0 ? QString() : words.at(at).text.section(u'/', -1);
}

QList<ShellCommand> shellCommands(QStringView text)
{
    return Scanner(text).run();
}

QStringList namesSetBy(QStringView text)
{
    QStringList names;
    for (const ShellCommand &command : shellCommands(text)) {
        qsizetype i = 0;
        while (i < command.words.size() && fillers().contains(command.words.at(i).text))
            ++i;
        for (; i < command.words.size() && isAssignment(command.words.at(i).text); ++i)
            names += command.words.at(i).text.section(u'=', 0, 0).remove(u'+');
        const QString head = command.words.value(i).text;
        if (head == u"for")
            names += command.words.value(i + 1).text;
        if (head == u"read" || head == u"export" || head == u"local" || head == u"declare") {
            for (const ShellWord &word : command.words.mid(i + 1)) {
                if (!word.text.startsWith(u'-'))
                    names += word.text.section(u'=', 0, 0);
            }
        }
    }
    return names;
}

QStringList countersIn(const QString &text)
{
    static const QRegularExpression patterns(
        u"\\b([A-Za-z_]\\w*)=\\$*\\(\\(\\s*\\$*\\{?\\1\\}?\\s*[+]|\\b([A-Za-z_]\\w*)(?:\\+\\+|\\+=\\d)"
        "|\\b([A-Za-z_]\\w*)=[`$]+\\(?expr\\b|\\b(SECONDS)\\b"_s);
    QStringList names;
    for (auto match = patterns.globalMatch(text); match.hasNext();) {
        const QRegularExpressionMatch one = match.next();
        names += one.captured(one.lastCapturedIndex());
    }
    return names;
}

std::optional<ShellWait> waitOf(const QString &text)
{
    const QList<ShellCommand> commands = shellCommands(text);
    std::chrono::microseconds sleep{0};
    for (const ShellCommand &command : commands) {
        const qsizetype at = command.program();
        if (at >= 0 && command.programName() == u"sleep")
            sleep = std::max(sleep, parseTimeSpan(command.words.value(at + 1).text).value_or(std::chrono::seconds(0)));
    }
    const std::optional<double> turns = turnsOf(text, commands);
    if (!turns)
        return sleep.count() > 0 ? std::optional(ShellWait{sleep, false}) : std::nullopt;
    const double limit = text.contains(u"SECONDS") ? *turns * 1e6 : *turns * double(sleep.count());
    return ShellWait{limit < 9e18 ? std::chrono::microseconds(qint64(limit)) : endlessTime, true};
}

} // namespace pilothouse
