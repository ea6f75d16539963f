// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/memoryplot.h"

#include "tests/gui/windowfixture.h"
#include "tests/support/testmain.h"
#include "ui/plots/plotpanel.h"

#include <QApplication>
#include <QSet>
#include <QSignalSpy>
#include <QToolButton>
#include <QWheelEvent>

#include <algorithm>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

qint64 nowMs()
{
    return sceneNow().toMSecsSinceEpoch();
}

/// As antialiasing leaves it.
bool isNear(const QColor &a, const QColor &b)
{
    constexpr int tolerance = 60;
    return qAbs(a.red() - b.red()) < tolerance && qAbs(a.green() - b.green()) < tolerance
        && qAbs(a.blue() - b.blue()) < tolerance;
}

/// Five minutes of ticks; nothing is known from 120 s to 100 s ago.
MemoryHistory fiveMinutes(int gpus)
{
    MemoryHistory history;
    for (qint64 ageMs = 300'000; ageMs >= 0; ageMs -= 2000) {
        Snapshot snapshot = servingHost(u"gpu1"_s, ageMs, gpus);
        if (ageMs <= 120'000 && ageMs > 100'000)
            snapshot.gpus.reset();
        history.add(snapshot);
    }
    return history;
}

struct Shown
{
    explicit Shown(int gpus = 8, Theme::Mode mode = Theme::Mode::Light)
        : theme(mode)
        , history(fiveMinutes(gpus))
        , panel(theme)
    {
        panel.resize(700, 360);
        panel.show();
        (void)QTest::qWaitForWindowExposed(&panel);
        panel.refresh(history, nowMs());
        settle();
    }
    /// Two frames: the second one draws for the size that the first one has found.
    void settle() const { QTest::qWait(30); }
    MemoryPlot &plot() const { return *panel.plot(); }
    QWidget *canvas() const { return panel.findChild<QWidget *>(u"memoryPlotCanvas"_s); }
    void click(const QString &button) const
    {
        QTest::mouseClick(panel.findChild<QToolButton *>(button), Qt::LeftButton);
    }
    /// Not QTest::mouseMove: it sets the cursor, which the offscreen screen of 400 px at 200 % has no room for.
    void moveTo(const QPointF &at) const
    {
        QMouseEvent event(QEvent::MouseMove, at, canvas()->mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QApplication::sendEvent(canvas(), &event);
    }
    void hover(qint64 ageMs) const { moveTo(plot().pointAt(nowMs() - ageMs)); }
    void wheel(int delta) const
    {
        const QPointF at = plot().pointAt(nowMs() - 150'000);
        QWheelEvent event(at, canvas()->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(canvas(), &event);
    }

    Theme theme;
    MemoryHistory history;
    PlotPanel panel;
};

} // namespace

class TstMemoryPlot : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void live_showsTheLastFiveMinutes()
    {
        const Shown shown;
        const auto [from, to] = shown.plot().visibleRange();
        QCOMPARE(to, nowMs());
        QCOMPARE(to - from, 300'000);
        QCOMPARE(shown.plot().view(), MemoryPlot::View::Live);
        for (int slot = 0; slot < 8; ++slot)
            QVERIFY(shown.plot().drawnPoints(slot).size() > 100);
        QVERIFY(shown.plot().drawnPoints(8).empty());
    }

    void live_growsWithTheDataUpToTheSpan()
    {
        const Shown shown;
        const auto span = [&] { return shown.plot().visibleRange().second - shown.plot().visibleRange().first; };
        MemoryHistory history;
        const qint64 start = nowMs() + 400'000;
        for (const qint64 afterMs : {0, 2000, 20'000, 40'000, 299'000, 400'000}) {
            const qint64 at = start + afterMs;
            history.add(servingHost(u"gpu1"_s, nowMs() - at));
            shown.plot().refresh(history, at + 800);
            QCOMPARE(span(), std::clamp<qint64>(afterMs + 800, 10'000, 300'000));
            QCOMPARE(shown.plot().visibleRange().second, at + 800);
        }
        shown.click(u"plotSpan1h"_s);
        QCOMPARE(span(), 400'800);
    }

    void live_withoutAnyValueHasTheWholeSpan()
    {
        const Shown shown;
        Snapshot snapshot = servingHost(u"gpu1"_s, 2000);
        snapshot.gpus.reset();
        MemoryHistory history;
        history.add(snapshot);
        shown.plot().refresh(history, nowMs());
        QCOMPARE(shown.plot().visibleRange().second - shown.plot().visibleRange().first, 300'000);
    }

    void marks_areRoundTimesWithRoom_data()
    {
        QTest::addColumn<qint64>("historyMs");
        QTest::addColumn<QString>("second");
        QTest::newRow("seconds") << qint64{12'000} << u"23:04:30"_s;
        QTest::newRow("half minutes") << qint64{100'000} << u"23:03:30"_s;
        QTest::newRow("minutes") << qint64{300'000} << u"23:01"_s;
    }

    void marks_areRoundTimesWithRoom()
    {
        QFETCH(const qint64, historyMs);
        QFETCH(const QString, second);
        const Shown shown;
        MemoryHistory history;
        for (qint64 ageMs = historyMs; ageMs >= 0; ageMs -= 2000)
            history.add(servingHost(u"gpu1"_s, ageMs));
        shown.plot().refresh(history, nowMs());
        shown.settle();
        QTRY_VERIFY(shown.plot().timeLabels().contains(second));
        const QStringList labels = shown.plot().timeLabels();
        QVERIFY2(labels.size() >= 2 && labels.size() <= 6, qPrintable(labels.join(u' ')));
        QCOMPARE(QSet<QString>(labels.begin(), labels.end()).size(), labels.size());
    }

    void loneSample_isADot()
    {
        const Shown shown(1);
        QVERIFY(shown.plot().drawnDots(0).empty());
        MemoryHistory history;
        for (const qint64 ageMs : {200'000, 150'000, 100'000, 98'000, 0}) {
            history.add(servingHost(u"gpu1"_s, ageMs, 1));
            if (ageMs != 100'000)
                history.addGap(nowMs() - ageMs + 1);
        }
        shown.plot().refresh(history, nowMs() + 10'000);
        shown.settle();
        QList<qint64> ages;
        for (const MemorySample &dot : shown.plot().drawnDots(0))
            ages << nowMs() - dot.atMs;
        QCOMPARE(ages, (QList<qint64>{200'000, 150'000, 0}));
        const QImage image = shown.canvas()->grab().toImage();
        const double ratio = image.devicePixelRatio();
        const int x = qRound(shown.plot().pointAt(nowMs() - 150'000).x() * ratio);
        int pixels = 0;
        for (int y = 0; y < image.height() * 3 / 4; ++y)
            pixels += isNear(image.pixelColor(x, y), shown.theme.color(ColorId::Series1)) ? 1 : 0;
        QVERIFY2(pixels >= 3, qPrintable(QString::number(pixels)));
    }

    void gap_isNeverCrossed()
    {
        const Shown shown;
        const std::vector<MemorySample> points = shown.plot().drawnPoints(0);
        QCOMPARE(std::ranges::count_if(points, &MemorySample::isGap), 1);
        for (std::size_t i = 1; i < points.size(); ++i) {
            if (!points[i].isGap() && !points[i - 1].isGap())
                QVERIFY(points[i].atMs - points[i - 1].atMs <= 4000);
        }
    }

    void gap_isSeenInThePicture()
    {
        const Shown shown(1);
        const QImage image = shown.canvas()->grab().toImage();
        const double ratio = image.devicePixelRatio();
        const QColor line = shown.theme.color(ColorId::Series1);
        const auto linePixels = [&](qint64 ageMs) {
            const int x = qRound(shown.plot().pointAt(nowMs() - ageMs).x() * ratio);
            int count = 0;
            for (int y = 0; y < image.height() * 3 / 4; ++y)
                count += isNear(image.pixelColor(x, y), line) ? 1 : 0;
            return count;
        };
        QVERIFY(linePixels(200'000) > 0);
        QCOMPARE(linePixels(110'000), 0);
        QVERIFY(linePixels(50'000) > 0);
    }

    void labels_sayHowManyCoincide()
    {
        MemoryHistory history;
        for (qint64 ageMs = 20'000; ageMs >= 0; ageMs -= 2000)
            history.add(leftoverHost(u"gpu3"_s, ageMs));
        const Shown shown;
        shown.plot().refresh(history, nowMs());
        shown.settle();
        QCOMPARE(shown.plot().endLabelsShown().size(), 1);
        QCOMPARE(shown.plot().endLabelsShown().first().text, u"8 equal 94.4"_s);
    }

    void hover_readsOutEachGpu()
    {
        const Shown shown;
        QVERIFY(shown.plot().readoutText().isEmpty());
        shown.hover(60'000);
        const QStringList lines = shown.plot().readoutText().split(u'\n');
        QCOMPARE(lines.size(), 9);
        QVERIFY2(lines.first().startsWith(u"23:03:3"_s), qPrintable(lines.first()));
        QCOMPARE(lines.at(1), u"0 87.9"_s);
        QCOMPARE(lines.at(4), u"3 89.1"_s);
        QCOMPARE(shown.plot().accessibleDescription(), shown.plot().readoutText());
    }

    void hover_insideAGapSaysUnknown()
    {
        const Shown shown;
        shown.hover(110'000);
        QCOMPARE(shown.plot().readoutText().section(u'\n', 1, 1), u"0 –"_s);
    }

    void hover_endsOutside()
    {
        const Shown shown;
        shown.hover(60'000);
        shown.moveTo({1, 1});
        QVERIFY(shown.plot().readoutText().isEmpty());
    }

    void wheel_zoomsAndLeavesLive()
    {
        const Shown shown;
        shown.wheel(120);
        const auto [from, to] = shown.plot().visibleRange();
        QVERIFY(to - from < 300'000);
        QCOMPARE(shown.plot().view(), MemoryPlot::View::Moved);
        shown.panel.plot()->refresh(shown.history, nowMs() + 10'000);
        QCOMPARE(shown.plot().visibleRange(), std::pair(from, to));
        shown.click(u"plotLive"_s);
        QCOMPARE(shown.plot().view(), MemoryPlot::View::Live);
        QCOMPARE(shown.plot().visibleRange().second, nowMs() + 10'000);
    }

    void wheel_hasLimits()
    {
        const Shown shown;
        for (int i = 0; i < 60; ++i)
            shown.wheel(120);
        QVERIFY(shown.plot().visibleRange().second - shown.plot().visibleRange().first >= 10'000);
        for (int i = 0; i < 120; ++i)
            shown.wheel(-120);
        QVERIFY(shown.plot().visibleRange().second - shown.plot().visibleRange().first <= 65 * 60'000);
    }

    void drag_moves()
    {
        const Shown shown;
        const QPoint start = shown.plot().pointAt(nowMs() - 150'000);
        QTest::mousePress(shown.canvas(), Qt::LeftButton, Qt::NoModifier, start);
        QTest::mouseMove(shown.canvas(), start + QPoint(30, 0));
        QTest::mouseMove(shown.canvas(), start + QPoint(100, 0));
        QTest::mouseRelease(shown.canvas(), Qt::LeftButton, Qt::NoModifier, start + QPoint(100, 0));
        QVERIFY(shown.plot().visibleRange().second < nowMs());
        QCOMPARE(shown.plot().view(), MemoryPlot::View::Moved);
    }

    void pause_holdsThePicture()
    {
        Shown shown;
        shown.click(u"plotPause"_s);
        QCOMPARE(shown.plot().view(), MemoryPlot::View::Paused);
        const auto before = shown.plot().drawnPoints(0).size();
        const auto range = shown.plot().visibleRange();
        shown.history.add(servingHost(u"gpu1"_s, -2000));
        shown.panel.refresh(shown.history, nowMs() + 2000);
        QCOMPARE(shown.plot().drawnPoints(0).size(), before);
        QCOMPARE(shown.plot().visibleRange(), range);
        shown.click(u"plotPause"_s);
        QCOMPARE(shown.plot().view(), MemoryPlot::View::Live);
        QCOMPARE(shown.plot().visibleRange().second, nowMs() + 2000);
    }

    void spans_areChosen()
    {
        const Shown shown;
        MemoryHistory history;
        for (qint64 ageMs = 3'700'000; ageMs >= 0; ageMs -= 10'000)
            history.add(servingHost(u"gpu1"_s, ageMs));
        shown.panel.plot()->refresh(history, nowMs());
        shown.click(u"plotSpan1h"_s);
        QCOMPARE(shown.plot().visibleRange().second - shown.plot().visibleRange().first, 3'600'000);
        QVERIFY(shown.panel.findChild<QToolButton *>(u"plotSpan1h"_s)->isChecked());
        shown.click(u"plotSpan5min"_s);
        QCOMPARE(shown.plot().span(), 5min);
    }

    void keys_doTheSame()
    {
        const Shown shown;
        MemoryPlot &plot = shown.plot();
        plot.setFocus();
        QTest::keyClick(&plot, Qt::Key_Plus);
        QCOMPARE(plot.view(), MemoryPlot::View::Moved);
        QTest::keyClick(&plot, Qt::Key_Left, Qt::ControlModifier);
        QVERIFY(plot.visibleRange().second < nowMs());
        QTest::keyClick(&plot, Qt::Key_End);
        QCOMPARE(plot.view(), MemoryPlot::View::Live);
        QTest::keyClick(&plot, Qt::Key_Space);
        QCOMPARE(plot.view(), MemoryPlot::View::Paused);
        QTest::keyClick(&plot, Qt::Key_Space);
        QTest::keyClick(&plot, Qt::Key_Left);
        QVERIFY(plot.readoutText().contains(u"0 87.9"_s));
    }

    void sixteen_allAreDrawn()
    {
        const Shown shown(16);
        for (int slot = 0; slot < 16; ++slot)
            QVERIFY(!shown.plot().drawnPoints(slot).empty());
        shown.hover(60'000);
        QCOMPARE(shown.plot().readoutText().split(u'\n').size(), 17);
    }

    void memoryAxis_namesItsUnitOnce()
    {
        const Shown shown;
        QTRY_COMPARE(shown.plot().memoryLabels(), (QStringList{u"0"_s, u"24"_s, u"48"_s, u"72"_s, u"96 GiB"_s}));
    }

    void legend_fitsInAnyWidth_data()
    {
        QTest::addColumn<int>("gpus");
        QTest::addColumn<int>("width");
        for (const int gpus : {1, 7, 8, 16, 40}) {
            for (const int width : {260, 400, 900})
                QTest::addRow("%d GPUs in %d", gpus, width) << gpus << width;
        }
    }

    void legend_fitsInAnyWidth()
    {
        QFETCH(const int, gpus);
        QFETCH(const int, width);
        Shown shown(gpus);
        shown.panel.resize(width, 400);
        shown.settle();
        shown.panel.refresh(shown.history, nowMs());
        shown.settle();
        const auto allInside = [&] {
            return std::ranges::all_of(shown.plot().legendItems(),
                                       [&](const QRect &item) { return shown.canvas()->rect().contains(item); });
        };
        QTRY_VERIFY(allInside());
        const QList<QRect> items = shown.plot().legendItems();
        QCOMPARE(items.size(), gpus);
        const int text = shown.plot().fontMetrics().horizontalAdvance(u"00"_s);
        for (qsizetype i = 0; i < items.size(); ++i) {
            QVERIFY(items.at(i).width() >= text);
            for (qsizetype j = 0; j < i; ++j)
                QVERIFY(!items.at(i).intersects(items.at(j)));
        }
        shown.theme.setMode(Theme::Mode::Dark);
        shown.settle();
    }

    void recolour_followsTheTheme()
    {
        Shown shown;
        const auto corner = [&] { return shown.canvas()->grab().toImage().pixelColor(2, 2); };
        QCOMPARE(corner(), colorOf(ColorId::Panel, false));
        shown.theme.setMode(Theme::Mode::Dark);
        shown.settle();
        QCOMPARE(corner(), colorOf(ColorId::Panel, true));
    }

    void empty_saysSo()
    {
        const Shown shown;
        QVERIFY(shown.plot().emptyWords().isEmpty());
        const MemoryHistory nothing;
        shown.plot().refresh(nothing, nowMs());
        QCOMPARE(shown.plot().emptyWords(), u"No figures of GPU memory in this span"_s);
        QVERIFY(shown.plot().memoryLabels().isEmpty()); // an axis would claim an amount that nobody knows
    }

    void cardGone_itsLineGoesToo()
    {
        const Shown shown;
        MemoryHistory other;
        other.add(servingHost(u"gpu1"_s, 0, 2));
        shown.plot().refresh(other, nowMs());
        QVERIFY(!shown.plot().drawnPoints(1).empty());
        QVERIFY(shown.plot().drawnPoints(2).empty());
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstMemoryPlot)
#include "tst_memoryplot.moc"
