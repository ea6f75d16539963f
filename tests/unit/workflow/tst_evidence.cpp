// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/evidence.h"
#include "tests/support/testmain.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstEvidence final : public QObject
{
    Q_OBJECT
private slots:
    void secrets_areTakenOut_data();
    void secrets_areTakenOut();
    void whatIsNoSecret_stays();
    void file_isPrivateAndInItsFolder();
};

void TstEvidence::secrets_areTakenOut_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::newRow("environment") << QByteArray("Environment=VLLM_API_KEY=s3cr3tvalue HF_TOKEN=s3cr3tvalue");
    QTest::newRow("option") << QByteArray("ExecStart=/bin/vllm serve m --api-key s3cr3tvalue --port 8000");
    QTest::newRow("option with =") << QByteArray("--api-key=s3cr3tvalue");
    QTest::newRow("header") << QByteArray("INFO: Authorization: Bearer s3cr3tvalue");
    QTest::newRow("bearer alone") << QByteArray("curl -H 'X: Bearer s3cr3tvalue'");
    QTest::newRow("json") << QByteArray("{\"password\": \"s3cr3tvalue\"}");
    QTest::newRow("single quotes") << QByteArray("'client_secret': 's3cr3tvalue'");
    QTest::newRow("known beginning") << QByteArray("got hf_s3cr3tvalue from the hub, sk-s3cr3tvalue");
    QTest::newRow("address") << QByteArray("https://ada:s3cr3tvalue@hub.example/x");
    QTest::newRow("cookie") << QByteArray("Cookie: s3cr3tvalue");
}

void TstEvidence::secrets_areTakenOut()
{
    QFETCH(const QByteArray, line);
    const QString clean = withoutSecrets(line);
    QVERIFY2(!clean.contains(u"s3cr3tvalue"_s), qPrintable(clean));
    QVERIFY2(clean.contains(u"[removed]"_s), qPrintable(clean));
}

void TstEvidence::whatIsNoSecret_stays()
{
    const QByteArray text = "Name:\tVLLM::EngineCor\nState:\tS (sleeping)\nSigPnd:\t0000000000000000\nmax_tokens=4096 prompt tokens: 12\n";
    const QString clean = withoutSecrets(text);
    QCOMPARE(clean, QString::fromUtf8(text).replace(u'\t', u' '));
    QVERIFY(!withoutSecrets("a\033[31mb\xe2\x80\xae").contains(u'\033'));
}

void TstEvidence::file_isPrivateAndInItsFolder()
{
    QTemporaryDir state;
    const QDateTime at(QDate(2026, 12, 2), QTime(3, 4, 5), Qt::UTC);
    const auto path = keepEvidence(state.path(), u"../../etc/x"_s, at, "hello\n");
    QVERIFY(path);
    QVERIFY2(path->startsWith(state.filePath(u"evidence/"_s)), qPrintable(*path));
    QVERIFY2(path->endsWith(u"etc_x-20261202-030405.txt"_s), qPrintable(*path));
    QCOMPARE(QFileInfo(*path).permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
    QFile file(*path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("hello\n"));
    QVERIFY(!keepEvidence(u"/proc/none"_s, u"a"_s, at, "x"));
}

PILOTHOUSE_TEST_MAIN(TstEvidence)
#include "tst_evidence.moc"
