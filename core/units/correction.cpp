// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/units/correction.h"

#include "core/base/cleantext.h"
#include "core/units/execline.h"
#include "core/units/shelltext.h"

#include <QRegularExpression>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longest = 8192;

/// "$x" to "$$x", "$$" as it is.
QString withDoubledDollars(const QString &text)
{
    QString doubled;
    for (qsizetype i = 0; i < text.size(); ++i) {
        doubled += text.at(i);
        if (text.at(i) != u'$')
            continue;
        doubled += u'$';
        if (i + 1 < text.size() && text.at(i + 1) == u'$')
            ++i;
    }
    return doubled;
}

/// So that the unit's main process is the program and no shell before it. Nothing is done to pipes and groups.
QString withExec(QString text)
{
    static const QRegularExpression group(u"(^|[^$])\\("_s);
    if (text.contains(u'|') || text.trimmed().endsWith(u'&') || text.contains(group))
        return text;
    const QList<ShellCommand> commands = shellCommands(text);
    if (!commands.isEmpty() && commands.last().program() == 0)
        text.insert(commands.last().words.first().begin, u"exec "_s);
    return text;
}

} // namespace

void Correction::replace(qsizetype begin, qsizetype end, const QString &text)
{
    const bool overlaps = std::ranges::any_of(m_edits, [&](const Edit &edit) {
        return !edit.wraps && begin < std::max(edit.end, edit.begin + 1) && edit.begin < std::max(end, begin + 1);
    });
    if (!overlaps)
        m_edits += Edit{begin, end, text};
}

void Correction::wrapInShell(qsizetype begin, qsizetype end, bool execLast, bool doubleDollars)
{
    if (!isWrapped(begin))
        m_edits += Edit{begin, end, {}, true, execLast, doubleDollars};
}

bool Correction::isWrapped(qsizetype at) const
{
    return std::ranges::any_of(m_edits,
                               [&](const Edit &edit) { return edit.wraps && at >= edit.begin && at <= edit.end; });
}

QString Correction::applied(qsizetype begin, qsizetype end, bool wrapping) const
{
    QList<Edit> edits;
    for (const Edit &edit : m_edits) {
        if (edit.begin >= begin && edit.end <= end && (edit.wraps ? !wrapping : wrapping || !isWrapped(edit.begin)))
            edits += edit;
    }
    std::ranges::stable_sort(edits, {}, &Edit::begin);
    QString result;
    for (const Edit &edit : edits) {
        result += QStringView(m_line.value).sliced(begin, edit.begin - begin);
        if (edit.wraps) {
            QString script = applied(edit.begin, edit.end, true).trimmed();
            if (edit.execLast)
                script = withExec(script);
            if (edit.doubleDollars)
                script = withDoubledDollars(script);
            result += u"/bin/sh -c "_s + execQuoted(script);
        } else {
            result += edit.text;
        }
        begin = edit.end;
    }
    return QString(result + QStringView(m_line.value).sliced(begin, end - begin));
}

QString Correction::text() const
{
    if (isEmpty())
        return {};
    QString line = m_comment ? u"# "_s : QString();
    line += m_line.key + u'=' + (m_comment ? m_line.value : applied(0, m_line.value.size(), false));
    line.replace(u'\t', u' ');
    return line.size() <= longest && cleanLine(line, longest) == line ? line : QString();
}

} // namespace pilothouse
