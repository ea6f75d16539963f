// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/cleantext.h"
#include "core/fleet/imports/ansibleinventory.h"

#include <QRegularExpression>

#include <optional>
#include <utility>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// A line as words by a shell's quotes, up to a comment. No value: a quote is not closed.
std::optional<QStringList> wordsOf(const QString &line)
{
    QStringList words;
    QString word;
    bool inWord = false;
    QChar quote;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar c = line.at(i);
        if (!quote.isNull()) {
            if (c == quote)
                quote = QChar();
            else if (c == u'\\' && quote == u'"' && i + 1 < line.size()
                     && (line.at(i + 1) == u'"' || line.at(i + 1) == u'\\'))
                word += line.at(++i);
            else
                word += c;
        } else if (c == u'#') {
            break;
        } else if (c.isSpace()) {
            if (inWord)
                words += std::exchange(word, QString());
            inWord = false;
        } else {
            inWord = true;
            if (c == u'"' || c == u'\'')
                quote = c;
            else if (c == u'\\' && i + 1 < line.size())
                word += line.at(++i);
            else
                word += c;
        }
    }
    if (!quote.isNull())
        return std::nullopt;
    if (inWord)
        words += word;
    return words;
}

/// The value of a line of [group:vars]: a quoted text, or what stands before a comment.
QString valueOf(QString text)
{
    text = text.trimmed();
    const QChar first = text.isEmpty() ? QChar() : text.at(0);
    if (first == u'"' || first == u'\'') {
        const qsizetype end = text.indexOf(first, 1);
        const QString rest = end < 0 ? QString() : text.mid(end + 1).trimmed();
        if (end > 0 && (rest.isEmpty() || rest.startsWith(u'#')))
            return text.mid(1, end - 1);
    }
    static const QRegularExpression comment(u"\\s#"_s);
    const qsizetype hash = text.indexOf(comment);
    return hash < 0 ? text : text.left(hash).trimmed();
}

class IniReader final
{
public:
    Result<void> take(const QString &raw)
    {
        const QString line = raw.trimmed();
        if (line.isEmpty() || line.startsWith(u'#') || line.startsWith(u';'))
            return {};
        if (line.startsWith(u'['))
            return takeSection(line);
        if (m_kind == Kind::Vars)
            return takeVariable(line);
        const auto words = wordsOf(line);
        if (!words)
            return fail(ErrorCode::InventoryInvalid, u"a quote is not closed"_s);
        if (words->isEmpty())
            return {};
        if (m_kind == Kind::Children)
            return m_inventory.addChild(m_group, words->first());
        return takeHost(*words);
    }
    [[nodiscard]] AnsibleInventory inventory() const { return m_inventory; }

private:
    enum class Kind { Hosts, Children, Vars };

    Result<void> takeSection(const QString &line)
    {
        static const QRegularExpression form(u"^\\[([^:\\]\\s]+)(?::(\\w+))?\\]\\s*(?:#.*)?$"_s);
        const auto match = form.match(line);
        const QString kind = match.captured(2);
        if (!match.hasMatch() || (!kind.isEmpty() && kind != u"children" && kind != u"vars" && kind != u"hosts"))
            return fail(ErrorCode::InventoryInvalid,
                        u"expected [group], [group:children] or [group:vars], found "_s + cleanLine(line, 80));
        m_group = cleanLine(match.captured(1), 120);
        m_kind = kind == u"children" ? Kind::Children : kind == u"vars" ? Kind::Vars : Kind::Hosts;
        return m_inventory.addGroup(m_group);
    }
    Result<void> takeVariable(const QString &line)
    {
        const qsizetype equals = line.indexOf(u'=');
        if (equals < 1)
            return fail(ErrorCode::InventoryInvalid, u"expected name=value, found "_s + cleanLine(line, 40));
        const QString name = line.left(equals).trimmed();
        if (isAnsibleVariable(name))
            m_inventory.addVars(m_group, {{name, {cleanLine(valueOf(line.mid(equals + 1))), false}}});
        return {};
    }
    Result<void> takeHost(const QStringList &words)
    {
        AnsibleVars vars;
        for (const QString &word : words.mid(1)) {
            const qsizetype equals = word.indexOf(u'=');
            if (equals < 1) // the word itself may be a part of a secret
                return fail(ErrorCode::InventoryInvalid, u"expected name=value after the host's name"_s);
            const QString name = word.left(equals);
            if (isAnsibleVariable(name))
                vars.insert(name, {cleanLine(word.mid(equals + 1)), false});
        }
        QString pattern = words.first();
        static const QRegularExpression withPort(u"^((?:[^:\\[]|\\[[^\\]]*\\])+):(\\d{1,5})$"_s);
        if (const auto match = withPort.match(pattern); match.hasMatch()) {
            pattern = match.captured(1);
            if (!vars.contains(u"ansible_port"_s))
                vars.insert(u"ansible_port"_s, {match.captured(2), false});
        }
        return m_inventory.addHosts(m_group, pattern, vars);
    }

    AnsibleInventory m_inventory;
    QString m_group = u"ungrouped"_s;
    Kind m_kind = Kind::Hosts;
};

} // namespace

Result<AnsibleInventory> readAnsibleIni(QByteArrayView text, const QString &file)
{
    IniReader reader;
    int number = 0;
    const QList<QByteArray> lines = text.toByteArray().split('\n');
    for (const QByteArray &line : lines) {
        ++number;
        if (const auto taken = reader.take(QString::fromUtf8(line)); !taken) {
            return fail(ErrorCode::InventoryInvalid,
                        u"%1:%2: %3."_s.arg(file, QString::number(number), taken.error().detail));
        }
    }
    return reader.inventory();
}

} // namespace pilothouse
