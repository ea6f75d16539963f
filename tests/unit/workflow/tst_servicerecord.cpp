// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is remembered of a service that served, and what differs since.
#include "core/workflow/servicerecord.h"
#include "tests/support/testmain.h"

#include <QDir>
#include <QTemporaryDir>

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstServiceRecord final : public QObject
{
    Q_OBJECT
private slots:
    void kept_isReadAsItWas();
    void loads_areKeptAndTheMedianTaken();
    void changes_areNamed();
    void unknown_isNoChange();
    void broken_isNone();

private:
    static ServiceRecord record()
    {
        ServiceRecord record;
        record.host = u"gpu1/../x"_s; // no path
        record.unit = u"vllm.service"_s;
        record.provedAt = QDateTime::fromString(u"2026-12-03T01:02:03.004Z"_s, Qt::ISODateWithMs);
        record.unitLines = {u"[Service]"_s, u"ExecStart=/usr/bin/vllm serve a"_s};
        record.environment = {{u"HF_HOME"_s, u"11"_s}, {u"CUDA_VISIBLE_DEVICES"_s, u"22"_s}};
        record.commandLine = u"vllm serve a"_s;
        record.driver = u"590.48.01"_s;
        record.kernel = u"6.1.0"_s;
        record.usedMib = {{u"GPU-a"_s, 90'000}, {u"GPU-b"_s, 91'000}};
        record.loadMs = {30'000};
        return record;
    }
};

void TstServiceRecord::kept_isReadAsItWas()
{
    const QTemporaryDir state;
    QVERIFY(keepRecord(state.path(), record()));
    QCOMPARE(recordOf(state.path(), record().host, record().unit), std::optional(record()));
    QVERIFY(!recordOf(state.path(), u"gpu2"_s, record().unit));
    const QDir kept(state.filePath(u"services"_s));
    QCOMPARE(kept.entryList(QDir::Files).size(), 1);
    QCOMPARE(QFileInfo(kept.filePath(kept.entryList(QDir::Files).first())).permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
    QCOMPARE(record().allUsedMib(), std::optional<qint64>(181'000));
}

void TstServiceRecord::loads_areKeptAndTheMedianTaken()
{
    const QTemporaryDir state;
    for (const qint64 load : {10'000, 90'000, 20'000, 30'000, 40'000, 50'000, 60'000, 70'000, 80'000}) {
        ServiceRecord one = record();
        one.loadMs = {load};
        QVERIFY(keepRecord(state.path(), one));
    }
    const auto kept = recordOf(state.path(), record().host, record().unit);
    QVERIFY(kept);
    QCOMPARE(kept->loadMs, (QList<qint64>{80'000, 70'000, 60'000, 50'000, 40'000, 30'000, 20'000}));
    QCOMPARE(kept->usualLoad(), std::optional(std::chrono::milliseconds(50'000)));
}

void TstServiceRecord::changes_areNamed()
{
    ServiceRecord now = record();
    now.unitLines = {u"[Service]"_s, u"ExecStart=/usr/bin/vllm serve b"_s};
    now.environment = {{u"HF_HOME"_s, u"12"_s}, {u"NEW"_s, u"3"_s}};
    now.driver = u"595.1"_s;
    now.usedMib = {{u"GPU-a"_s, 1}};
    const QString words = whatChanged(record(), now).join(u'\n');
    for (const QString &part : {u"- ExecStart=/usr/bin/vllm serve a"_s, u"+ ExecStart=/usr/bin/vllm serve b"_s, u"other values of: HF_HOME"_s,
                                u"new variables: NEW"_s, u"lacks: CUDA_VISIBLE_DEVICES"_s, u"The driver was 590.48.01 and is 595.1."_s,
                                u"GPU-b was in use by it and is not now"_s})
        QVERIFY2(words.contains(part), qPrintable(part + u'\n' + words));
    QVERIFY(!words.contains("kernel"_L1));
    QVERIFY(whatChanged(record(), record()).isEmpty());
}

void TstServiceRecord::unknown_isNoChange()
{
    QVERIFY(whatChanged(record(), ServiceRecord()).isEmpty());
    QVERIFY(whatChanged(ServiceRecord(), record()).isEmpty());
}

void TstServiceRecord::broken_isNone()
{
    const QTemporaryDir state;
    QVERIFY(keepRecord(state.path(), record()));
    const QDir kept(state.filePath(u"services"_s));
    QFile file(kept.filePath(kept.entryList(QDir::Files).first()));
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write("{\"host\":3");
    file.close();
    QVERIFY(!recordOf(state.path(), record().host, record().unit));
    QVERIFY(keepRecord(state.path(), record())); // and is written anew
}

PILOTHOUSE_TEST_MAIN(TstServiceRecord)
#include "tst_servicerecord.moc"
