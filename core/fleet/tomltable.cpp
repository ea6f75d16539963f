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

} // namespace

std::optional<TomlMistake> TomlMistakes::first() const
{
    const auto first = std::ranges::min_element(m_all, {}, &TomlMistake::place);
    return first == m_all.end() ? std::nullopt : std::optional(*first);
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
        if (value)
            texts += cleanLine(QString::fromStdString(value->get()));
        else
            complain(node, u"expected strings in \"%1\", found %2"_s.arg(key, wordFor(node)));
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
        m_mistakes.add({int(begin.line), int(begin.column)},
                       u"unknown key \"%1\" in %2; expected one of %3"_s.arg(cleanLine(name, 80), m_title,
                                                                           m_known.join(u", "_s)));
    }
}

TextPlace TomlTable::placeOf(const toml::node &node)
{
    return {int(node.source().begin.line), int(node.source().begin.column)};
}

} // namespace pilothouse
