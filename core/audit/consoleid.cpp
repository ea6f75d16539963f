// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/consoleid.h"

#include "core/base/cleantext.h"

#include <QDir>
#include <QFile>
#include <QRandomGenerator>
#include <QSysInfo>
#include <QTemporaryFile>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype digits = 32;

/// Empty: there is none, or something else stands there.
QString idIn(const QString &path)
{
    const int fd = ::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return {};
    std::array<char, digits + 1> bytes{};
    const ssize_t got = ::read(fd, bytes.data(), bytes.size());
    ::close(fd);
    const QByteArrayView id(bytes.data(), digits);
    const bool good = got == ssize_t(bytes.size()) && bytes.back() == '\n' && std::ranges::all_of(id, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    });
    return good ? QString::fromLatin1(id) : QString();
}

QByteArray newId()
{
    std::array<quint32, 4> words{};
    QRandomGenerator::system()->fillRange(words.data(), words.size());
    return QByteArray(reinterpret_cast<const char *>(words.data()), sizeof words).toHex();
}

} // namespace

Result<QString> consoleId(const QString &folder)
{
    const QString path = QDir(folder).filePath(u"console-id"_s);
    if (const QString id = idIn(path); !id.isEmpty())
        return id;
    const auto failed = [&path](const QString &why) {
        return fail(ErrorCode::LocalIo, u"The console's own name cannot be kept in %1: %2."_s.arg(path, why));
    };
    QTemporaryFile file(path + u".XXXXXX"_s);
    const QByteArray id = newId();
    if (!file.open() || file.write(id + '\n') != digits + 1 || !file.flush() || ::fdatasync(file.handle()) != 0)
        return failed(file.errorString());
    const QByteArray from = QFile::encodeName(file.fileName());
    const QByteArray to = QFile::encodeName(path);
    // Of two consoles that start together the first one's name counts for both.
    if (::link(from.constData(), to.constData()) == 0)
        return QString::fromLatin1(id);
    if (errno == EEXIST) {
        if (const QString other = idIn(path); !other.isEmpty())
            return other;
        // Half a file, or something else: nobody's name.
        if (::rename(from.constData(), to.constData()) == 0)
            return QString::fromLatin1(id);
    }
    return failed(QString::fromLocal8Bit(std::strerror(errno)));
}

QString personHere()
{
    QString user = qEnvironmentVariable("USER");
    if (user.isEmpty())
        user = qEnvironmentVariable("LOGNAME");
    if (user.isEmpty())
        user = u"uid %1"_s.arg(::geteuid());
    return cleanLine(QString(user + u'@' + QSysInfo::machineHostName()), 80);
}

} // namespace pilothouse
