// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The file of the audit, what lies around it, and how it fails.
#include "core/audit/auditlog.h"
#include "core/audit/consoleid.h"
#include "core/base/statefolder.h"
#include "tests/support/skip.h"
#include "tests/support/testmain.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <algorithm>
#include <thread>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

AuditRecord record(const QString &text)
{
    AuditRecord made;
    made.at = QDateTime::currentDateTimeUtc();
    made.operation = u"op"_s;
    made.text = text;
    return made;
}

QStringList textsOf(const AuditLog &log, qsizetype most = 1000)
{
    QStringList texts;
    for (const AuditRecord &each : log.last(most).value_or(QList<AuditRecord>()))
        texts += each.text;
    return texts;
}

void write(const QString &path, const QByteArray &bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Append));
    QCOMPARE(file.write(bytes), bytes.size());
}

int modeOf(const QString &path)
{
    struct stat state{};
    return ::stat(QFile::encodeName(path).constData(), &state) == 0 ? int(state.st_mode & 07777) : -1;
}

/// No file of this process grows beyond `bytes` while it lives: what a full disk does.
class FullDisk
{
public:
    explicit FullDisk(rlim_t bytes)
    {
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        m_handler = std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{bytes, m_before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk()
    {
        ::setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_handler);
    }
    Q_DISABLE_COPY_MOVE(FullDisk)

private:
    rlimit m_before{};
    void (*m_handler)(int) = SIG_DFL;
};

} // namespace

class TstAuditLog final : public QObject
{
    Q_OBJECT

private slots:
    void records_comeInOrder()
    {
        const QTemporaryDir folder;
        const AuditLog log(folder.path());
        QCOMPARE(textsOf(log), QStringList());
        QVERIFY(log.last(5)); // no file: none, and no error
        for (const QString &text : {u"one"_s, u"two"_s, u"three"_s})
            QVERIFY(log.append(record(text)));
        QCOMPARE(textsOf(log), (QStringList{u"one"_s, u"two"_s, u"three"_s}));
        QCOMPARE(textsOf(log, 2), (QStringList{u"two"_s, u"three"_s}));
        QCOMPARE(modeOf(log.file()), 0600);
    }

    void nothingThatStandsThere_isChanged()
    {
        const QTemporaryDir folder;
        const AuditLog log(folder.path());
        const QByteArray before = "something else\n" + auditLine(record(u"old"_s));
        write(log.file(), before);
        QVERIFY(log.append(record(u"new"_s)));
        QFile file(log.file());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().startsWith(before));
        QCOMPARE(textsOf(log), (QStringList{u"old"_s, u"new"_s}));
    }

    void halfALine_costsNoOther()
    {
        const QTemporaryDir folder;
        const AuditLog log(folder.path());
        QVERIFY(log.append(record(u"before"_s)));
        write(log.file(), auditLine(record(u"cut off"_s)).first(40));
        QVERIFY(log.append(record(u"after"_s)));
        QCOMPARE(textsOf(log), (QStringList{u"before"_s, u"after"_s}));
    }

    void manyConsoles_mixNoLines()
    {
        const QTemporaryDir folder;
        constexpr int consoles = 4;
        constexpr int each = 50;
        std::vector<std::thread> threads;
        for (int console = 0; console < consoles; ++console)
            threads.emplace_back([&folder, console] {
                const AuditLog log(folder.path());
                for (int i = 0; i < each; ++i)
                    static_cast<void>(log.append(record(u"%1 %2 %3"_s.arg(console).arg(i).arg(QString(300, u'x')))));
            });
        for (std::thread &thread : threads)
            thread.join();
        QCOMPARE(AuditLog(folder.path()).last(1000)->size(), consoles * each);
    }

    void longFile_isReadFromItsEnd()
    {
        const QTemporaryDir folder;
        const AuditLog log(folder.path());
        write(log.file(), auditLine(record(u"first"_s)));
        write(log.file(), QByteArray(17 * 1024 * 1024, 'x') + '\n');
        QVERIFY(log.append(record(u"last"_s)));
        QCOMPARE(textsOf(log), QStringList{u"last"_s});
    }

    void fullDisk_isSaidAndNothingIsLost()
    {
        const QTemporaryDir folder;
        const AuditLog log(folder.path());
        QVERIFY(log.append(record(u"before"_s)));
        {
            const FullDisk disk(rlim_t(QFileInfo(log.file()).size() + 20));
            const auto appended = log.append(record(u"lost"_s));
            QVERIFY(!appended);
            QCOMPARE(appended.error().code, ErrorCode::LocalIo);
            QCOMPARE(exitCodeOf(appended.error().code), 8);
            QVERIFY2(appended.error().detail.contains(log.file()), qPrintable(appended.error().detail));
            QVERIFY(!appended.error().advice.isEmpty());
        }
        QVERIFY(log.append(record(u"after"_s)));
        QCOMPARE(textsOf(log), (QStringList{u"before"_s, u"after"_s}));
    }

    void whatIsNoFile_isRefused_data()
    {
        QTest::addColumn<QString>("kind");
        for (const char *kind : {"folder", "fifo", "link", "somebody else's"})
            QTest::newRow(kind) << QString::fromLatin1(kind);
    }
    void whatIsNoFile_isRefused()
    {
        QFETCH(QString, kind);
        const QTemporaryDir folder;
        const AuditLog log(folder.path());
        const QByteArray name = QFile::encodeName(log.file());
        if (kind == u"folder") {
            QCOMPARE(::mkdir(name.constData(), 0700), 0);
        } else if (kind == u"fifo") {
            QCOMPARE(::mkfifo(name.constData(), 0600), 0);
        } else if (kind == u"link") {
            write(folder.filePath(u"elsewhere"_s), "");
            QVERIFY(QFile::link(folder.filePath(u"elsewhere"_s), log.file()));
        } else {
            if (::geteuid() != 0)
                PILOTHOUSE_SKIP("needs root to give a file away");
            write(log.file(), "");
            QCOMPARE(::chown(name.constData(), 65534, 65534), 0);
        }
        const auto appended = log.append(record(u"x"_s));
        QVERIFY(!appended);
        QCOMPARE(appended.error().code, ErrorCode::LocalIo);
        if (kind == u"link")
            QCOMPARE(QFileInfo(folder.filePath(u"elsewhere"_s)).size(), 0);
    }

    void stateFolder_isPrivate()
    {
        const QTemporaryDir parent;
        const QString path = parent.filePath(u"a/b/pilothouse"_s);
        QCOMPARE(makeStateFolder(path).value_or(QString()), path);
        QCOMPARE(modeOf(path), 0700);
        QCOMPARE(::chmod(QFile::encodeName(path).constData(), 0755), 0);
        QVERIFY(makeStateFolder(path));
        QCOMPARE(modeOf(path), 0700);
    }

    void stateFolder_thatCannotBe()
    {
        const QTemporaryDir parent;
        write(parent.filePath(u"file"_s), "");
        for (const QString &path : {parent.filePath(u"file"_s), parent.filePath(u"file/below"_s)}) {
            const auto made = makeStateFolder(path);
            QVERIFY(!made);
            QCOMPARE(made.error().code, ErrorCode::LocalIo);
            QVERIFY(made.error().detail.contains(path));
        }
        if (::geteuid() != 0)
            PILOTHOUSE_SKIP("needs root to give a folder away");
        QCOMPARE(::mkdir(QFile::encodeName(parent.filePath(u"other"_s)).constData(), 0700), 0);
        QCOMPARE(::chown(QFile::encodeName(parent.filePath(u"other"_s)).constData(), 65534, 65534), 0);
        QVERIFY(!makeStateFolder(parent.filePath(u"other"_s)));
    }

    void stateFolder_followsTheVariable()
    {
        const QByteArray before = qgetenv("XDG_STATE_HOME");
        qputenv("XDG_STATE_HOME", "/somewhere");
        QCOMPARE(stateFolder(), u"/somewhere/pilothouse"_s);
        qputenv("XDG_STATE_HOME", "relative");
        QVERIFY(stateFolder().endsWith(u"/.local/state/pilothouse"_s));
        qputenv("XDG_STATE_HOME", before);
    }

    void consoleId_staysTheSame()
    {
        const QTemporaryDir folder;
        const QString id = consoleId(folder.path()).value_or(QString());
        QCOMPARE(id.size(), 32);
        QCOMPARE(consoleId(folder.path()).value_or(QString()), id);
        const QTemporaryDir other;
        QVERIFY(consoleId(other.path()).value_or(id) != id);
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList{u"console-id"_s});
    }

    void consoleId_ofTwoThatStartTogetherIsOne()
    {
        const QTemporaryDir folder;
        std::array<QString, 6> ids;
        std::vector<std::thread> threads;
        for (QString &id : ids)
            threads.emplace_back([&folder, &id] { id = consoleId(folder.path()).value_or(QString()); });
        for (std::thread &thread : threads)
            thread.join();
        QVERIFY(!ids[0].isEmpty());
        QVERIFY(std::ranges::all_of(ids, [&](const QString &id) { return id == ids[0]; }));
    }

    void consoleId_brokenFileIsReplaced()
    {
        const QTemporaryDir folder;
        write(folder.filePath(u"console-id"_s), "half");
        const QString id = consoleId(folder.path()).value_or(QString());
        QCOMPARE(id.size(), 32);
        QCOMPARE(consoleId(folder.path()).value_or(QString()), id);
    }

    void consoleId_withoutAFolder()
    {
        const auto id = consoleId(u"/proc/nothing"_s);
        QVERIFY(!id);
        QCOMPARE(id.error().code, ErrorCode::LocalIo);
    }
};

PILOTHOUSE_TEST_MAIN(TstAuditLog)
#include "tst_auditlog.moc"
