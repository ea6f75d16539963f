// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/auditrecord.h"
#include "tests/support/testmain.h"

#include <QJsonDocument>
#include <QJsonObject>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

AuditRecord intent()
{
    AuditRecord record;
    record.at = QDateTime::fromString(u"2026-03-01T03:00:00.123Z"_s, Qt::ISODateWithMs);
    record.operation = u"0123456789abcdef"_s;
    record.console = u"c0ffee"_s;
    record.person = u"ada@desk"_s;
    record.host = u"gpu1"_s;
    record.target = u"root@10.0.0.5:22"_s;
    record.bootId = u"11111111-2222-3333-4444-555555555555"_s;
    record.action = u"signal.term"_s;
    record.objects = {{ProcessIdentity{Pid{4242}, StartTicks{18446744073709551615ULL}}, u"VLLM::Worker_TP0"_s},
                      {std::nullopt, u"vllm-kimi.service"_s}};
    record.text = u"SIGTERM to the head of a leftover family."_s;
    return record;
}

} // namespace

class TstAuditRecord final : public QObject
{
    Q_OBJECT

private slots:
    void intent_isReadAsItWasWritten()
    {
        const auto read = readAuditLine(auditLine(intent()));
        QVERIFY(read);
        QVERIFY(*read == intent());
    }

    void outcome_isReadAsItWasWritten_data()
    {
        QTest::addColumn<AuditRecord::Result>("result");
        QTest::newRow("done") << AuditRecord::Result::Done;
        QTest::newRow("failed") << AuditRecord::Result::Failed;
        QTest::newRow("refused") << AuditRecord::Result::Refused;
    }
    void outcome_isReadAsItWasWritten()
    {
        QFETCH(AuditRecord::Result, result);
        AuditRecord record = intent();
        record.phase = AuditRecord::Phase::Outcome;
        record.result = result;
        const auto read = readAuditLine(auditLine(record));
        QVERIFY(read);
        QVERIFY(*read == record);
    }

    void line_isOneObjectOfTheContractsForm()
    {
        const QByteArray line = auditLine(intent());
        QCOMPARE(line.count('\n'), 1);
        QVERIFY(line.endsWith('\n'));
        const QJsonObject json = QJsonDocument::fromJson(line).object();
        QCOMPARE(json.value(u"schema"_s).toInt(), 1);
        QCOMPARE(json.value(u"at"_s).toString(), u"2026-03-01T03:00:00.123Z"_s);
        QCOMPARE(json.value(u"phase"_s).toString(), u"intent"_s);
        QVERIFY(!json.contains(u"result"_s));
        QCOMPARE(json.value(u"boot_id"_s).toString(), intent().bootId);
    }

    void time_isWrittenInUtc()
    {
        AuditRecord record = intent();
        record.at = record.at.toOffsetFromUtc(7200);
        QVERIFY(auditLine(record).contains("\"2026-03-01T03:00:00.123Z\""));
    }

    void hostText_isOnePlainLine()
    {
        AuditRecord record = intent();
        record.objects[0].name = u"a\n{\"schema\":1}\x1b[31m\u202eb"_s;
        record.text = u"x\ny"_s;
        const QByteArray line = auditLine(record);
        QCOMPARE(line.count('\n'), 1);
        const auto read = readAuditLine(line);
        QVERIFY(read);
        const QString name = read->objects.constFirst().name;
        QVERIFY2(!name.contains(u'\n') && !name.contains(QChar(0x1b)) && !name.contains(QChar(0x202e)), qPrintable(name));
        QVERIFY(!read->text.contains(u'\n'));
    }

    void manyObjects_leaveTheirNumber()
    {
        AuditRecord record = intent();
        record.objects.clear();
        for (int i = 1; i <= 2000; ++i)
            record.objects += AuditObject{ProcessIdentity{Pid{i}, StartTicks{1}}, QString(200, u'x')};
        const QByteArray line = auditLine(record);
        QVERIFY2(line.size() <= 64 * 1024, qPrintable(QString::number(line.size())));
        const auto read = readAuditLine(line);
        QVERIFY(read);
        QVERIFY(read->objects.size() > 100);
        const QJsonObject json = QJsonDocument::fromJson(line).object();
        QCOMPARE(json.value(u"objects_left_out"_s).toInteger(), 2000 - read->objects.size());
    }

    void otherLines_areNoRecords_data()
    {
        QTest::addColumn<QByteArray>("line");
        const QByteArray good = auditLine(intent());
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("half") << good.first(good.size() / 2);
        QTest::newRow("a list") << QByteArray("[1]\n");
        QTest::newRow("another schema") << QByteArray(good).replace("\"schema\":1", "\"schema\":2");
        QTest::newRow("no time") << QByteArray(good).replace("2026-03-01T", "");
        QTest::newRow("another phase") << QByteArray(good).replace("\"intent\"", "\"hope\"");
        QTest::newRow("an intent with a result") << QByteArray(good).replace("\"intent\"", "\"intent\",\"result\":\"done\"");
        QTest::newRow("an outcome without one") << QByteArray(good).replace("\"intent\"", "\"outcome\"");
        QTest::newRow("an unknown result") << QByteArray(good).replace("\"intent\"", "\"outcome\",\"result\":\"maybe\"");
        QTest::newRow("a process without its start") << QByteArray(good).replace("\"start_ticks\"", "\"start\"");
        QTest::newRow("PID 0") << QByteArray(good).replace("\"pid\":4242", "\"pid\":0");
        QTest::newRow("a PID that is none") << QByteArray(good).replace("\"pid\":4242", "\"pid\":\"4242\"");
    }
    void otherLines_areNoRecords()
    {
        QFETCH(QByteArray, line);
        const auto read = readAuditLine(line);
        QVERIFY(!read);
        QCOMPARE(read.error().code, ErrorCode::LocalIo);
    }
};

PILOTHOUSE_TEST_MAIN(TstAuditRecord)
#include "tst_auditrecord.moc"
