// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/tomltable.h"

#include "core/base/cleantext.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

std::string_view viewOf(QLatin1StringView key)
{
    return {key.data(), size_t(key.size())};
}

QString wordFor(const toml::node &node)
{
    switch (node.type()) {
    case toml::node_type::table:
        return u"a table"_s;
    case toml::node_type::array:
        return u"an array"_s;
    case toml::node_type::string:
        return u"a string"_s;
    case toml::node_type::integer:
        return u"an integer"_s;
    case toml::node_type::floating_point:
        return u"a number with a point"_s;
    case toml::node_type::boolean:
        return u"a boolean"_s;
    case toml::node_type::none:
        return u"nothing"_s;
    default:
        return u"a date or time"_s;
    }
}

/// Letters to add, drop, replace or swap with the next, to make one of the other.
int distance(const QString &a, const QString &b)
{
    std::vector<std::vector<int>> steps(size_t(a.size()) + 1, std::vector<int>(size_t(b.size()) + 1));
    for (size_t i = 0; i < steps.size(); ++i) {
        for (size_t j = 0; j < steps[i].size(); ++j) {
            if (i == 0 || j == 0) {
                steps[i][j] = int(i + j);
                continue;
            }
            const auto at = [](const QString &text, size_t k) { return text.at(qsizetype(k)); };
            const int replaced = at(a, i - 1) == at(b, j - 1) ? 0 : 1;
            steps[i][j] = std::min({steps[i - 1][j] + 1, steps[i][j - 1] + 1, steps[i - 1][j - 1] + replaced});
            if (i > 1 && j > 1 && at(a, i - 1) == at(b, j - 2) && at(a, i - 2) == at(b, j - 1))
                steps[i][j] = std::min(steps[i][j], steps[i - 2][j - 2] + 1);
        }
    }
    return steps.back().back();
}

/// The known key that is meant, presumably; empty: none is near.
QString nearestOf(const QString &key, const QStringList &known)
{
    constexpr int most = 40; // nothing longer is near
    if (key.size() > most)
        return {};
    QString nearest;
    int least = std::max(1, int(key.size()) / 3) + 1;
    for (const QString &other : known) {
        const int steps = distance(QString(key).toLower().replace(u'-', u'_'), other);
        if (steps < least) {
            least = steps;
            nearest = other;
        }
    }
    return nearest;
}

} // namespace

std::vector<TomlMistake> TomlMistakes::sorted() const
{
    std::vector<TomlMistake> all = m_all;
    std::ranges::stable_sort(all, {}, &TomlMistake::place);
    return all;
}

TomlTable::TomlTable(const toml::table &table, QString title, TomlMistakes &mistakes)
    : m_table(table)
    , m_title(std::move(title))
    , m_mistakes(mistakes)
{
}

bool TomlTable::has(QLatin1StringView key) const
{
    return m_table.contains(viewOf(key));
}

const toml::node *TomlTable::find(QLatin1StringView key)
{
    m_known += key;
    return m_table.get(viewOf(key));
}

void TomlTable::expected(const toml::node &node, QLatin1StringView key, const QString &what)
{
    complain(node, u"expected %1 for \"%2\", found %3"_s.arg(what, key, wordFor(node)));
}

QString TomlTable::string(QLatin1StringView key, Need need, const Check &check)
{
    const toml::node *node = find(key);
    if (!node) {
        if (need == Need::Required)
            complain(m_table, u"%1 without \"%2\": expected a string"_s.arg(m_title, key));
        return {};
    }
    const auto *value = node->as_string();
    if (!value) {
        expected(*node, key, u"a string"_s);
        return {};
    }
    const QString text = QString::fromStdString(value->get());
    if (text != cleanLine(text, 4096)) {
        complain(*node, u"expected a string of at most 4096 printable characters for \"%1\""_s.arg(key));
        return {};
    }
    if (const QString mistake = check ? check(text) : QString(); !mistake.isEmpty()) {
        complain(*node, mistake);
        return {};
    }
    return text;
}

QStringList TomlTable::strings(QLatin1StringView key)
{
    QStringList texts;
    for (const toml::node &node : array(key)) {
        const auto *value = node.as_string();
        const QString text = value ? QString::fromStdString(value->get()) : QString();
        if (!value)
            complain(node, u"expected strings in \"%1\", found %2"_s.arg(key, wordFor(node)));
        else if (text.isEmpty() || text != cleanLine(text))
            complain(node, u"expected strings of 1 to 512 printable characters in \"%1\""_s.arg(key));
        else
            texts += text;
    }
    return texts;
}

int TomlTable::integer(QLatin1StringView key, int otherwise, int least, int most)
{
    const toml::node *node = find(key);
    if (!node)
        return otherwise;
    const auto *value = node->as_integer();
    if (value && value->get() >= least && value->get() <= most)
        return int(value->get());
    const QString what = u"an integer from %1 to %2"_s.arg(least).arg(most);
    if (value)
        complain(*node, u"expected %1 for \"%2\", found %3"_s.arg(what, key, QString::number(value->get())));
    else
        expected(*node, key, what);
    return otherwise;
}

int TomlTable::choice(QLatin1StringView key, const QStringList &words, int otherwise)
{
    const toml::node *node = find(key);
    if (!node)
        return otherwise;
    const auto *value = node->as_string();
    const qsizetype at = value ? words.indexOf(QString::fromStdString(value->get())) : -1;
    if (at >= 0)
        return int(at);
    const QString what = u"one of \"%1\""_s.arg(words.join(u"\", \""_s));
    if (value) {
        const QString found = cleanLine(QString::fromStdString(value->get()), 80);
        complain(*node, u"expected %1 for \"%2\", found \"%3\""_s.arg(what, key, found));
    } else {
        expected(*node, key, what);
    }
    return otherwise;
}

std::vector<std::reference_wrapper<const toml::node>> TomlTable::array(QLatin1StringView key)
{
    std::vector<std::reference_wrapper<const toml::node>> elements;
    const toml::node *node = find(key);
    if (!node)
        return elements;
    if (const toml::array *list = node->as_array())
        elements.assign(list->begin(), list->end());
    else
        expected(*node, key, u"an array"_s);
    return elements;
}

std::vector<std::reference_wrapper<const toml::table>> TomlTable::tables(QLatin1StringView key)
{
    std::vector<std::reference_wrapper<const toml::table>> all;
    const toml::node *node = find(key);
    if (!node)
        return all;
    const QString header = m_title.startsWith(u"[[") ? u"[[%1.%2]]"_s.arg(m_title.mid(2).chopped(2), key)
                                                     : u"[[%1]]"_s.arg(key);
    const toml::array *list = node->as_array();
    if (!list) {
        expected(*node, key, u"tables headed %1"_s.arg(header));
        return all;
    }
    for (const toml::node &element : *list) {
        if (const toml::table *table = element.as_table())
            all.emplace_back(*table);
        else
            complain(element, u"expected tables headed %1, found %2"_s.arg(header, wordFor(element)));
    }
    return all;
}

void TomlTable::complain(const toml::node &node, const QString &text)
{
    m_mistakes.add(placeOf(node), text);
}

void TomlTable::complainAt(QLatin1StringView key, const QString &text)
{
    const toml::node *node = m_table.get(viewOf(key));
    complain(node ? *node : m_table, text);
}

void TomlTable::complainAboutTheRest()
{
    m_known.sort();
    for (const auto &[key, node] : m_table) {
        const QString name = QString::fromUtf8(key.str().data(), qsizetype(key.str().size()));
        if (m_known.contains(name))
            continue;
        const auto &begin = key.source().begin;
        const QString nearest = nearestOf(name, m_known);
        const QString guess = nearest.isEmpty() ? QString() : u", perhaps \"%1\" is meant"_s.arg(nearest);
        m_mistakes.add({int(begin.line), int(begin.column)},
                       u"unknown key \"%1\" in %2%3; expected one of %4"_s.arg(cleanLine(name, 80), m_title, guess,
                                                                             m_known.join(u", "_s)));
    }
}

TextPlace TomlTable::placeOf(const toml::node &node)
{
    return {int(node.source().begin.line), int(node.source().begin.column)};
}

} // namespace pilothouse
