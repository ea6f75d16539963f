// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/inventorytext.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

QString tomlString(const QString &text)
{
    QString out = u"\""_s;
    for (const QChar c : text) {
        if (c == u'"' || c == u'\\')
            out += u'\\' + QString(c);
        else if (c.unicode() < 0x20 || c.unicode() == 0x7F)
            out += u"\\u%1"_s.arg(c.unicode(), 4, 16, QChar(u'0'));
        else
            out += c;
    }
    return out + u'"';
}

QString tomlStrings(const QStringList &texts)
{
    QStringList items;
    for (const QString &text : texts)
        items += tomlString(text);
    return u'[' + items.join(u", "_s) + u']';
}

QString tomlGpus(const QStringList &gpus)
{
    QStringList items;
    for (const QString &gpu : gpus) {
        bool isIndex = false;
        const int index = gpu.toInt(&isIndex);
        items += isIndex && QString::number(index) == gpu ? gpu : tomlString(gpu);
    }
    return u'[' + items.join(u", "_s) + u']';
}

namespace {

void add(QStringList &lines, const QString &key, const QString &value)
{
    if (!value.isEmpty())
        lines += key + u" = "_s + tomlString(value);
}

} // namespace

QStringList linesOf(const ServiceSpec &service)
{
    QStringList lines{u"[[host.service]]"_s, u"name = "_s + tomlString(service.name),
                      u"unit = "_s + tomlString(service.unit)};
    if (service.userScope)
        lines += u"scope = \"user\""_s;
    if (!service.gpus.isEmpty())
        lines += u"gpus = "_s + tomlGpus(service.gpus);
    add(lines, u"health"_s, service.health);
    add(lines, u"model"_s, service.model);
    add(lines, u"drain"_s, service.drain);
    add(lines, u"undrain"_s, service.undrain);
    return lines;
}

QByteArray lineEndOf(const QByteArray &text)
{
    return text.contains("\r\n") ? "\r\n" : "\n";
}

QList<QByteArray> splitLines(const QByteArray &text)
{
    QList<QByteArray> lines;
    for (qsizetype at = 0; at < text.size();) {
        const qsizetype end = text.indexOf('\n', at);
        lines << (end < 0 ? text.mid(at) : text.mid(at, end - at + 1));
        at += lines.last().size();
    }
    return lines;
}

namespace {

QStringList linesOf(const HostSpec &host)
{
    const HostSpec usual;
    QStringList lines{u"[[host]]"_s, u"name = "_s + tomlString(host.name)};
    if (host.ssh != host.name)
        add(lines, u"ssh"_s, host.ssh);
    if (!host.tags.isEmpty())
        lines += u"tags = "_s + tomlStrings(host.tags);
    lines += u"access = "_s + tomlString(wordOf(host.access));
    if (host.sudo != usual.sudo)
        lines += u"sudo = "_s + tomlString(wordOf(host.sudo));
    if (host.expectedGpus != usual.expectedGpus)
        lines += u"expected_gpus = "_s + QString::number(host.expectedGpus);
    if (host.thresholdMib != usual.thresholdMib)
        lines += u"threshold_mib = "_s + QString::number(host.thresholdMib);
    for (const ServiceSpec &service : host.services) {
        lines += QString();
        lines += pilothouse::linesOf(service);
    }
    return lines;
}

bool isComment(const QByteArray &line) { return line.trimmed().startsWith('#'); }

bool isBlank(const QByteArray &line) { return line.trimmed().isEmpty(); }

} // namespace

TextCut cutTable(const QByteArray &text, int firstLine, int lastLine)
{
    const QList<QByteArray> lines = splitLines(text);
    qsizetype first = std::clamp<qsizetype>(firstLine - 1, 0, lines.size());
    qsizetype end = std::clamp<qsizetype>(lastLine, first, lines.size());
    qsizetype above = first;
    while (above > 0 && isComment(lines.at(above - 1)))
        --above;
    if (above > 0)
        first = above;
    qsizetype below = end;
    while (below < lines.size() && isComment(lines.at(below)))
        ++below;
    if (below == lines.size() || isBlank(lines.at(below)))
        end = below;
    const bool blankBefore = first == 0 || isBlank(lines.at(first - 1));
    if (blankBefore && end < lines.size() && isBlank(lines.at(end)))
        ++end;
    else if (blankBefore && first > 0 && end == lines.size())
        --first;
    return {lines.first(first).join(), lines.sliced(first, end - first).join(), lines.sliced(end).join()};
}

QByteArray withHostAppended(const QByteArray &text, const HostSpec &host)
{
    const QByteArray lineEnd = lineEndOf(text);
    QByteArray out = text;
    if (!out.isEmpty() && !out.endsWith('\n'))
        out += lineEnd;
    if (!out.isEmpty())
        out += lineEnd;
    for (const QString &line : linesOf(host))
        out += line.toUtf8() + lineEnd;
    return out;
}

} // namespace pilothouse
