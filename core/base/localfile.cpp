// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/localfile.h"

#include "core/base/cleantext.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QScopeGuard>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

Result<QByteArray> readLocalFile(const QString &path, qint64 mostBytes)
{
    const auto broken = [&](const QString &why) {
        return fail(ErrorCode::LocalIo, u"%1 cannot be read: %2."_s.arg(cleanLine(path), why));
    };
    const auto reason = [] { return QString::fromLocal8Bit(std::strerror(errno)); };
    const int fd = ::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) // a socket is not even opened
        return broken(errno == ENXIO ? u"it is not a file"_s : reason());
    const auto close = qScopeGuard([fd] { ::close(fd); });
    struct stat info = {};
    if (::fstat(fd, &info) != 0)
        return broken(reason());
    if (!S_ISREG(info.st_mode))
        return broken(u"it is not a file"_s);
    QFile file;
    if (!file.open(fd, QIODevice::ReadOnly | QIODevice::Unbuffered))
        return broken(file.errorString());
    const QByteArray bytes = file.read(mostBytes + 1); // it may have grown since
    if (file.error() != QFileDevice::NoError)
        return broken(file.errorString());
    if (bytes.size() > mostBytes)
        return broken(u"it is larger than %1 MiB"_s.arg(mostBytes / (1024 * 1024)));
    return bytes;
}

Result<void> keepPrivately(const QString &path, const QByteArray &bytes)
{
    QSaveFile file(path);
    const bool kept = QDir().mkpath(QFileInfo(path).path()) && file.open(QIODevice::WriteOnly)
        && file.setPermissions(QFile::ReadOwner | QFile::WriteOwner)
        && file.write(bytes) == bytes.size() && file.commit();
    if (!kept)
        return fail(ErrorCode::LocalIo, u"%1 cannot be written: %2."_s.arg(cleanLine(path), file.errorString()));
    return {};
}

} // namespace pilothouse
