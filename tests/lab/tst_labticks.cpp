// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What many ticks cost the host: one login, no process that stays, no memory that grows. Built twice:
// PILOTHOUSE_LAB_LONG takes as many ticks as an hour has.
#include "tests/lab/lablink.h"
#include "tests/lab/labmain.h"

#include <limits>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

#ifdef PILOTHOUSE_LAB_LONG
constexpr int ticks = 1800;
#else
constexpr int ticks = 60;
#endif

} // namespace

class TstLabTicks : public QObject
{
    Q_OBJECT

    const LabHost m_host{1};

    // Processes that are there whenever one looks: what a tick starts has gone within it.
    [[nodiscard]] QStringList staying() const
    {
        QSet<qint64> all;
        for (int look = 0; look < 5; ++look) {
            const QList<qint64> now = m_host.processes(u"."_s);
            const QSet<qint64> seen(now.begin(), now.end());
            all = look == 0 ? seen : all & seen;
            QTest::qWait(100);
        }
        QStringList lines;
        for (const qint64 pid : std::as_const(all))
            lines.append(QString::number(pid) + u' ' + m_host.commandOf(pid));
        lines.sort();
        return lines;
    }

    // The least of several looks: what the shells fork for a moment counts as theirs.
    [[nodiscard]] qint64 probeRssKib() const
    {
        qint64 least = std::numeric_limits<qint64>::max();
        for (int look = 0; look < 10; ++look) {
            const QByteArray sizes = m_host.sh(u"for f in $(grep -ls pilothouse-probe /proc/[0-9]*/cmdline); do "
                                               "sed -n 's/^VmRSS:[^0-9]*\\([0-9]*\\) kB/\\1/p' ${f%cmdline}status 2>/dev/null; "
                                               "done; :"_s);
            qint64 sum = 0;
            for (const QByteArray &size : sizes.split('\n'))
                sum += size.toLongLong();
            least = std::min(least, sum);
            QTest::qWait(20);
        }
        return least;
    }

private slots:
    void initTestCase()
    {
        QTest::failOnWarning(QRegularExpression(u".*"_s));
        m_host.sh(u"systemd-run --quiet --unit=tree sim-server --gpus 0,1,2,3,4,5,6,7 --load 0.1 -- python3 vllm serve m"_s);
    }

    void manyTicks_signInOnceAndLeaveNothing()
    {
        const int signIns = m_host.signIns();
        LabLink link(m_host, {.cadence = 40ms, .units = {u"tree.service"_s}});
        QTRY_VERIFY_WITH_TIMEOUT(link.snapshots() >= 10, 15'000);
        const QStringList before = staying();
        const qint64 rss = probeRssKib();
        QVERIFY(rss > 0);
        QTRY_VERIFY_WITH_TIMEOUT(link.snapshots() >= ticks, ticks * 400);
        QStringList after = staying();
        after.removeIf([&before](const QString &process) { return before.contains(process); });
        QCOMPARE(after.join(u'\n'), QString());
        QVERIFY2(probeRssKib() < rss + 1024, QByteArray::number(probeRssKib() - rss).constData());
        QCOMPARE(m_host.signIns(), signIns + 1);
        QVERIFY2(link.errors().isEmpty() && link.failures().isEmpty(), link.story().constData());
        QCOMPARE(link.latest()->gpus->size(), 8);
    }

    void lightTickOfBusyHost_isSmall()
    {
        m_host.sh(u"systemd-run --quiet --unit=crowd sh -c 'n=0; while [ $n -lt 480 ]; do sleep 4321 & n=$((n+1)); done; wait'; sleep 0.5"_s);
        QTRY_VERIFY_WITH_TIMEOUT(m_host.processes(u"."_s).size() >= 490, 15'000);
        LabLink link(m_host, {.cadence = 100ms, .units = {u"tree.service"_s}});
        QTRY_VERIFY_WITH_TIMEOUT(link.snapshots() >= 5, 15'000);
        QVERIFY2(link.latest()->bytes <= 16 * 1024, QByteArray::number(link.latest()->bytes).constData());
        qInfo("a light tick of 8 GPUs and %lld processes: %lld bytes", qlonglong(m_host.processes(u"."_s).size()),
              qlonglong(link.latest()->bytes));
        m_host.sh(u"systemctl stop crowd"_s);
    }
};

PILOTHOUSE_LAB_TEST_MAIN(TstLabTicks)
#include "tst_labticks.moc"
