// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/windowfixture.h"

namespace pilothouse::test {

WindowFixture::WindowFixture(Theme::Mode mode)
    : theme(mode)
    , window(std::make_unique<MainWindow>(theme, [this] { return now; }))
{
    window->show();
    (void)QTest::qWaitForWindowExposed(window.get());
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
