// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// `pilothousectl evidence` against simulated GPU hosts; the archive is read back by tar.
#include "tests/support/simhosts.h"
#include "tests/unit/ctl/ctlrun.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryDir>

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstCtlEvidence final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void archive_hasWhatAPostMortemNeeds();
    void archive_isForItsOwnerOnly();
    void hungDriver_isNotAskedAgain();
    void hostWithoutHolders_isWrittenDownToo();
    void json_saysWhere();
    void unwritablePlace_isSaidBeforeAnyConnection_data();
    void unwritablePlace_isSaidBeforeAnyConnection();
    void unreachable_writesNothing();
    void cleanupTestCase();

private:
    [[nodiscard]] CtlResult run(const SimHosts &hosts, const QString &host, const QString &file, const QStringList &more = {}) const
    {
        return runCtl(QStringList{u"evidence"_s, host, u"-o"_s, file} + more + hosts.arguments(), m_home.path());
    }
    [[nodiscard]] static QByteArray part(const QString &archive, const QString &name)
    {
        QProcess tar;
        tar.start(u"tar"_s, {u"-xzOf"_s, archive, u"incident/"_s + name});
        return tar.waitForFinished() && tar.exitCode() == 0 ? tar.readAllStandardOutput() : QByteArray();
    }
    [[nodiscard]] QString path(const QString &name) const { return m_home.filePath(name); }

    QTemporaryDir m_home;
    SimHosts m_hosts;
    SimHosts m_faults;
};

void TstCtlEvidence::initTestCase()
{
    QVERIFY2(m_hosts.start({u"--scenario"_s, u"demo"_s}), m_hosts.errors().constData());
    QVERIFY2(m_faults.start({u"--scenario"_s, u"faults"_s}), m_faults.errors().constData());
    const auto familiesOf = [&](const QString &host) {
        const CtlResult result = runCtl(QStringList{u"holders"_s, host, u"--json"_s} + m_hosts.arguments(), m_home.path());
        return result.json().value(0).value(u"families"_s).toArray().size();
    };
    QTRY_COMPARE_WITH_TIMEOUT(familiesOf(u"gpu3"_s), 1, 30'000);
}

void TstCtlEvidence::archive_hasWhatAPostMortemNeeds()
{
    const QString file = path(u"gpu3.tar.gz"_s);
    const CtlResult result = run(m_hosts, u"gpu3"_s, file);
    QVERIFY2(result.exitCode == 0, result.errors.constData());
    QVERIFY2(result.output.contains(file.toUtf8()), result.output.constData());
    const QByteArray ticket = part(file, u"ticket.txt"_s);
    QVERIFY2(ticket.startsWith("gpu3, looked at 20"), ticket.constData());
    QCOMPARE(ticket.count("vllm.worker"), 8);
    QVERIFY(!ticket.contains('\x1b'));
    const QByteArray snapshot = part(file, u"snapshot.json"_s);
    const QJsonObject document = QJsonDocument::fromJson(snapshot).object();
    QCOMPARE(document.value(u"families"_s).toArray().size(), 1);
    const QByteArray evidence = part(file, u"evidence.txt"_s);
    for (const char *what : {"==== PID ", "State:", "waits in: ", "control group: ", "==== nvidia-smi -q", "==== kernel log"})
        QVERIFY2(evidence.contains(what), what);
    QVERIFY2(evidence.count("==== PID ") >= 9, evidence.constData());
}

void TstCtlEvidence::archive_isForItsOwnerOnly()
{
    const QString file = path(u"private.tar.gz"_s);
    QCOMPARE(run(m_hosts, u"gpu3"_s, file).exitCode, 0);
    QCOMPARE(QFile::permissions(file) & (QFile::ReadGroup | QFile::ReadOther | QFile::WriteGroup | QFile::WriteOther),
             QFile::Permissions());
}

void TstCtlEvidence::hungDriver_isNotAskedAgain()
{
    const QString file = path(u"hung.tar.gz"_s);
    const CtlResult result = run(m_faults, u"hung"_s, file, {u"--timeout"_s, u"20"_s});
    QVERIFY2(result.exitCode == 0, result.errors.constData());
    const QByteArray evidence = part(file, u"evidence.txt"_s);
    QVERIFY2(evidence.contains("==== kernel log"), evidence.constData());
    QVERIFY2(!evidence.contains("nvidia-smi -q"), evidence.constData());
    QVERIFY(part(file, u"ticket.txt"_s).contains("nvidia-smi"));
}

void TstCtlEvidence::hostWithoutHolders_isWrittenDownToo()
{
    const QString file = path(u"nosmi.tar.gz"_s);
    const CtlResult result = run(m_faults, u"nosmi"_s, file);
    QVERIFY2(result.exitCode == 0, result.errors.constData());
    QVERIFY(part(file, u"evidence.txt"_s).contains("==== kernel log"));
    QVERIFY(QJsonDocument::fromJson(part(file, u"snapshot.json"_s)).object().value(u"gpus"_s).isNull());
}

void TstCtlEvidence::json_saysWhere()
{
    const QString file = path(u"json.tar.gz"_s);
    const CtlResult result = run(m_hosts, u"gpu3"_s, file, {u"--json"_s});
    const QJsonObject document = result.json().value(0);
    QCOMPARE(document.value(u"file"_s).toString(), file);
    QVERIFY(document.value(u"evidence"_s).toBool());
}

void TstCtlEvidence::unwritablePlace_isSaidBeforeAnyConnection_data()
{
    QTest::addColumn<QString>("file");
    QTest::newRow("no such folder") << u"/nowhere/at/all.tar.gz"_s;
    QTest::newRow("a folder") << path(QString());
}

void TstCtlEvidence::unwritablePlace_isSaidBeforeAnyConnection()
{
    QFETCH(const QString, file);
    // Nobody listens there: a connection would end with another code.
    const CtlResult result = runCtl({u"evidence"_s, u"127.0.0.1:1"_s, u"-o"_s, file}, m_home.path());
    QVERIFY2(result.exitCode == 8, result.errors.constData());
    QVERIFY2(result.elapsedMs < 5'000, qPrintable(QString::number(result.elapsedMs)));
}

void TstCtlEvidence::unreachable_writesNothing()
{
    const QString file = path(u"nothing.tar.gz"_s);
    const CtlResult result = runCtl({u"evidence"_s, u"127.0.0.1:1"_s, u"-o"_s, file}, m_home.path());
    QVERIFY2(result.exitCode == 3, result.errors.constData());
    QVERIFY(!QFile::exists(file));
}

void TstCtlEvidence::cleanupTestCase()
{
    QVERIFY(m_hosts.end());
    QVERIFY(m_faults.end());
}

PILOTHOUSE_SIM_TEST_MAIN(TstCtlEvidence)
#include "tst_ctlevidence.moc"
