// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Typed reading of one TOML table that remembers each mistake with its place. Any thread. Included by source files of
// this folder only: toml++ is large.

#include "core/fleet/inventoryreader.h"

#include <toml++/toml.h>

#include <QSet>

#include <functional>
#include <vector>

namespace pilothouse {

struct TomlMistake
{
    TextPlace place;
    QString text; ///< without full stop
};

class TomlMistakes final
{
public:
    void add(TextPlace place, const QString &text) { m_all.push_back({place, text}); }
    /// In the order of the text, whatever the order in which they were found.
    [[nodiscard]] std::vector<TomlMistake> sorted() const;

private:
    std::vector<TomlMistake> m_all;
};

class TomlTable final
{
public:
    enum class Need { Optional, Required };
    /// Empty: the value is good; else what was expected.
    using Check = std::function<QString(const QString &)>;

    /// `title` names the table in messages: "[[host]]". Table and mistakes outlive this.
    TomlTable(const toml::table &table, QString title, TomlMistakes &mistakes);

    [[nodiscard]] bool has(QLatin1StringView key) const;
    [[nodiscard]] QString string(QLatin1StringView key, Need need = Need::Optional, const Check &check = {});
    [[nodiscard]] QStringList strings(QLatin1StringView key);
    [[nodiscard]] int integer(QLatin1StringView key, int otherwise, int least, int most);
    /// Position in `words`.
    [[nodiscard]] int choice(QLatin1StringView key, const QStringList &words, int otherwise);
    /// Elements of an array; none when it is missing or something else.
    [[nodiscard]] std::vector<std::reference_wrapper<const toml::node>> array(QLatin1StringView key);
    /// The tables of `[[key]]`.
    [[nodiscard]] std::vector<std::reference_wrapper<const toml::table>> tables(QLatin1StringView key);

    void complain(const toml::node &node, const QString &text);
    void complainAt(QLatin1StringView key, const QString &text);
    /// Every key that nobody asked for is a mistake.
    void complainAboutTheRest();

    [[nodiscard]] TomlMistakes &mistakes() const { return m_mistakes; }
    [[nodiscard]] static TextPlace placeOf(const toml::node &node);

private:
    [[nodiscard]] const toml::node *find(QLatin1StringView key);
    void expected(const toml::node &node, QLatin1StringView key, const QString &what);

    const toml::table &m_table;
    QString m_title;
    TomlMistakes &m_mistakes;
    QStringList m_known;
};

} // namespace pilothouse
