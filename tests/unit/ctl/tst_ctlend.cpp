// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/simhosts.h"
#include "tests/support/testmain.h"
#include "tests/unit/ctl/ctlrun.h"

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// The end of the program while threads still run.
class TstCtlEnd final : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        QVERIFY2(m_hosts.start({u"--hosts"_s, u"1"_s, u"--fast"_s}), m_hosts.errors().constData());
    }
    void cleanup() { QVERIFY(m_hosts.end()); }

    void threadsThatAreLeftBehind_crashNothing_data()
    {
        QTest::addColumn<QStringList>("command");
        QTest::addColumn<int>("exitCode");
        QTest::newRow("read") << QStringList{u"snapshot"_s, u"gpu1"_s, u"--json"_s} << 0;
        QTest::newRow("refused") << QStringList{u"snapshot"_s, u"gpu1"_s, u"--known-hosts"_s, u"/dev/null"_s} << 5;
    }
    void threadsThatAreLeftBehind_crashNothing()
    {
        QFETCH(QStringList, command);
        QFETCH(int, exitCode);
        for (int i = 0; i < 30; ++i) {
            const CtlResult result = runCtl(command + m_hosts.arguments(), m_home.path(), 30'000,
                                            QStringLiteral(PILOTHOUSE_HASTY_CTL));
            QVERIFY2(result.exitCode == exitCode, result.errors.constData());
            QCOMPARE(result.json().size(), exitCode == 0 ? 1 : 0);
            QCOMPARE(result.errors.isEmpty(), exitCode == 0);
        }
    }

private:
    SimHosts m_hosts;
    QTemporaryDir m_home;
};

PILOTHOUSE_TEST_MAIN(TstCtlEnd)
#include "tst_ctlend.moc"
