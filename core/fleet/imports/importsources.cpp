// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/imports/importsources.h"

#include "core/base/cleantext.h"
#include "core/base/localfile.h"
#include "core/ssh/sshaliases.h"

#include <QDir>
#include <QFileDevice>
#include <QFileInfo>
#include <QRegularExpression>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 mostBytes = 8 * 1024 * 1024;
constexpr QFileDevice::Permissions anyMayRun
    = QFileDevice::ExeOwner | QFileDevice::ExeGroup | QFileDevice::ExeOther;

QString howToList(const QString &path)
{
    return u"Write what it gives to a file and import that: ansible-inventory -i %1 --list --yaml > hosts.yml"_s.arg(
        cleanLine(path));
}

Result<QByteArray> readInventoryFile(const QString &path)
{
    const QFileInfo info(path);
    if (info.isDir())
        return fail(ErrorCode::Usage, u"%1 is a folder."_s.arg(cleanLine(path)), u"Choose one inventory file in it."_s);
    const auto bytes = readLocalFile(path, mostBytes);
    if (bytes && (info.permissions().testAnyFlags(anyMayRun) || bytes->startsWith("#!"))) {
        return fail(ErrorCode::Usage,
                    u"%1 is a program (a dynamic inventory, or a file marked as executable); it is not run."_s.arg(
                        cleanLine(path)),
                    howToList(path));
    }
    return bytes;
}

bool isYaml(const QString &path, const QByteArray &bytes)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix == u"yml" || suffix == u"yaml" || suffix == u"json")
        return true;
    if (suffix == u"ini" || suffix == u"cfg")
        return false;
    static const QRegularExpression mapping(u"^(---|[^\\s#\\[=]+:(\\s.*)?$)"_s);
    for (const QByteArray &line : bytes.left(65536).split('\n')) {
        if (!line.trimmed().isEmpty() && !line.startsWith('#') && !line.startsWith(';'))
            return mapping.match(QString::fromUtf8(line)).hasMatch();
    }
    return false;
}

/// For a file's name: "hosts.prod.ini" is "hosts-prod".
QString plainName(const QString &path)
{
    static const QRegularExpression others(u"[^A-Za-z0-9]+"_s);
    const QString name = QFileInfo(path).completeBaseName().replace(others, u"-"_s).left(40);
    return name.isEmpty() || name == u"-" ? u"inventory"_s : name;
}

} // namespace

ImportList importSsh(const SshConfigRoots &roots)
{
    ImportList list;
    list.source = roots.userFile;
    list.name = u"ssh-config"_s;
    const SshAliasList aliases = listSshAliases(roots);
    for (const SshAlias &alias : aliases.aliases) {
        ImportedHost host;
        host.spec.name = alias.name;
        host.spec.ssh = alias.name;
        list.add(std::move(host));
    }
    for (const QString &file : aliases.unreadable)
        list.notes += u"%1 is named there and could not be read."_s.arg(cleanLine(file));
    return list;
}

Result<ImportList> importAnsible(const QString &path)
{
    const auto bytes = readInventoryFile(path);
    if (!bytes)
        return fail(bytes.error());
    const auto inventory = isYaml(path, *bytes) ? readAnsibleYaml(*bytes, path) : readAnsibleIni(*bytes, path);
    if (!inventory)
        return fail(inventory.error());
    ImportList list = hostsOf(*inventory, path);
    list.name = u"ansible-"_s + plainName(path);
    for (const QString &folder : {u"group_vars"_s, u"host_vars"_s}) {
        if (QFileInfo(QFileInfo(path).dir().filePath(folder)).isDir())
            list.notes +=
                u"The folder %1 beside it is not read; ansible-inventory --list --yaml writes all in one file."_s.arg(
                    folder);
    }
    return list;
}

} // namespace pilothouse
