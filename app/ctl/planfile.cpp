// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/planfile.h"

#include "core/base/cleantext.h"
#include "core/base/localfile.h"

#include <QDir>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 mostBytes = 4 * 1024 * 1024;
constexpr qsizetype mostKept = 50;

QString folderOf(const QString &stateFolder)
{
    return QDir(stateFolder).filePath(u"plans"_s);
}

void forgetOldest(QDir folder)
{
    const QStringList names = folder.entryList(QDir::Files, QDir::Time);
    for (const QString &name : names.mid(mostKept))
        folder.remove(name);
}

} // namespace

Result<void> keepPlan(const QString &stateFolder, const QString &id, const QStringList &deeds)
{
    const QDir folder(folderOf(stateFolder));
    if (const auto kept = keepPrivately(folder.filePath(id), deeds.join(u'\n').toUtf8()); !kept)
        return kept;
    forgetOldest(folder);
    return {};
}

QStringList planDifference(const QString &stateFolder, const QString &id, const QString &idNow, const QStringList &now)
{
    const auto text = readLocalFile(QDir(folderOf(stateFolder)).filePath(id), mostBytes);
    if (!text)
        return QStringList{u"Plan %1 was not printed here; %2 would do:"_s.arg(id, idNow)} + now;
    QStringList before;
    for (const QByteArray &line : text->split('\n'))
        before += cleanLine(line, 4096);
    return differenceOf(before, now);
}

} // namespace pilothouse
