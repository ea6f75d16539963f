// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/windowmemory.h"

#include "ui/host/processcolumns.h"

#include <QSettings>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

// The keys of the file. Another version, or other columns, make what is stored meaningless.
const QString versionKey = u"version"_s;
const QString columnsKey = u"processColumnCount"_s;
const QString geometryKey = u"window"_s;
const QString hostsKey = u"hosts"_s;
const QString figuresKey = u"figures"_s;
const QString bodyKey = u"body"_s;
const QString processesKey = u"processColumns"_s;
const QString themeKey = u"theme"_s;
constexpr int version = 1;
constexpr int columnCount = static_cast<int>(ProcessColumn::Count);

QVariant stored(const QList<int> &sizes)
{
    QStringList texts;
    for (const int size : sizes)
        texts << QString::number(size);
    return texts;
}

/// Two sizes, or none.
QList<int> sizesOf(const QVariant &value)
{
    QList<int> sizes;
    for (const QString &text : value.toStringList())
        sizes << text.toInt();
    const bool good = sizes.size() == 2 && std::ranges::all_of(sizes, [](int size) { return size > 0; });
    return good ? sizes : QList<int>();
}

QString wordOf(Theme::Mode mode)
{
    return mode == Theme::Mode::Light ? u"light"_s : mode == Theme::Mode::Dark ? u"dark"_s : u"desktop"_s;
}

} // namespace

WindowLayout readWindowLayout(const QString &file)
{
    const QSettings settings(file, QSettings::IniFormat);
    if (settings.status() != QSettings::NoError || settings.value(versionKey).toInt() != version)
        return {};
    WindowLayout layout;
    layout.geometry = settings.value(geometryKey).toByteArray();
    layout.hosts = sizesOf(settings.value(hostsKey));
    layout.page.figures = sizesOf(settings.value(figuresKey));
    layout.page.body = sizesOf(settings.value(bodyKey));
    if (settings.value(columnsKey).toInt() == columnCount)
        layout.page.processColumns = settings.value(processesKey).toByteArray();
    const QString theme = settings.value(themeKey).toString();
    for (const Theme::Mode mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
        if (theme == wordOf(mode))
            layout.theme = mode;
    }
    return layout;
}

void writeWindowLayout(const QString &file, const WindowLayout &layout)
{
    QSettings settings(file, QSettings::IniFormat);
    settings.clear();
    settings.setValue(versionKey, version);
    settings.setValue(columnsKey, columnCount);
    settings.setValue(geometryKey, layout.geometry);
    settings.setValue(hostsKey, stored(layout.hosts));
    settings.setValue(figuresKey, stored(layout.page.figures));
    settings.setValue(bodyKey, stored(layout.page.body));
    settings.setValue(processesKey, layout.page.processColumns);
    settings.setValue(themeKey, wordOf(layout.theme));
}

} // namespace pilothouse
