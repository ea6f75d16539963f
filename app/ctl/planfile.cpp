// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/planfile.h"

#include "core/base/cleantext.h"
#include "core/base/localfile.h"

#include <QDir>
#include <QSaveFile>

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

Result<void> keepPlan(const QString &stateFolder, const Plan &plan)
{
    const QString folder = folderOf(stateFolder);
    QSaveFile file(QDir(folder).filePath(plan.id()));
    const QByteArray text = plan.deeds().join(u'\n').toUtf8();
    const bool kept = QDir().mkpath(folder) && file.open(QIODevice::WriteOnly)
        && file.setPermissions(QFile::ReadOwner | QFile::WriteOwner) && file.write(text) == text.size() && file.commit();
    if (!kept)
        return fail(ErrorCode::LocalIo, u"The plan cannot be kept in %1: %2."_s.arg(folder, file.errorString()));
    forgetOldest(QDir(folder));
    return {};
}

QStringList planDifference(const QString &stateFolder, const QString &id, const Plan &now)
{
    const auto text = readLocalFile(QDir(folderOf(stateFolder)).filePath(id), mostBytes);
    if (!text)
        return QStringList{u"Plan %1 was not printed here; now it is:"_s.arg(id)} + now.deeds();
    QStringList before;
    for (const QByteArray &line : text->split('\n'))
        before += cleanLine(line, 4096);
    return differenceOf(before, now.deeds());
}

} // namespace pilothouse
