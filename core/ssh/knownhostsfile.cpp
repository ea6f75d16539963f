// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The part of knownhosts.h that touches the file system.
#include "core/base/cleantext.h"
#include "core/ssh/knownhosts.h"
#include "core/ssh/knownhostsline.h"

#include <QFile>
#include <QFileInfo>
#include <QRandomGenerator>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 maxFile = 16 * 1024 * 1024;

class FileDescriptor
{
public:
    explicit FileDescriptor(int fd) : m_fd(fd) { }
    ~FileDescriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    FileDescriptor(const FileDescriptor &) = delete;
    FileDescriptor &operator=(const FileDescriptor &) = delete;
    [[nodiscard]] int get() const { return m_fd; }

private:
    int m_fd;
};

tl::unexpected<Error> ioError(const QString &path, const QString &what, const QString &why)
{
    return fail(ErrorCode::LocalIo,
                u"%1 cannot be %2: %3."_s.arg(cleanLine(QStringView(path), 512), what, why));
}

QString reason(int error)
{
    return QString::fromLocal8Bit(std::strerror(error));
}

/// What `UserKnownHostsFile /dev/null` means: nothing is known and nothing kept.
bool isNullDevice(const struct stat &info)
{
    struct stat null
    { };
    return S_ISCHR(info.st_mode) && ::stat("/dev/null", &null) == 0 && info.st_rdev == null.st_rdev;
}

/// A name that would become a pattern, a second name or a second line is never written.
bool isStorable(const QString &name)
{
    return !name.isEmpty() && std::none_of(name.begin(), name.end(), [](QChar c) {
        return c.isSpace() || c.category() == QChar::Other_Control || u",*?!|#@\"'"_s.contains(c);
    });
}

/// All that is missing, closed to others as ssh makes ~/.ssh.
Result<void> makeFolder(const QString &folder)
{
    const QByteArray name = QFile::encodeName(folder);
    if (::mkdir(name.constData(), 0700) == 0 || errno == EEXIST)
        return {};
    const int error = errno;
    const QString parent = QFileInfo(folder).path();
    if (error != ENOENT || folder.isEmpty() || parent == folder)
        return ioError(folder, u"made"_s, reason(error));
    if (Result<void> made = makeFolder(parent); !made)
        return made;
    if (::mkdir(name.constData(), 0700) == 0 || errno == EEXIST)
        return {};
    return ioError(folder, u"made"_s, reason(errno));
}

} // namespace

Result<KnownHostsFile> loadKnownHosts(const QString &path)
{
    KnownHostsFile file{path, {}};
    // Non-blocking, so that a pipe in that place cannot hold us.
    const FileDescriptor fd(
        ::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd.get() < 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return file;
        return ioError(path, u"read"_s, reason(errno));
    }
    struct stat info
    { };
    if (::fstat(fd.get(), &info) != 0)
        return ioError(path, u"read"_s, reason(errno));
    if (isNullDevice(info))
        return file;
    if (!S_ISREG(info.st_mode))
        return ioError(path, u"read"_s, u"it is not a file"_s);
    QFile reader;
    if (!reader.open(fd.get(), QIODevice::ReadOnly | QIODevice::Unbuffered))
        return ioError(path, u"read"_s, reader.errorString());
    file.content = reader.read(maxFile + 1); // the size may have grown since fstat
    if (reader.error() != QFileDevice::NoError)
        return ioError(path, u"read"_s, reader.errorString());
    if (file.content.size() > maxFile)
        return ioError(path, u"read"_s, u"it is larger than 16 MiB"_s);
    return file;
}

Result<QList<KnownHostsFile>> loadKnownHosts(const QStringList &paths)
{
    QList<KnownHostsFile> files;
    for (const QString &path : paths) {
        Result<KnownHostsFile> file = loadKnownHosts(path);
        if (!file)
            return fail(file.error().code, file.error().detail,
                        u"It may know the host's key, or revoke it, so that no key is accepted without it. Make it "
                        "readable, or name others with UserKnownHostsFile in the SSH configuration."_s);
        files += std::move(*file);
    }
    return files;
}

QByteArray knownHostsLine(const KnownHostsName &name, const HostKey &key, bool hashed)
{
    QByteArray names = name.text().toUtf8();
    if (hashed) {
        QByteArray salt(20, '\0');
        for (char &byte : salt)
            byte = char(QRandomGenerator::system()->bounded(256));
        names = hashedName(names, salt);
    }
    return names + ' ' + key.type.toLatin1() + ' ' + key.blob.toBase64();
}

Result<void> appendKnownHost(const QString &path, const KnownHostsName &name, const HostKey &key,
                             bool hashed)
{
    if (!isStorable(name.text()))
        return ioError(
            path, u"written"_s,
            u"“%1” is no name that can be kept"_s.arg(cleanLine(QStringView(name.text()))));
    if (!HostKey::fromBlob(key.blob) || HostKey::fromBlob(key.blob) != key)
        return ioError(path, u"written"_s, u"the key is not one"_s);
    if (Result<void> made = makeFolder(QFileInfo(path).path()); !made)
        return made;
    const FileDescriptor fd(::open(QFile::encodeName(path).constData(),
                                   O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
    if (fd.get() < 0)
        return ioError(path, u"written"_s, reason(errno));
    // Several connections of ours may add a key at once: a line half written by another would look unfinished. Where
    // the file system has no locks the line is appended all the same.
    static_cast<void>(::flock(fd.get(), LOCK_EX));
    struct stat info
    { };
    if (::fstat(fd.get(), &info) != 0)
        return ioError(path, u"written"_s, reason(errno));
    if (isNullDevice(info))
        return {};
    if (!S_ISREG(info.st_mode))
        return ioError(path, u"written"_s, u"it is not a file"_s);
    QByteArray line = knownHostsLine(name, key, hashed) + '\n';
    char last = '\n';
    if (info.st_size > 0 && ::pread(fd.get(), &last, 1, info.st_size - 1) == 1 && last != '\n')
        line.prepend('\n');
    const ssize_t written = ::write(fd.get(), line.constData(), size_t(line.size()));
    if (written < 0)
        return ioError(path, u"written"_s, reason(errno));
    if (written != line.size())
        return ioError(path, u"written"_s, u"the disk is full"_s);
    return {};
}

} // namespace pilothouse
