// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/icons.h"

#include "ui/theme/theme.h"

#include <QCoreApplication>
#include <QFile>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

QString fileOf(Severity severity)
{
    switch (severity) {
    case Severity::Quiet: return u"quiet"_s;
    case Severity::Ok: return u"ok"_s;
    case Severity::Notice: return u"notice"_s;
    case Severity::Stale: return u"stale"_s;
    case Severity::Warning: return u"warning"_s;
    case Severity::Critical: return u"critical"_s;
    }
    return {};
}

QPixmap rendered(const QByteArray &svg, int size, double ratio)
{
    QSvgRenderer renderer(svg);
    QPixmap pixmap(QSize(size, size) * ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    renderer.render(&painter);
    painter.end();
    pixmap.setDevicePixelRatio(ratio);
    return pixmap;
}

QByteArray contentOf(const QString &name)
{
    QFile file(u":/pilothouse/icons/"_s + name + u".svg"_s);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

QPixmap severityPixmap(const Theme &theme, Severity severity, int size, double devicePixelRatio)
{
    const QString name = fileOf(severity);
    const QByteArray color = theme.color(severity).name().toLatin1();
    const QByteArray canvas = theme.color(ColorId::Window).name().toLatin1();
    const QString key = u"severity/%1/%2/%3/%4"_s.arg(name, QString::fromLatin1(color)).arg(size).arg(devicePixelRatio);
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap))
        return pixmap;
    QByteArray svg = contentOf(name);
    svg.replace("currentColor", color);
    svg.replace("Canvas", canvas); // what is cut out of a filled form
    pixmap = rendered(svg, size, devicePixelRatio);
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

QIcon programIcon()
{
    QIcon icon;
    for (const int size : {16, 32, 48, 64, 128})
        icon.addPixmap(rendered(contentOf(u"pilothouse"_s), size, 1.0));
    return icon;
}

QString severityWord(Severity severity)
{
    const auto word = [](const char *text) { return QCoreApplication::translate("Severity", text); };
    switch (severity) {
    case Severity::Quiet:
    case Severity::Ok: return word(QT_TRANSLATE_NOOP("Severity", "well"));
    case Severity::Notice: return word(QT_TRANSLATE_NOOP("Severity", "notice"));
    case Severity::Stale: return word(QT_TRANSLATE_NOOP("Severity", "stale"));
    case Severity::Warning: return word(QT_TRANSLATE_NOOP("Severity", "warning"));
    case Severity::Critical: return word(QT_TRANSLATE_NOOP("Severity", "critical"));
    }
    return {};
}

} // namespace pilothouse
