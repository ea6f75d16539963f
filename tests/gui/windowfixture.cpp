// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/windowfixture.h"

#include <QApplication>
#include <QRegularExpression>

namespace pilothouse::test {

using namespace Qt::StringLiterals;

void failOnAnyWarning()
{
    QTest::failOnWarning(QRegularExpression(u"^(?!This plugin does not support)"_s));
}

QStringList printed(const QAbstractItemModel &model, int role)
{
    QStringList rows;
    for (int row = 0; row < model.rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < model.columnCount(); ++column)
            cells << model.index(row, column).data(role).toString();
        rows << cells.join(u" | "_s);
    }
    return rows;
}

WindowFixture::WindowFixture(Theme::Mode mode)
    : theme(mode)
    , window(std::make_unique<MainWindow>(theme, [this] { return now; }))
{
    window->resize(1280, 800); // whatever the screen of the platform
    window->show();
    (void)QTest::qWaitForWindowExposed(window.get());
}

void WindowFixture::press(Qt::Key key, Qt::KeyboardModifiers modifiers) const
{
    // The offscreen platform has no window manager: which window is active is up to chance there.
    QApplication::setActiveWindow(window.get());
    QTest::keyClick(window.get(), key, modifiers);
}

QAction *WindowFixture::action(const QString &name) const
{
    return window->findChild<QAction *>(name);
}

void WindowFixture::addHost(const QString &name, const std::function<Snapshot(const QString &, qint64)> &make,
                            int history)
{
    window->addHost(spec(name));
    window->setState(name, connected());
    constexpr qint64 tickMs = 2000;
    constexpr qint64 youngestMs = 800;
    const qint64 passedMs = sceneNow().msecsTo(now);
    for (int i = history; i >= 0; --i)
        window->addSnapshot(name, shared(make(name, i * tickMs + youngestMs - passedMs)));
}

} // namespace pilothouse::test
