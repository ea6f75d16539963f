// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The lab's process that nothing ends, which the tests of a hung nvidia-smi rely on.
#include "tests/lab/labhost.h"
#include "tests/lab/labmain.h"

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstLabFreezer : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(u".*"_s)); }

    void frozenProcess_outlivesKill()
    {
        const LabHost host(1);
        host.sh(u"systemd-run --quiet --unit=frozen /bin/sleep 987654"_s);
        QTRY_COMPARE(host.processes(u"^/bin/sleep 987654$"_s).size(), 1);
        const qint64 pid = host.processes(u"^/bin/sleep 987654$"_s).first();
        {
            Frozen frozen(host.outsidePid(pid));
            QTRY_VERIFY(frozen.isFrozen());
            host.sh(u"kill -KILL %1"_s.arg(pid));
            QCOMPARE(host.sh(u"cut -d ' ' -f 3 /proc/%1/stat"_s.arg(pid)).trimmed(), "D");
        }
        QTRY_VERIFY(host.processes(u"^/bin/sleep 987654$"_s).isEmpty());
        host.sh(u"systemctl reset-failed frozen"_s);
    }
};

PILOTHOUSE_LAB_TEST_MAIN(TstLabFreezer)
#include "tst_labfreezer.moc"
