// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consolefolder.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

QString contentOf(const QString &path)
{
    constexpr qint64 most = 1 << 20;
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.read(most)) : QString();
}

tl::unexpected<Error> refuse(const QString &path, const QString &why)
{
    return fail(ErrorCode::LocalIo, u"%1 %2."_s.arg(path, why), u"Choose another --dir."_s);
}

} // namespace

QString ConsoleFolder::firstLine()
{
    return u"# Simulated hosts of pilothouse-simhost; gone when it ends.\n"_s;
}

ConsoleFolder::ConsoleFolder(QString path)
    : m_path(std::move(path))
{
}

ConsoleFolder::ConsoleFolder(ConsoleFolder &&other) noexcept
    : m_path(std::move(other.m_path))
    , m_made(std::exchange(other.m_made, {}))
    , m_written(std::exchange(other.m_written, {}))
    , m_lock(std::exchange(other.m_lock, -1))
    , m_claimed(std::exchange(other.m_claimed, false))
{
}

ConsoleFolder::~ConsoleFolder()
{
    if (m_claimed)
        removeSecrets();
    for (auto file = m_written.begin(); file != m_written.end(); ++file) {
        if (contentOf(in(file.key())) == file.value()) // otherwise somebody has put something of his own into it
            QFile::remove(in(file.key()));
    }
    for (auto folder = m_made.crbegin(); folder != m_made.crend(); ++folder)
        ::rmdir(QFile::encodeName(*folder).constData());
    if (m_lock >= 0)
        ::close(m_lock);
}

void ConsoleFolder::removeSecrets() const
{
    QDir(in(u"host-keys"_s)).removeRecursively();
    QDir(in(u"hosts"_s)).removeRecursively();
    QFile::remove(in(u"identity"_s));
}

Result<void> ConsoleFolder::make(const QString &folder)
{
    struct stat info = {};
    const QByteArray name = QFile::encodeName(folder);
    if (::stat(name.constData(), &info) == 0)
        return {};
    if (const QString parent = QFileInfo(folder).path(); parent != folder) {
        if (auto made = make(parent); !made)
            return made;
    }
    if (::mkdir(name.constData(), 0700) != 0)
        return refuse(folder, u"cannot be made: "_s + QString::fromLocal8Bit(std::strerror(errno)));
    m_made += folder;
    return {};
}

Result<void> ConsoleFolder::checkIsOurs() const
{
    struct stat info = {};
    if (::stat(QFile::encodeName(m_path).constData(), &info) != 0 || !S_ISDIR(info.st_mode))
        return refuse(m_path, u"is no folder"_s);
    const bool othersWrite = (info.st_mode & 022) != 0;
    // An empty one was made for us; the person's umask may be a wide one.
    const bool mayClose = info.st_uid == ::geteuid() && (info.st_mode & S_ISVTX) == 0 && QDir(m_path).isEmpty()
        && ::chmod(QFile::encodeName(m_path).constData(), 0700) == 0;
    if (info.st_uid != ::geteuid() || (othersWrite && !mayClose))
        return refuse(m_path, u"is not yours alone: keys are not put where others may write"_s);
    const bool ranBefore = contentOf(in(u"ssh_config"_s)).startsWith(firstLine());
    for (const QString &name : {u"ssh_config"_s, u"known_hosts"_s, u"hosts.toml"_s}) {
        if (QFileInfo::exists(in(name)) && !contentOf(in(name)).startsWith(firstLine()))
            return refuse(in(name), u"is there already, and not from this program"_s);
    }
    for (const QString &name : {u"identity"_s, u"host-keys"_s, u"hosts"_s}) {
        if (QFileInfo::exists(in(name)) && !ranBefore)
            return refuse(in(name), u"is there already, and not from this program"_s);
    }
    return {};
}

/// The kernel lets go of it however we end: what a killed run has left is taken over, a living one is not.
Result<void> ConsoleFolder::lock()
{
    m_lock = ::open(QFile::encodeName(m_path).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (m_lock < 0)
        return refuse(m_path, u"cannot be opened: "_s + QString::fromLocal8Bit(std::strerror(errno)));
    if (::flock(m_lock, LOCK_EX | LOCK_NB) != 0)
        return refuse(m_path, u"belongs to simulated hosts that still run"_s);
    return {};
}

Result<ConsoleFolder> ConsoleFolder::claim(const QString &path)
{
    ConsoleFolder folder(path);
    if (auto made = folder.make(path); !made)
        return fail(made.error());
    if (auto ours = folder.checkIsOurs(); !ours)
        return fail(ours.error());
    if (auto locked = folder.lock(); !locked)
        return fail(locked.error());
    folder.m_claimed = true;
    folder.removeSecrets();
    // First of all, so that a killed run is known by it.
    if (auto written = folder.write(u"ssh_config"_s, firstLine()); !written)
        return fail(written.error());
    return folder;
}

Result<void> ConsoleFolder::write(const QString &name, const QString &text)
{
    QFile file(in(name));
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(text.toUtf8()) < 0 || !file.flush())
        return fail(ErrorCode::LocalIo, u"%1 cannot be written: %2."_s.arg(in(name), file.errorString()));
    m_written[name] = text;
    return {};
}

} // namespace pilothouse
