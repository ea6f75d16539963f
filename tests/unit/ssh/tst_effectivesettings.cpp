// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/effectivesettings.h"
#include "core/ssh/secret.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

class TstEffectiveSettings final : public QObject
{
    Q_OBJECT
private slots:
    void defaults_yieldToTheConfiguration();
    void longerTimes_doNotCount();
    void explicitTimes_stay();
    void nothingConfigured_changesNothing();
    void batchMode_asksNobody();
    void rekeyLimit_data();
    void rekeyLimit();
    void rsaSize_belowTheLibrarysIsLeftOut();
    void wipe_overwritesSharedCopies();
};

void TstEffectiveSettings::defaults_yieldToTheConfiguration()
{
    ResolvedHost host;
    host.connectTimeoutS = 3;
    host.serverAliveIntervalS = 5;
    host.serverAliveCountMax = 2;
    const ConnectionSettings settings = effectiveSettings({}, host);
    QCOMPARE(settings.connectTimeout, 3'000ms);
    QCOMPARE(settings.keepaliveInterval, 5'000ms);
    QCOMPARE(settings.deadAfter, 10'000ms);
    host.serverAliveCountMax = 0;
    QCOMPARE(effectiveSettings({}, host).deadAfter, 5'000ms);
}

void TstEffectiveSettings::longerTimes_doNotCount()
{
    ResolvedHost host;
    host.connectTimeoutS = 300;
    host.serverAliveIntervalS = 600;
    const ConnectionSettings settings = effectiveSettings({}, host);
    QCOMPARE(settings.connectTimeout, ConnectionSettings().connectTimeout);
    QCOMPARE(settings.keepaliveInterval, ConnectionSettings().keepaliveInterval);
    QCOMPARE(settings.deadAfter, ConnectionSettings().deadAfter);
}

void TstEffectiveSettings::explicitTimes_stay()
{
    ResolvedHost host;
    host.connectTimeoutS = 1;
    host.serverAliveIntervalS = 1;
    ConnectionSettings given;
    given.connectTimeout = 2s;
    given.deadAfter = 9s;
    const ConnectionSettings settings = effectiveSettings(given, host);
    QCOMPARE(settings.connectTimeout, 2'000ms);
    QCOMPARE(settings.deadAfter, 9'000ms);
    QCOMPARE(settings.keepaliveInterval, ConnectionSettings().keepaliveInterval);
}

void TstEffectiveSettings::nothingConfigured_changesNothing()
{
    const ConnectionSettings before;
    const ConnectionSettings after = effectiveSettings(before, {});
    QCOMPARE(after.connectTimeout, before.connectTimeout);
    QCOMPARE(after.keepaliveInterval, before.keepaliveInterval);
    QCOMPARE(after.deadAfter, before.deadAfter);
    QVERIFY(after.askPerson);
}

void TstEffectiveSettings::batchMode_asksNobody()
{
    ResolvedHost host;
    host.batchMode = true;
    QVERIFY(!effectiveSettings({}, host).askPerson);
}

void TstEffectiveSettings::rekeyLimit_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<RekeyLimit>("limit");
    QTest::newRow("none") << u"0 0"_s << RekeyLimit{};
    QTest::newRow("both") << u"1073741824 3600"_s << RekeyLimit{1073741824, 3600};
    QTest::newRow("empty") << QString() << RekeyLimit{};
    QTest::newRow("one word") << u"5"_s << RekeyLimit{};
    QTest::newRow("words") << u"default none"_s << RekeyLimit{};
    QTest::newRow("negative") << u"-1 5"_s << RekeyLimit{};
    QTest::newRow("too long for milliseconds") << u"5 4294968"_s << RekeyLimit{};
}

void TstEffectiveSettings::rekeyLimit()
{
    QFETCH(QString, text);
    QFETCH(RekeyLimit, limit);
    ResolvedHost host;
    host.rekeyLimit = text;
    QCOMPARE(rekeyLimitOf(host), limit);
}

void TstEffectiveSettings::rsaSize_belowTheLibrarysIsLeftOut()
{
    ResolvedHost host;
    QVERIFY(!requiredRsaSize(host));
    host.requiredRsaSize = 767;
    QVERIFY(!requiredRsaSize(host));
    host.requiredRsaSize = 3072;
    QCOMPARE(requiredRsaSize(host), 3072);
}

void TstEffectiveSettings::wipe_overwritesSharedCopies()
{
    QString secret = QString::fromLatin1("open sesame");
    const QString copy = secret;
    wipe(secret);
    QVERIFY(secret.isEmpty());
    QCOMPARE(copy.count(QChar::Null), copy.size());

    QByteArray bytes = QByteArray("open ") + "sesame";
    const QByteArray bytesCopy = bytes;
    wipe(bytes);
    QVERIFY(bytes.isEmpty());
    QCOMPARE(bytesCopy, QByteArray(11, '\0'));

    QStringList replies{QString::fromLatin1("one"), QString()};
    const QStringList kept = replies;
    wipe(replies);
    QVERIFY(replies.isEmpty());
    QVERIFY(!kept.constFirst().contains(u'n'));
}

PILOTHOUSE_TEST_MAIN(TstEffectiveSettings)
#include "tst_effectivesettings.moc"
