// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/statefolder.h"

#include <QDir>
#include <QFile>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

QString stateFolder()
{
    const QString home = qEnvironmentVariable("XDG_STATE_HOME");
    const QString base = home.startsWith(u'/') ? home : QString(QDir::homePath() + u"/.local/state"_s);
    return base + u"/pilothouse"_s;
}

Result<QString> makeStateFolder(const QString &folder)
{
    const auto failed = [&folder](const QString &why) {
        return fail(
            ErrorCode::LocalIo, u"The folder %1 cannot be used: %2."_s.arg(folder, why),
            u"Records of what is done to hosts are kept there; set XDG_STATE_HOME to another place if need be."_s);
    };
    const auto system = [&failed] { return failed(QString::fromLocal8Bit(std::strerror(errno))); };
    const QByteArray name = QFile::encodeName(folder);
    if (::mkdir(name.constData(), 0700) != 0 && errno != EEXIST) {
        if (errno != ENOENT || !QDir().mkpath(QFileInfo(folder).path()) || ::mkdir(name.constData(), 0700) != 0)
            return system();
    }
    const int fd = ::open(name.constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return system();
    struct stat state{};
    const bool known = ::fstat(fd, &state) == 0;
    const bool own = known && state.st_uid == ::geteuid();
    const bool closed = own && ((state.st_mode & 077) == 0 || ::fchmod(fd, 0700) == 0);
    const int number = errno;
    ::close(fd);
    if (known && !own)
        return failed(u"it belongs to somebody else"_s);
    if (!closed) {
        errno = number;
        return system();
    }
    return folder;
}

} // namespace pilothouse
