// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/windowlayout.h"

#include "tests/gui/windowfixture.h"
#include "tests/support/testmain.h"

#include <QScreen>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstWindowLayout : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void layout_offScreenComesBack()
    {
        WindowLayout layout;
        {
            const WindowFixture w;
            w.window->setGeometry(5000, 4000, 700, 300);
            layout = w.window->windowLayout();
        }
        const WindowFixture next;
        next.window->setWindowLayout(layout);
        const QRect screen = QGuiApplication::primaryScreen()->availableGeometry();
        const QRect window = next.window->geometry();
        QVERIFY(screen.intersects(window));
        QCOMPARE(reachable(window, {screen}), window);
    }

    void firstWindow_fitsTheScreen()
    {
        QCOMPARE(firstSize(QSize(1920, 1040), 30), QSize(1280, 800));
        QCOMPARE(firstSize(QSize(1366, 728), 30), QSize(1280, 698));
        QCOMPARE(firstSize(QSize(1024, 600), 24), QSize(1024, 576));
        // The platform of these tests has a screen of 800 × 800.
        Theme theme(Theme::Mode::Light);
        const MainWindow window(theme, &sceneNow);
        const QSize available = QGuiApplication::primaryScreen()->availableSize();
        QVERIFY(window.width() <= available.width() && window.height() < available.height());
        QVERIFY(window.minimumSizeHint().width() <= available.width());
    }

    void reachable_whereTheHeadIsSeen_data()
    {
        QTest::addColumn<QRect>("window");
        QTest::addColumn<QRect>("expected");
        const QRect inside(100, 50, 1280, 800);
        QTest::newRow("inside") << inside << inside;
        QTest::newRow("on the second screen") << QRect(2000, 20, 800, 600) << QRect(2000, 20, 800, 600);
        QTest::newRow("partly out, the head can be taken") << QRect(-900, 20, 1280, 800) << QRect(-900, 20, 1280, 800);
        QTest::newRow("right of all screens") << QRect(4000, 0, 800, 600) << QRect(560, 240, 800, 600);
        QTest::newRow("head above the screen") << QRect(100, -300, 800, 600) << QRect(560, 240, 800, 600);
        QTest::newRow("larger than the screen") << QRect(9000, 0, 5000, 600) << QRect(0, 240, 1920, 600);
    }

    void reachable_whereTheHeadIsSeen()
    {
        QFETCH(const QRect, window);
        QFETCH(const QRect, expected);
        QCOMPARE(reachable(window, {QRect(0, 0, 1920, 1080), QRect(1920, 0, 1280, 800)}), expected);
        QCOMPARE(reachable(window, {}), window);
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstWindowLayout)
#include "tst_windowlayout.moc"
