// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis/rules.h"

#include "resourcetexts.h"

#include <algorithm>
#include <optional>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

template <class Value>
struct Word
{
    const char16_t *name;
    Value value;
};

template <class Value, std::size_t N>
std::optional<Value> valueOf(const Word<Value> (&words)[N], QStringView name)
{
    const auto found = std::ranges::find_if(words, [&](const Word<Value> &word) { return name == word.name; });
    return found == std::end(words) ? std::nullopt : std::optional(found->value);
}

constexpr Word<RoleClass> classes[] = {
    {u"system", RoleClass::System}, {u"infrastructure", RoleClass::Infrastructure}, {u"mps", RoleClass::Mps},
    {u"helper", RoleClass::Helper}, {u"worker", RoleClass::Worker}, {u"engine", RoleClass::Engine},
    {u"frontend", RoleClass::Frontend}, {u"server", RoleClass::Server}, {u"ray_worker", RoleClass::RayWorker},
    {u"runtime", RoleClass::Runtime}, {u"mpi", RoleClass::Mpi}, {u"training", RoleClass::Training},
    {u"notebook", RoleClass::Notebook}, {u"app", RoleClass::App}, {u"importer", RoleClass::Importer},
    {u"spawned", RoleClass::Spawned}, {u"vm", RoleClass::Vm},
};

constexpr Word<RoleRule::Match> matches[] = {
    {u"title", RoleRule::Match::Title}, {u"program", RoleRule::Match::Program}, {u"module", RoleRule::Match::Module},
    {u"code", RoleRule::Match::Code}, {u"comm", RoleRule::Match::Comm}, {u"path", RoleRule::Match::Path},
};

constexpr Word<Modifier::Effect> effects[] = {
    {u"decides", Modifier::Effect::Decides}, {u"proves", Modifier::Effect::Proves},
    {u"confirm", Modifier::Effect::Confirm}, {u"process", Modifier::Effect::Process},
    {u"note", Modifier::Effect::Note},
};

std::optional<Verdict> verdictOf(QStringView name)
{
    for (int i = 0; i <= int(Verdict::Gone); ++i) {
        if (nameOf(Verdict(i)) == name)
            return Verdict(i);
    }
    return std::nullopt;
}

/// The parts of each line that is no comment; the last one may hold the separator itself.
QList<QStringList> rowsOf(QByteArrayView text, int parts)
{
    QList<QStringList> rows;
    const QStringList lines = QString::fromUtf8(text).split(u'\n');
    for (const QString &raw : lines) {
        const QString line = raw.trimmed();
        if (line.isEmpty() || line.startsWith(u'#'))
            continue;
        const QStringList all = line.split(u" | "_s);
        QStringList row = all.mid(0, parts - 1);
        if (all.size() >= parts)
            row += all.mid(parts - 1).join(u" | "_s);
        std::ranges::for_each(row, [](QString &part) { part = part.trimmed(); });
        rows += row;
    }
    return rows;
}

tl::unexpected<Error> bad(const QStringList &row)
{
    return fail(ErrorCode::Internal, u"The rule \"%1\" cannot be read."_s.arg(row.join(u" | "_s)));
}

Result<RoleRule> roleRule(const QStringList &row)
{
    if (row.size() != 4 || row.contains(QString()))
        return bad(row);
    RoleRule rule;
    rule.id = row.at(0);
    rule.role = row.at(1);
    const auto roleClass = valueOf(classes, row.at(2));
    const auto match = valueOf(matches, row.at(3).section(u' ', 0, 0));
    rule.text = row.at(3).section(u' ', 1);
    if (!roleClass || !match || rule.text.isEmpty())
        return bad(row);
    rule.roleClass = *roleClass;
    rule.match = *match;
    if (rule.match == RoleRule::Match::Title) {
        rule.title.setPattern(QRegularExpression::anchoredPattern(rule.text));
        if (!rule.title.isValid())
            return bad(row);
        rule.title.optimize();
    }
    rule.words = rule.text.split(u' ', Qt::SkipEmptyParts);
    rule.open = rule.words.last().endsWith(u'*');
    if (rule.open)
        rule.words.last().chop(1);
    return rule;
}

Result<Modifier> modifierRule(const QStringList &row)
{
    if (row.size() != 3 || row.contains(QString()))
        return bad(row);
    Modifier modifier{row.at(0), {}, {}, row.at(2)};
    const auto effect = valueOf(effects, row.at(1).section(u' ', 0, 0));
    if (!effect)
        return bad(row);
    modifier.effect = *effect;
    if (*effect == Modifier::Effect::Decides || *effect == Modifier::Effect::Process) {
        const auto verdict = verdictOf(row.at(1).section(u' ', 1));
        if (!verdict)
            return bad(row);
        modifier.verdict = *verdict;
    }
    return modifier;
}

bool agrees(const QString &word, QStringView actual, bool open)
{
    return open ? actual.startsWith(word) : actual == word;
}

/// The first word against `first`, the others against what stands behind.
bool wordsAgree(const RoleRule &rule, QStringView first, const QList<QStringView> &rest, bool module)
{
    const QString &word = rule.words.first();
    const bool alone = rule.words.size() == 1;
    const bool below = module && alone && first.startsWith(word) && first.size() > word.size() && first.at(word.size()) == u'.';
    if (!below && !agrees(word, first, rule.open && alone))
        return false;
    if (rest.size() < rule.words.size() - 1)
        return false;
    for (qsizetype i = 1; i < rule.words.size(); ++i) {
        if (!agrees(rule.words.at(i), rest.at(i - 1), rule.open && i == rule.words.size() - 1))
            return false;
    }
    return true;
}

bool matchesRule(const RoleRule &rule, const Process &process, const Invocation &invocation)
{
    switch (rule.match) {
    case RoleRule::Match::Title:
        return !invocation.title.isEmpty() && rule.title.match(invocation.title).hasMatch();
    case RoleRule::Match::Program:
        return wordsAgree(rule, invocation.program, invocation.rest, false);
    case RoleRule::Match::Module:
        return !invocation.module.isEmpty() && wordsAgree(rule, invocation.module, invocation.rest, true);
    case RoleRule::Match::Code:
        return !invocation.code.isEmpty() && invocation.code.startsWith(rule.text);
    case RoleRule::Match::Comm:
        return process.comm == rule.text;
    case RoleRule::Match::Path:
        return invocation.path.contains(rule.text);
    }
    return false;
}

} // namespace

Result<Rules> Rules::parse(QByteArrayView roles, QByteArrayView modifiers)
{
    Rules rules;
    for (const QStringList &row : rowsOf(roles, 4)) {
        auto rule = roleRule(row);
        if (!rule)
            return fail(rule.error());
        rules.m_roles += *std::move(rule);
    }
    for (const QStringList &row : rowsOf(modifiers, 3)) {
        auto modifier = modifierRule(row);
        if (!modifier)
            return fail(modifier.error());
        rules.m_modifiers += *std::move(modifier);
    }
    return rules;
}

const Rules &Rules::builtIn()
{
    static const Rules rules = parse(resources::roleRules, resources::modifierRules).value_or(Rules());
    return rules;
}

const RoleRule *Rules::roleOf(const Process &process) const
{
    const Invocation invocation = invocationOf(process.arguments);
    const auto found = std::ranges::find_if(m_roles,
        [&](const RoleRule &rule) { return matchesRule(rule, process, invocation); });
    return found == m_roles.end() ? nullptr : &*found;
}

const Modifier *Rules::modifier(QStringView name) const
{
    const auto found = std::ranges::find_if(m_modifiers, [&](const Modifier &m) { return m.name == name; });
    return found == m_modifiers.end() ? nullptr : &*found;
}

} // namespace pilothouse
