// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/singleinstance.h"

#include "tests/support/testmain.h"

#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstSingleInstance : public QObject
{
    Q_OBJECT
private slots:
    void first_claims()
    {
        const QTemporaryDir folder;
        const QString state = folder.filePath(u"state/pilothouse"_s);
        SingleInstance instance(state);
        const Result<bool> claimed = instance.claim();
        QVERIFY(claimed && *claimed);
        QCOMPARE(QFileInfo(state).permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
    }

    void second_handsItsTargetOver_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("received");
        QTest::newRow("none") << QString() << QString();
        QTest::newRow("host") << u"gpu1"_s << u"gpu1"_s;
        QTest::newRow("service") << u"gpu1/kimi"_s << u"gpu1/kimi"_s;
        QTest::newRow("no second line") << u"a\nb"_s << u"a b"_s;
    }
    void second_handsItsTargetOver()
    {
        QFETCH(QString, target);
        QFETCH(QString, received);
        const QTemporaryDir folder;
        SingleInstance first(folder.path());
        QVERIFY(*first.claim());
        QSignalSpy raised(&first, &SingleInstance::raised);
        SingleInstance second(folder.path());
        QVERIFY(!*second.claim());
        QVERIFY(second.handOver(target));
        QTRY_COMPARE(raised.size(), 1);
        QCOMPARE(raised.first().first().toString(), received);
    }

    void dead_leavesItsPlace()
    {
        const QTemporaryDir folder;
        {
            SingleInstance first(folder.path());
            QVERIFY(*first.claim());
        }
        QFile leftover(folder.filePath(u"console.socket"_s));
        QVERIFY(leftover.open(QIODevice::WriteOnly));
        leftover.close();
        SingleInstance next(folder.path());
        QVERIFY(*next.claim());
    }

    void longFolder_getsAShortSocket()
    {
        const QTemporaryDir folder;
        const QString state = folder.filePath(QString(150, u'x'));
        SingleInstance first(state);
        QVERIFY(*first.claim());
        QSignalSpy raised(&first, &SingleInstance::raised);
        const SingleInstance second(state);
        QVERIFY(second.handOver(u"gpu1"_s));
        QTRY_COMPARE(raised.size(), 1);
    }

    void nobodyThere_isAnError()
    {
        const QTemporaryDir folder;
        const SingleInstance second(folder.path());
        const Result<void> handed = second.handOver(u"gpu1"_s);
        QVERIFY(!handed);
        QCOMPARE(handed.error().code, ErrorCode::LocalIo);
    }
};

PILOTHOUSE_TEST_MAIN(TstSingleInstance)
#include "tst_singleinstance.moc"
