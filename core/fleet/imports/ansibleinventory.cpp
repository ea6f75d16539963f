// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/imports/ansibleinventory.h"

#include "core/base/cleantext.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

tl::unexpected<Error> wrong(const QString &what)
{
    return fail(ErrorCode::InventoryInvalid, what);
}

struct Range
{
    QStringList items;
};

/// "01:08", "a:c", "1:9:2".
Result<Range> readRange(const QString &text, int most)
{
    const auto bad = [&](const QString &why) {
        return wrong(u"the range [%1] %2"_s.arg(cleanLine(text, 60), why));
    };
    const QStringList parts = text.split(u':');
    if (parts.size() < 2 || parts.size() > 3)
        return bad(u"needs a first and a last one, like [01:08]"_s);
    const QString first = parts.at(0).isEmpty() ? u"0"_s : parts.at(0);
    const QString last = parts.at(1);
    bool stepOk = true;
    const int step = parts.size() == 3 ? parts.at(2).toInt(&stepOk) : 1;
    if (!stepOk || step < 1)
        return bad(u"has a step that is no number from 1"_s);
    const auto isLetter = [](const QString &word) {
        return word.size() == 1
               && ((word.at(0) >= u'a' && word.at(0) <= u'z') || (word.at(0) >= u'A' && word.at(0) <= u'Z'));
    };
    Range range;
    const bool letters = isLetter(first) && isLetter(last);
    bool firstOk = true;
    bool lastOk = true;
    const qint64 from = letters ? first.at(0).unicode() : first.toInt(&firstOk);
    const qint64 to = letters ? last.at(0).unicode() : last.toInt(&lastOk);
    if (!firstOk || !lastOk || from < 0)
        return bad(u"goes neither from number to number nor from letter to letter"_s);
    const bool padded = !letters && first.size() > 1 && first.startsWith(u'0');
    if (padded && first.size() != last.size())
        return bad(u"needs as many digits in its last as in its first"_s);
    if (to < from)
        return bad(u"ends before it begins"_s);
    if ((to - from) / step >= most)
        return bad(u"gives more than %1 hosts"_s.arg(most));
    for (qint64 i = from; i <= to; i += step) {
        if (letters)
            range.items += QString(QChar(char16_t(i)));
        else
            range.items += padded ? QString::number(i).rightJustified(first.size(), u'0') : QString::number(i);
    }
    return range;
}

} // namespace

bool isAnsibleVariable(const QString &name)
{
    return name.startsWith(u"ansible_");
}

Result<QStringList> expandAnsiblePattern(const QString &pattern, int most)
{
    QStringList all{QString()};
    qsizetype at = 0;
    while (at < pattern.size()) {
        const qsizetype open = pattern.indexOf(u'[', at);
        const QString plain = pattern.mid(at, open < 0 ? -1 : open - at);
        Range range{{QString()}};
        at = pattern.size();
        if (open >= 0) {
            const qsizetype close = pattern.indexOf(u']', open);
            if (close < 0)
                return wrong(u"\"%1\" has a bracket that is not closed"_s.arg(cleanLine(pattern, 80)));
            const auto read = readRange(pattern.mid(open + 1, close - open - 1), most);
            if (!read)
                return fail(read.error());
            range = *read;
            at = close + 1;
        }
        if (all.size() * range.items.size() > most)
            return wrong(u"\"%1\" gives more than %2 hosts"_s.arg(cleanLine(pattern, 80), QString::number(most)));
        QStringList longer;
        longer.reserve(all.size() * range.items.size());
        for (const QString &begun : std::as_const(all)) {
            for (const QString &item : std::as_const(range.items))
                longer += begun + plain + item;
        }
        all = longer;
    }
    return all;
}

Result<void> AnsibleInventory::addGroup(const QString &group)
{
    if (group.isEmpty())
        return wrong(u"a group has no name"_s);
    if (!m_groups.contains(group) && m_groups.size() >= AnsibleLimits::groups)
        return wrong(u"there are more than %1 groups"_s.arg(AnsibleLimits::groups));
    m_groups[group];
    return {};
}

Result<void> AnsibleInventory::addChild(const QString &group, const QString &child)
{
    for (const QString &each : {group, child}) {
        if (const auto added = addGroup(each); !added)
            return added;
    }
    if (!m_groups[group].children.contains(child))
        m_groups[group].children += child;
    return {};
}

Result<void> AnsibleInventory::addHosts(const QString &group, const QString &pattern, const AnsibleVars &vars)
{
    if (const auto added = addGroup(group); !added)
        return added;
    const auto names = expandAnsiblePattern(pattern, AnsibleLimits::hosts);
    if (!names)
        return fail(names.error());
    for (const QString &name : *names) {
        if (!m_hosts.contains(name)) {
            if (m_order.size() >= AnsibleLimits::hosts)
                return wrong(u"there are more than %1 hosts"_s.arg(AnsibleLimits::hosts));
            m_order += name;
        }
        if (++m_memberships > AnsibleLimits::memberships)
            return wrong(u"its groups name hosts more than %1 times"_s.arg(AnsibleLimits::memberships));
        m_hosts[name].insert(vars);
        m_groups[group].hosts += name;
    }
    return {};
}

void AnsibleInventory::addVars(const QString &group, const AnsibleVars &vars)
{
    m_groups[group].vars.insert(vars);
}

} // namespace pilothouse
