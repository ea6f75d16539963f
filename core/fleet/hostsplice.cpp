// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/hostsplice.h"

#include "core/fleet/inventorytext.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// A field as it is to be. `standing` where the key is written already; empty: the line goes.
/// `missing` where it is not; empty: nothing is written.
struct WantedField
{
    QString key;
    bool differs = false;
    QString standing;
    QString missing;
};

QString orNothing(bool isUsual, const QString &value)
{
    return isUsual ? QString() : value;
}

WantedField textField(const QString &key, const QString &before, const QString &after)
{
    const QString value = orNothing(after.isEmpty(), tomlString(after));
    return {key, before != after, value, value};
}

template <class T>
WantedField valueField(const QString &key, const T &before, const T &after, const T &usual, const QString &value)
{
    return {key, before != after, value, orNothing(after == usual, value)};
}

QList<WantedField> fieldsOf(const HostSpec &before, const HostSpec &after)
{
    const HostSpec usual;
    // A host without "ssh" is reached by its name: that follows a new name, or stays as it was by being written.
    const WantedField ssh{u"ssh"_s, before.ssh != after.ssh || before.name != after.name, tomlString(after.ssh),
                          orNothing(after.ssh == after.name, tomlString(after.ssh))};
    return {textField(u"name"_s, before.name, after.name),
            ssh,
            valueField(u"tags"_s, before.tags, after.tags, {}, tomlStrings(after.tags)),
            valueField(u"access"_s, before.access, after.access, usual.access, tomlString(wordOf(after.access))),
            valueField(u"sudo"_s, before.sudo, after.sudo, usual.sudo, tomlString(wordOf(after.sudo))),
            valueField(u"expected_gpus"_s, before.expectedGpus, after.expectedGpus, usual.expectedGpus,
                       QString::number(after.expectedGpus)),
            valueField(u"threshold_mib"_s, before.thresholdMib, after.thresholdMib, usual.thresholdMib,
                       QString::number(after.thresholdMib))};
}

QList<WantedField> fieldsOf(const ServiceSpec &before, const ServiceSpec &after)
{
    const QString scope = after.userScope ? u"user"_s : u"system"_s;
    return {textField(u"name"_s, before.name, after.name),
            textField(u"unit"_s, before.unit, after.unit),
            valueField(u"scope"_s, before.userScope, after.userScope, false, tomlString(scope)),
            valueField(u"gpus"_s, before.gpus, after.gpus, {}, tomlGpus(after.gpus)),
            textField(u"health"_s, before.health, after.health),
            textField(u"model"_s, before.model, after.model),
            textField(u"drain"_s, before.drain, after.drain),
            textField(u"undrain"_s, before.undrain, after.undrain)};
}

/// Where a service of before is in after; -1: gone. By name, then by unit among those left.
QList<qsizetype> matched(const QList<ServiceSpec> &before, const QList<ServiceSpec> &after)
{
    QList<qsizetype> found(before.size(), -1);
    const auto match = [&](auto field) {
        for (qsizetype i = 0; i < before.size(); ++i) {
            for (qsizetype j = 0; j < after.size() && found.at(i) < 0; ++j) {
                if (!found.contains(j) && before.at(i).*field == after.at(j).*field)
                    found[i] = j;
            }
        }
    };
    match(&ServiceSpec::name);
    match(&ServiceSpec::unit);
    return found;
}

/// Outside of strings.
bool hasComment(QByteArrayView value)
{
    char quote = 0;
    for (qsizetype i = 0; i < value.size(); ++i) {
        const char c = value.at(i);
        if (quote == 0 && c == '#')
            return true;
        if (quote == '"' && c == '\\')
            ++i;
        else if (quote == c)
            quote = 0;
        else if (quote == 0 && (c == '"' || c == '\''))
            quote = c;
    }
    return false;
}

/// One text, changed from its end to its beginning, so that places above stay true.
class Splice final
{
public:
    explicit Splice(QByteArray text)
        : m_text(std::move(text))
        , m_lineEnd(lineEndOf(m_text))
    {
    }

    [[nodiscard]] const QByteArray &text() const { return m_text; }

    Result<void> change(const InventoryTable &table, const QList<WantedField> &fields)
    {
        QStringList lines;
        std::vector<std::pair<const InventoryEntry *, const WantedField *>> standing;
        for (const WantedField &field : fields) {
            if (!field.differs)
                continue;
            const auto at = std::ranges::find(table.entries, field.key, &InventoryEntry::key);
            if (at != table.entries.end())
                standing.emplace_back(&*at, &field);
            else if (!field.missing.isEmpty())
                lines += field.key + u" = "_s + field.missing;
        }
        insertBelow(table.lastLine, lines);
        std::ranges::sort(standing, std::greater(), [](const auto &pair) { return pair.first->begin; });
        for (const auto &[entry, field] : standing) {
            if (const auto replaced = replace(*entry, field->standing); !replaced)
                return replaced;
        }
        return {};
    }

    /// Indented as that line is.
    void insertBelow(int line, const QStringList &lines)
    {
        if (lines.isEmpty())
            return;
        const qsizetype begin = offsetOf({line, 1});
        qsizetype end = m_text.indexOf('\n', begin);
        qsizetype indent = begin;
        while (indent < m_text.size() && (m_text.at(indent) == ' ' || m_text.at(indent) == '\t'))
            ++indent;
        QByteArray added;
        for (const QString &each : lines)
            added += m_lineEnd + (each.isEmpty() ? QByteArray() : m_text.mid(begin, indent - begin) + each.toUtf8());
        if (end < 0)
            end = m_text.size();
        else if (end > begin && m_text.at(end - 1) == '\r')
            --end;
        m_text.insert(end, added);
    }

    void cut(const InventoryTable &table)
    {
        const TextCut cut = cutTable(m_text, table.place.line, table.lastLine);
        m_text = cut.before + cut.after;
    }

private:
    Result<void> replace(const InventoryEntry &entry, const QString &value)
    {
        const qsizetype begin = offsetOf(entry.begin);
        const qsizetype end = offsetOf(entry.end);
        if (value.isEmpty()) {
            const qsizetype line = offsetOf({entry.place.line, 1});
            const qsizetype next = m_text.indexOf('\n', end);
            m_text.remove(line, (next < 0 ? m_text.size() : next + 1) - line);
            return {};
        }
        if (hasComment(QByteArrayView(m_text).sliced(begin, end - begin))) {
            return fail(ErrorCode::InventoryInvalid,
                        u"Line %1: the list \"%2\" has comments inside, which would be lost."_s.arg(entry.begin.line)
                            .arg(entry.key),
                        u"Change it by hand; nothing was changed."_s);
        }
        m_text.replace(begin, end - begin, value.toUtf8());
        return {};
    }

    /// Columns count code points, a byte order mark none.
    [[nodiscard]] qsizetype offsetOf(TextPlace place) const
    {
        qsizetype at = m_text.startsWith("\xEF\xBB\xBF") ? 3 : 0;
        for (int line = 1; line < place.line; ++line) {
            const qsizetype next = m_text.indexOf('\n', at);
            if (next < 0)
                return m_text.size();
            at = next + 1;
        }
        for (int column = 1; column < place.column && at < m_text.size(); ++column) {
            ++at;
            while (at < m_text.size() && (uchar(m_text.at(at)) & 0xC0) == 0x80)
                ++at;
        }
        return at;
    }

    QByteArray m_text;
    QByteArray m_lineEnd;
};

} // namespace

Result<QByteArray> withHostChanged(const QByteArray &text, const InventoryHost &written, const HostSpec &after)
{
    Splice splice(text);
    const QList<ServiceSpec> &before = written.spec.services;
    const QList<qsizetype> found = matched(before, after.services);
    QStringList added;
    for (qsizetype i = 0; i < after.services.size(); ++i) {
        if (!found.contains(i))
            added << QString() << linesOf(after.services.at(i));
    }
    splice.insertBelow(written.lastLine, added);
    for (qsizetype i = before.size() - 1; i >= 0; --i) {
        const InventoryTable &table = written.services.at(i);
        if (found.at(i) < 0) {
            splice.cut(table);
            continue;
        }
        const auto changed = splice.change(table, fieldsOf(before.at(i), after.services.at(found.at(i))));
        if (!changed)
            return fail(changed.error());
    }
    if (const auto changed = splice.change(written.table, fieldsOf(written.spec, after)); !changed)
        return fail(changed.error());
    return splice.text();
}

} // namespace pilothouse
