// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The steps to a host as they are gone: one row each, what is going on now below, a button that starts and stops it. It
// is told what happens. GUI thread; owned by its dialog.

#include "core/fleet/teststeps.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QTreeWidget;

namespace pilothouse {

class Theme;

class HostTestPanel final : public QWidget
{
    Q_OBJECT
public:
    explicit HostTestPanel(const Theme &theme, QWidget *parent = nullptr);

    /// There is something to test.
    void setReady(bool ready);
    void addStep(const StepResult &result);
    void showWords(const QString &words);
    /// No more steps come.
    void finish(const QString &words);
    [[nodiscard]] bool isRunning() const { return m_running; }

signals:
    void started();
    void stopped();

private:
    void toggle();
    void refresh();

    const Theme &m_theme;
    QTreeWidget *m_steps;
    QLabel *m_words;
    QPushButton *m_button;
    bool m_ready = false;
    bool m_running = false;
    bool m_failed = false;
};

} // namespace pilothouse
