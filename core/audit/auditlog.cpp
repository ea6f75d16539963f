// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/auditlog.h"

#include <QDir>
#include <QFile>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 mostRead = 16 * 1024 * 1024; // of a file that grows for years only the end is of interest

class Descriptor
{
public:
    Descriptor(const QString &file, int flags)
        : m_fd(::open(QFile::encodeName(file).constData(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600))
    {
    }
    ~Descriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    Q_DISABLE_COPY_MOVE(Descriptor)
    [[nodiscard]] int get() const { return m_fd; }

private:
    int m_fd;
};

tl::unexpected<Error> failed(const QString &file, const QString &doing, int number)
{
    return fail(ErrorCode::LocalIo,
                u"The audit %1 cannot be %2: %3."_s.arg(file, doing, QString::fromLocal8Bit(std::strerror(number))),
                u"Free or repair the disk: without a record nothing is done to a host."_s);
}

/// Errors: LocalIo (not a plain file of this person's: a folder, a FIFO, a device).
Result<struct stat> plainFile(int fd, const QString &file)
{
    struct stat state{};
    if (::fstat(fd, &state) != 0)
        return failed(file, u"read"_s, errno);
    if (!S_ISREG(state.st_mode) || state.st_uid != ::geteuid())
        return fail(ErrorCode::LocalIo, u"The audit %1 is not a plain file of your own."_s.arg(file),
                    u"Move it away: a new one is made."_s);
    return state;
}

/// A console that was killed, or a full disk, may have left half a line.
bool endsInHalfALine(int fd, qint64 size)
{
    char last = '\n';
    return size > 0 && ::pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

} // namespace

AuditLog::AuditLog(const QString &folder)
    : m_file(QDir(folder).filePath(u"audit.jsonl"_s))
{
}

Result<void> AuditLog::append(const AuditRecord &record) const
{
    const Descriptor file(m_file, O_RDWR | O_APPEND | O_CREAT);
    if (file.get() < 0)
        return failed(m_file, u"opened"_s, errno);
    const auto state = plainFile(file.get(), m_file);
    if (!state)
        return fail(state.error());
    QByteArray line = auditLine(record);
    if (endsInHalfALine(file.get(), state->st_size))
        line.prepend('\n');
    // One write: with O_APPEND two consoles' lines do not mix.
    ssize_t written = 0;
    do {
        written = ::write(file.get(), line.constData(), size_t(line.size()));
    } while (written < 0 && errno == EINTR);
    if (written != line.size())
        return failed(m_file, u"written"_s, written < 0 ? errno : ENOSPC);
    if (::fdatasync(file.get()) != 0)
        return failed(m_file, u"written to the disk"_s, errno);
    return {};
}

Result<QList<AuditRecord>> AuditLog::last(qsizetype most) const
{
    const Descriptor descriptor(m_file, O_RDONLY);
    if (descriptor.get() < 0) {
        if (errno == ENOENT)
            return QList<AuditRecord>();
        return failed(m_file, u"read"_s, errno);
    }
    const auto state = plainFile(descriptor.get(), m_file);
    if (!state)
        return fail(state.error());
    QFile file;
    if (!file.open(descriptor.get(), QIODevice::ReadOnly) || !file.seek(std::max<qint64>(0, state->st_size - mostRead)))
        return fail(ErrorCode::LocalIo, u"The audit %1 cannot be read: %2."_s.arg(m_file, file.errorString()));
    const QByteArray end = file.readAll();
    QList<AuditRecord> records;
    qsizetype until = end.size();
    while (until > 0 && records.size() < most) {
        const qsizetype from = end.lastIndexOf('\n', until - 1) + 1;
        if (const auto record = readAuditLine(QByteArrayView(end).sliced(from, until - from)))
            records += *record;
        until = from - 1;
    }
    std::ranges::reverse(records);
    return records;
}

} // namespace pilothouse
