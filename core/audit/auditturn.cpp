// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/auditturn.h"

#include "core/audit/auditlog.h"

#include <QDir>
#include <QFile>
#include <QHash>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

// Whoever began last closed what was older than that.
constexpr qsizetype mostLookedAt = 2000;

Result<void> closeOpen(const AuditLog &log)
{
    const auto records = log.last(mostLookedAt);
    if (!records)
        return fail(records.error());
    QHash<QString, AuditRecord> open;
    for (const AuditRecord &record : *records) {
        if (record.phase == AuditRecord::Phase::Intent)
            open.insert(record.operation, record);
        else
            open.remove(record.operation);
    }
    for (AuditRecord record : std::as_const(open)) {
        record.at = QDateTime::currentDateTimeUtc();
        record.phase = AuditRecord::Phase::Outcome;
        record.result = AuditRecord::Result::Failed;
        record.text = u"Outcome unknown: the program ended before it was told."_s;
        if (const auto written = log.append(record); !written)
            return fail(written.error());
    }
    return {};
}

int lock(int fd, int how)
{
    int status = 0;
    do {
        status = ::flock(fd, how);
    } while (status != 0 && errno == EINTR);
    return status;
}

} // namespace

AuditTurn::AuditTurn(int fd)
    : m_fd(fd)
{
}

AuditTurn::~AuditTurn()
{
    ::close(m_fd);
}

Result<std::unique_ptr<AuditTurn>> AuditTurn::begin(const QString &folder)
{
    const QString path = QDir(folder).filePath(u"audit.lock"_s);
    const int fd = ::open(QFile::encodeName(path).constData(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    const auto failed = [&] {
        return fail(ErrorCode::LocalIo, u"%1 cannot be locked: %2."_s.arg(path, QString::fromLocal8Bit(std::strerror(errno))),
                    u"Free or repair the disk: without a record nothing is done to a host."_s);
    };
    if (fd < 0)
        return failed();
    std::unique_ptr<AuditTurn> turn(new AuditTurn(fd)); // its constructor is private
    // Alone: nobody is in the middle of anything. In the gap before the shared lock another may close what is open, and
    // nothing is.
    if (lock(fd, LOCK_EX | LOCK_NB) == 0) {
        if (const auto closed = closeOpen(AuditLog(folder)); !closed)
            return fail(closed.error());
    }
    if (lock(fd, LOCK_SH) != 0)
        return failed();
    return turn;
}

} // namespace pilothouse
