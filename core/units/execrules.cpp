// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What systemd does to the words of an Exec line, and what it does not do because it is no shell.
#include "core/units/expansion.h"
#include "core/units/rulecontext.h"
#include "core/units/shelltext.h"

#include <QRegularExpression>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Severity = UnitFinding::Severity;

bool isOperator(const QString &word)
{
    static const QRegularExpression pattern(
        u"^(\\||\\|\\||&&|&|\\|&|<|<<|<<<|(\\d|&)?>{1,2}\\|?(&\\d|&-|[^>&\\s]*))$"_s);
    return pattern.match(word).hasMatch();
}

/// What a shell would do with an unquoted word and systemd does not; empty: nothing.
QString shellPartOf(const ExecCommand &command, qsizetype i)
{
    const ExecWord &word = command.words.at(i);
    if (word.text.startsWith(u"$(") || word.text.startsWith(u'`'))
        return word.quoted ? QString() : word.text;
    if (word.quoted)
        return {};
    if (isOperator(word.text))
        return word.text;
    const bool glued = word.text.size() > 1 && word.text.endsWith(u';') && i + 1 < command.words.size();
    return glued ? u";"_s : QString();
}

bool isAssignmentWord(const ExecWord &word)
{
    static const QRegularExpression pattern(u"^[A-Za-z_][A-Za-z0-9_]*=[^/]*$|^[A-Za-z_][A-Za-z0-9_]*=/"_s);
    return pattern.match(word.text).hasMatch();
}

/// The name that is known and differs in its letters' case alone.
QString likeName(const RuleContext &context, const QString &name)
{
    for (const QString &known : context.variables) {
        if (known != name && known.compare(name, Qt::CaseInsensitive) == 0)
            return known;
    }
    return {};
}

struct UseIn
{
    const RuleContext &context;
    const ExecEntry &entry;
    const ExecCommand &command;
    const ExecWord &word;
    bool isScript = false;
    const QStringList &scriptNames;
};

QString reasonFor(const UseIn &at, const QString &written, const QString &name)
{
    if (at.isScript) {
        const QString own = at.scriptNames.contains(name) ? u", although the script sets it"_s : QString();
        return u"systemd itself puts something in the place of %1 before the shell runs. The unit gives it no such "
               "variable, so the shell finds nothing there%2. Doubled, the dollar reaches the shell."_s.arg(
                   shown(written), own);
    }
    if (isVariableName(name)) {
        const QString like = likeName(at.context, name);
        const QString hint =
            like.isEmpty() ? u"Set it there, or write what is meant."_s : u"There is %1."_s.arg(shown(like));
        return u"%1 is set by no Environment= or EnvironmentFile= of this unit: systemd puts nothing in its place. %2"_s
            .arg(shown(written), hint);
    }
    return u"systemd takes %1 for a variable and puts nothing in its place. Doubled, the dollar stays."_s.arg(
        shown(written));
}

std::optional<UnitFinding> checkBraced(const UseIn &at, const VariableUse &use, Correction &correction)
{
    const VariableState state = at.context.stateOf(use.name, at.entry.line.key);
    const bool sure = state == VariableState::Unset || (at.isScript && at.scriptNames.contains(use.name));
    if (state == VariableState::Set || !sure)
        return std::nullopt;
    const qsizetype from = at.word.from.at(use.begin);
    const QString like = likeName(at.context, use.name);
    const bool mended = correction.isWrapped(from); // the shell will see it
    if (!mended && (at.isScript || !isVariableName(use.name)))
        correction.insert(from, u"$"_s);
    else if (!mended && !like.isEmpty())
        correction.replace(from, at.word.from.at(use.begin + use.length - 1) + 1, u"${"_s + like + u'}');
    const QString written = at.word.text.sliced(use.begin, use.length);
    return findingAt(at.entry.line, u"exec.variable_empty"_s, Severity::Error, reasonFor(at, written, use.name));
}

std::optional<UnitFinding> checkWhole(const UseIn &at, const VariableUse &use, Correction &correction)
{
    const VariableState state = at.context.stateOf(use.name, at.entry.line.key);
    if (state != VariableState::Unset)
        return std::nullopt;
    const qsizetype from = at.word.from.first();
    if (use.name.startsWith(u'(') && !at.isScript && !at.word.quoted)
        return std::nullopt; // told as a shell's
    static const QRegularExpression leading(u"^[A-Za-z_][A-Za-z0-9_]*"_s);
    const QString name = leading.match(use.name).captured();
    const bool longer = !name.isEmpty() && name.size() < use.name.size();
    const QString written = at.word.text;
    if (!at.isScript && longer && at.context.stateOf(name, at.entry.line.key) != VariableState::Unset) {
        if (!correction.isWrapped(from))
            correction.replace(from, at.word.from.at(name.size()) + 1, u"${"_s + name + u'}');
        return findingAt(at.entry.line, u"exec.word_removed"_s, Severity::Error,
                         u"In a word that begins with a dollar, systemd takes all behind it for the variable's name. "
                         "There is no \"%1\", so the word %2 is removed. With braces the name ends where it "
                         "should."_s.arg(shown(use.name), shown(written)));
    }
    const bool literal = at.isScript || name.isEmpty() || (longer && at.word.quoted);
    if (literal && !correction.isWrapped(from))
        correction.insert(from, u"$"_s);
    const QString like = likeName(at.context, use.name);
    if (!literal && !like.isEmpty() && !correction.isWrapped(from))
        correction.replace(from, at.word.from.at(use.length - 1) + 1, u'$' + like);
    QString why = literal ? u"The word %1 begins with a dollar: systemd takes all behind it for the name of a "
                            u"variable, finds none and removes the whole word. Doubled, the dollar "
                            "stays."_s.arg(shown(written))
                          : reasonFor(at, written, use.name);
    if (!literal)
        why += u" The word is removed."_s;
    return findingAt(at.entry.line, u"exec.word_removed"_s, Severity::Error, why);
}

/// A percent sign that a program or the shell is to see.
bool isMeantLiterally(QStringView before, QStringView behind)
{
    static const QRegularExpression program(
        u"(?:^|[\\s/\"'({;|&`!])(?:date|printf|strftime|stat|seq)(?=[\\s(\"'])|-printf(?=\\s)"
        "|--format(?=[=\\s])|--printf(?=[=\\s])"_s);
    static const QRegularExpression arithmetic(u"\\(\\([^)]*$|\\$\\{\\w+(?:%%)?$"_s);
    static const QRegularExpression token(u"[^\\s'\"=]*$"_s);
    static const QRegularExpression format(u"^\\+%|%[Yy][-_./]?%[mb]|%[HI][-_:.]?%M|%m[-_./]?%d|%d[-_./]?%[mb]"_s);
    static const QRegularExpression inFormat(u"\\b(?:date|printf|strftime)[\\s(]+\\+?\\\\*[\"'][^\"']*$"_s);
    static const QRegularExpression encoded(u"^%[A-F][0-9A-F]"_s);
    const QString start = token.match(before).captured();
    static const QRegularExpression rest(u"^[^\\s'\"]*"_s);
    if (format.match(start + rest.match(behind).captured()).hasMatch() || encoded.match(behind).hasMatch())
        return true;
    const auto separator =
        std::find_if(before.crbegin(), before.crend(), [](QChar c) { return QStringView(u";|&)\n").contains(c); });
    const QStringView command = before.last(separator - before.crbegin());
    return program.match(command).hasMatch() || inFormat.match(before).hasMatch()
           || arithmetic.match(before).hasMatch();
}

bool isAlphanumeric(QChar c)
{
    return (c >= u'0' && c <= u'9') || (c >= u'A' && c <= u'Z') || (c >= u'a' && c <= u'z');
}

/// What single percent signs do in some words of a line.
struct Percents
{
    QStringList changed; ///< "%Y by the unit file's folder"
    QStringList unknown; ///< refused by systemd
    QString empty; ///< an instance where there is none
};

Percents percentsIn(const RuleContext &context, const UnitLine &line, const QList<ExecWord> &words, qsizetype begin,
                    Correction &correction)
{
    Percents percents;
    const QStringView value(line.value);
    const QString &unit = context.facts.unit;
    for (const ExecWord &word : words) {
        for (const SpecifierUse &use : specifiersIn(word.text).mid(0, 200)) {
            const qsizetype from = word.from.at(use.at);
            const qsizetype near = std::max(begin, from - 400);
            const QString meaning = meaningOfSpecifier(use.letter);
            const QString written = u'%' + use.letter;
            if (meaning.isEmpty() && isAlphanumeric(use.letter)) {
                correction.insert(from, u"%"_s);
                percents.unknown += written;
            } else if (!meaning.isEmpty()
                       && isMeantLiterally(value.sliced(near, from - near),
                                           value.sliced(from, std::min<qsizetype>(value.size() - from, 400)))) {
                correction.insert(from, u"%"_s);
                percents.changed += u"%1 by %2"_s.arg(written, meaning);
            } else if ((use.letter == u'i' || use.letter == u'I') && !unit.isEmpty() && !unit.contains(u'@')) {
                percents.empty = written;
            }
        }
    }
    percents.changed.removeDuplicates();
    percents.unknown.removeDuplicates();
    return percents;
}

/// `refused`: what systemd does for want of a meaning.
void tellPercents(const UnitLine &line, const Percents &percents, const QString &refused, const QString &unit,
                  QList<UnitFinding> &found)
{
    const QString rule = u"exec.specifier"_s;
    const QString twice = u" Written twice, the program sees one."_s;
    if (!percents.unknown.isEmpty())
        found += findingAt(line, rule, Severity::Error,
                           u"A single percent sign is systemd's, in quotes too. It knows no %1 and %2."_s.arg(
                               shown(percents.unknown.join(u", ")), refused)
                               + twice);
    if (!percents.changed.isEmpty())
        found += findingAt(line, rule, Severity::Error,
                           u"A single percent sign is systemd's, in quotes too: it replaces %1."_s.arg(
                               shown(percents.changed.join(u", ")))
                               + twice);
    if (!percents.empty.isEmpty())
        found += findingAt(line, rule, Severity::Warning,
                           u"%1 is the instance of a template unit; %2 is none, so nothing stands there."_s.arg(
                               percents.empty, shown(unit)));
}

} // namespace

QList<UnitFinding> checkShell(const RuleContext &context, const ExecEntry &entry, Correction &correction)
{
    QList<UnitFinding> found;
    const QString rule = u"exec.no_shell"_s;
    if (entry.exec.unbalanced)
        return {findingAt(entry.line, u"exec.syntax"_s, Severity::Error,
                          u"A quote is not closed: systemd refuses the whole unit."_s)};
    const QList<ExecCommand> &commands = entry.exec.commands;
    if (entry.line.key == u"ExecStart" && commands.size() > 1 && context.type != u"oneshot") {
        const ExecCommand &first = commands.first();
        if (!first.prefix.contains(u'@'))
            correction.wrapInShell(first.words.first().from.first(), commands.last().end, true,
                                   first.expandsVariables());
        return {findingAt(entry.line, rule, Severity::Error,
                          u"systemd is no shell: with ; this line is several commands, and only a unit of Type=oneshot "
                          "may have more than one. The unit is refused."_s)};
    }
    for (const ExecCommand &command : commands) {
        const ExecWord &program = command.words.first();
        QStringList parts;
        for (qsizetype i = 0; i < command.words.size(); ++i) {
            if (const QString part = shellPartOf(command, i); !part.isEmpty())
                parts += shown(part);
        }
        parts.removeDuplicates();
        static const QStringList builtins{u"cd"_s, u"if"_s, u"while"_s, u"until"_s, u"for"_s, u"exec"_s};
        if (!parts.isEmpty() || builtins.contains(program.text)) {
            if (!command.prefix.contains(u'@'))
                correction.wrapInShell(program.from.first(), command.end, entry.line.key == u"ExecStart",
                                       command.expandsVariables());
            const QString what = parts.isEmpty()
                                     ? u"%1 is a word of the shell, and there is no such program."_s.arg(program.text)
                                     : u"%1 goes to the program as a mere argument."_s.arg(parts.join(u" and "));
            found += findingAt(entry.line, rule, Severity::Error, u"systemd is no shell: %1"_s.arg(what));
        } else if (isAssignmentWord(program)) {
            correction.insert(program.from.first(), u"/usr/bin/env "_s);
            found += findingAt(entry.line, rule, Severity::Error,
                               u"systemd is no shell: it takes %1 for the program. Environment= sets variables, or env "
                               "does."_s.arg(shown(QString(program.text.section(u'=', 0, 0) + u'='))));
        }
    }
    return found;
}

QList<UnitFinding> checkVariables(const RuleContext &context, const ExecEntry &entry, Correction &correction)
{
    QList<UnitFinding> found;
    for (const ExecCommand &command : entry.exec.commands) {
        const ExecWord &program = command.words.first();
        const qsizetype script = shellTextOf(command);
        const QStringList names = script < 0 ? QStringList() : namesSetBy(command.words.at(script).text);
        if (!command.expandsVariables()) {
            static const QRegularExpression doubled(u"\\$\\$[A-Za-z_{(]"_s);
            if (script >= 0 && command.words.at(script).text.contains(doubled))
                found += findingAt(entry.line, u"exec.variable_empty"_s, Severity::Warning,
                                   u"With : before the command systemd leaves dollars alone, $$ too: the shell reads "
                                   "it as its own process number."_s);
            continue;
        }
        if (!variablesIn(program.text).isEmpty()) {
            if (!correction.isWrapped(program.from.first()))
                correction.insert(program.from.first(), u"/usr/bin/env "_s);
            found += findingAt(entry.line, u"exec.word_removed"_s, Severity::Error,
                               u"systemd puts no variable in the place of the program: %1 is searched for as it is "
                               "written. env starts what the variable says."_s.arg(shown(program.text)));
        }
        for (qsizetype i = 1; i < command.words.size(); ++i) {
            const UseIn at{context, entry, command, command.words.at(i), i == script, names};
            for (const VariableUse &use : variablesIn(at.word.text)) {
                const auto finding = use.kind == VariableUse::Kind::Whole ? checkWhole(at, use, correction)
                                                                          : checkBraced(at, use, correction);
                if (finding && !found.contains(*finding))
                    found += *finding;
            }
        }
    }
    return found;
}

QList<UnitFinding> checkSpecifiers(const RuleContext &context, const ExecEntry &entry, Correction &correction)
{
    QList<UnitFinding> found;
    if (entry.line.key == u"Environment") {
        const Percents percents = percentsIn(context, entry.line, readWords(entry.line.value), 0, correction);
        tellPercents(entry.line, percents, u"leaves this assignment out"_s, context.facts.unit, found);
        return found;
    }
    for (const ExecCommand &command : entry.exec.commands) {
        const Percents percents = percentsIn(context, entry.line, command.words, command.begin, correction);
        tellPercents(entry.line, percents,
                     command.mayFail() ? u"leaves the command out"_s : u"refuses the whole unit"_s, context.facts.unit,
                     found);
    }
    return found;
}

} // namespace pilothouse
