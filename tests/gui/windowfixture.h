// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The real main window with a clock of its own and nothing behind it. GUI thread.

#include "tests/gui/scenes.h"
#include "ui/theme/theme.h"
#include "ui/window/mainwindow.h"

#include <QAction>
#include <QWidget>
#include <QtTest>

#include <functional>

namespace pilothouse::test {

/// For init() of a test: every Qt warning but the offscreen platform's own is a failure.
void failOnAnyWarning();

/// Printed rows of a model, cells joined by " | ", for comparison with a printed expectation.
[[nodiscard]] QStringList printed(const QAbstractItemModel &model, int role = Qt::DisplayRole);

struct WindowFixture
{
    explicit WindowFixture(Theme::Mode mode = Theme::Mode::Light);

    /// The widget of that name; fails loudly when there is none or more than one.
    template <class T = QWidget>
    [[nodiscard]] T *find(const QString &objectName) const
    {
        const QList<T *> found = window->findChildren<T *>(objectName);
        QList<T *> shown;
        for (T *widget : found) {
            if (widget->isVisible())
                shown << widget;
        }
        return shown.size() == 1 ? shown.first() : (found.size() == 1 ? found.first() : nullptr);
    }
    [[nodiscard]] QAction *action(const QString &name) const;
    /// A key with the window active, for its shortcuts.
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) const;
    void advance(qint64 ms) { now = now.addMSecs(ms); }
    /// A connected host with that snapshot; `history` earlier ones, two seconds apart.
    void addHost(const QString &name, const std::function<Snapshot(const QString &, qint64)> &make, int history = 0);

    QDateTime now = sceneNow();
    Theme theme;
    std::unique_ptr<MainWindow> window;
};

} // namespace pilothouse::test
