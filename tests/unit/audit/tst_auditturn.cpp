// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a killed program left open in the audit, and who closes it.
#include "core/audit/auditlog.h"
#include "core/audit/auditturn.h"
#include "tests/support/testmain.h"

#include <QDir>
#include <QTemporaryDir>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstAuditTurn : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    AuditLog log() const { return AuditLog(m_folder.path()); }
    void write(const QString &operation, AuditRecord::Phase phase) const
    {
        AuditRecord record;
        record.at = QDateTime::currentDateTimeUtc();
        record.operation = operation;
        record.host = u"gpu3"_s;
        record.action = u"signal.kill"_s;
        record.phase = phase;
        record.result = phase == AuditRecord::Phase::Outcome ? AuditRecord::Result::Done : AuditRecord::Result::None;
        QVERIFY(log().append(record));
    }
    QList<AuditRecord> records() const { return log().last(100).value_or(QList<AuditRecord>()); }

private slots:
    void init() { QFile::remove(log().file()); }

    void nothingOpen_addsNothing()
    {
        QVERIFY(AuditTurn::begin(m_folder.path()));
        QVERIFY(records().isEmpty());
        write(u"a"_s, AuditRecord::Phase::Intent);
        write(u"a"_s, AuditRecord::Phase::Outcome);
        QVERIFY(AuditTurn::begin(m_folder.path()));
        QCOMPARE(records().size(), 2);
    }

    void leftOpen_isClosedOnceAsUnknown()
    {
        write(u"done"_s, AuditRecord::Phase::Intent);
        write(u"open"_s, AuditRecord::Phase::Intent);
        write(u"done"_s, AuditRecord::Phase::Outcome);
        QVERIFY(AuditTurn::begin(m_folder.path()));
        QVERIFY(AuditTurn::begin(m_folder.path()));
        QCOMPARE(records().size(), 4);
        const AuditRecord last = records().constLast();
        QCOMPARE(last.operation, u"open"_s);
        QCOMPARE(last.phase, AuditRecord::Phase::Outcome);
        QCOMPARE(last.result, AuditRecord::Result::Failed);
        QCOMPARE(last.host, u"gpu3"_s);
        QCOMPARE(last.action, u"signal.kill"_s);
        QVERIFY2(last.text.startsWith("Outcome unknown"_L1), qPrintable(last.text));
    }

    void anotherProgramAtWork_keepsItsOwnOpen()
    {
        const auto first = AuditTurn::begin(m_folder.path());
        QVERIFY(first);
        write(u"mine"_s, AuditRecord::Phase::Intent);
        QVERIFY(AuditTurn::begin(m_folder.path())); // as of another program: a lock is its descriptor's
        QCOMPARE(records().size(), 1);
    }

    void killedProgram_leavesNoLock()
    {
        int ready[2];
        QVERIFY(::pipe(ready) == 0);
        const pid_t child = ::fork();
        if (child == 0) {
            const auto turn = AuditTurn::begin(m_folder.path());
            write(u"killed"_s, AuditRecord::Phase::Intent);
            const char answer = turn ? 'y' : 'n';
            (void)!::write(ready[1], &answer, 1);
            ::pause();
        }
        char answer = 0;
        QCOMPARE(::read(ready[0], &answer, 1), 1);
        QCOMPARE(answer, 'y');
        QVERIFY(AuditTurn::begin(m_folder.path()));
        QCOMPARE(records().size(), 1);
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        QVERIFY(AuditTurn::begin(m_folder.path()));
        QCOMPARE(records().size(), 2);
        ::close(ready[0]);
        ::close(ready[1]);
    }

    void unwritableFolder_isAnError()
    {
        QCOMPARE(AuditTurn::begin(m_folder.filePath(u"missing"_s)).error().code, ErrorCode::LocalIo);
        QTemporaryDir other;
        QVERIFY(QDir(other.path()).mkdir(u"audit.jsonl"_s)); // no plain file: what is open is not known
        QCOMPARE(AuditTurn::begin(other.path()).error().code, ErrorCode::LocalIo);
    }
};

PILOTHOUSE_TEST_MAIN(TstAuditTurn)
#include "tst_auditturn.moc"
