// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The memory plot in its panel: spans, pause and "back to live" in the header. GUI thread; owned by its parent.

#include "ui/plots/memoryplot.h"

class QToolButton;

namespace pilothouse {

class Panel;

class PlotPanel final : public QWidget
{
    Q_OBJECT
public:
    explicit PlotPanel(const Theme &theme, QWidget *parent = nullptr);

    [[nodiscard]] MemoryPlot *plot() const { return m_plot; }
    void refresh(const MemoryHistory &history, qint64 nowMs);
    void setSpan(std::chrono::milliseconds span);

signals:
    void pausedChanged(bool paused);

private:
    [[nodiscard]] QToolButton *addButton(const QString &name, const QString &text, const QString &hint);
    void showView();

    MemoryPlot *m_plot;
    Panel *m_panel;
    QToolButton *m_fiveMinutes;
    QToolButton *m_oneHour;
    QToolButton *m_pause;
    QToolButton *m_live;
};

} // namespace pilothouse
