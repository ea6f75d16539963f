// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/commandrules.h"

#include "resourcetexts.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace pilothouse {

namespace {

/// Words travel inside single quotes of a shell script, one a line, and some greps read them as
/// basic expressions.
bool isSafeWord(QByteArrayView word)
{
    return !word.isEmpty() && std::ranges::all_of(word, [](char c) {
        return c > ' ' && c < 0x7f && !QByteArrayView("'\\*[]^$").contains(c);
    });
}

Result<CommandRule> parseRule(QByteArrayView line)
{
    CommandRule rule;
    const QList<QByteArray> parts = line.toByteArray().split('|');
    const auto bad = [&line] {
        return fail(ErrorCode::Internal,
                    u"The rule \"%1\" cannot be read."_s.arg(QString::fromUtf8(line)));
    };
    if (parts.size() < 2 || parts.size() > 3)
        return bad();
    rule.role = parts[0].trimmed();
    rule.pattern = parts[1].trimmed();
    rule.atStart = rule.pattern.startsWith('^');
    if (rule.atStart)
        rule.pattern.remove(0, 1);
    rule.word = parts.size() == 3 ? parts[2].trimmed() : rule.pattern;
    if (rule.role.isEmpty() || !isSafeWord(rule.word) || !rule.pattern.contains(rule.word))
        return bad();
    return rule;
}

} // namespace

Result<CommandRules> CommandRules::parse(QByteArrayView text)
{
    CommandRules rules;
    const QList<QByteArray> lines = text.toByteArray().split('\n');
    for (const QByteArray &raw : lines) {
        const QByteArray line = raw.trimmed();
        if (line.isEmpty() || line.startsWith('#'))
            continue;
        auto rule = parseRule(line);
        if (!rule)
            return fail(rule.error());
        rules.m_rules.append(*std::move(rule));
    }
    return rules;
}

const CommandRules &CommandRules::builtIn()
{
    static const CommandRules rules = parse(resources::commandRules).value_or(CommandRules());
    return rules;
}

QList<QByteArray> CommandRules::words() const
{
    QList<QByteArray> all;
    for (const CommandRule &rule : m_rules) {
        if (!all.contains(rule.word))
            all.append(rule.word);
    }
    QList<QByteArray> shortest;
    for (const QByteArray &word : all) {
        const bool covered = std::ranges::any_of(all, [&word](const QByteArray &other) {
            return other != word && word.contains(other);
        });
        if (!covered)
            shortest.append(word);
    }
    return shortest;
}

const CommandRule *CommandRules::match(QByteArrayView cmdline) const
{
    QByteArray joined = cmdline.toByteArray();
    joined.replace('\0', ' ');
    const auto found = std::ranges::find_if(m_rules, [&joined](const CommandRule &rule) {
        return rule.atStart ? joined.startsWith(rule.pattern) : joined.contains(rule.pattern);
    });
    return found == m_rules.end() ? nullptr : &*found;
}

} // namespace pilothouse
