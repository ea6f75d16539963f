// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Used memory of each GPU over time. Follows the present until it is dragged, zoomed or paused; the data goes on being
// collected elsewhere. While there is less than the chosen span of it, the view begins with the first sample. Drag
// moves, the wheel zooms, hovering reads out; keys: Left and Right move the read-out, Ctrl+Left and Ctrl+Right the
// view, + and - zoom, End is back to live, Space pauses. GUI thread.

#include "core/history/memoryhistory.h"
#include "ui/plots/endlabels.h"

#include <QWidget>

#include <chrono>

namespace pilothouse {

class PlotScene;
class Readout;
class Theme;

class MemoryPlot final : public QWidget
{
    Q_OBJECT
public:
    enum class View { Live, Moved, Paused };

    explicit MemoryPlot(const Theme &theme, QWidget *parent = nullptr);
    ~MemoryPlot() override;

    /// What the clock says and what there is to draw; `history` outlives the widget or the next call.
    void refresh(const MemoryHistory &history, qint64 nowMs);

    void setSpan(std::chrono::milliseconds span);
    [[nodiscard]] std::chrono::milliseconds span() const { return m_span; }
    void setPaused(bool paused);
    void backToLive();
    [[nodiscard]] View view() const { return m_view; }
    /// When the view last stopped following, UTC milliseconds; 0 while live.
    [[nodiscard]] qint64 heldSinceMs() const { return m_heldSinceMs; }

    [[nodiscard]] std::pair<qint64, qint64> visibleRange() const;
    [[nodiscard]] std::vector<MemorySample> drawnPoints(int slot) const;
    [[nodiscard]] std::vector<MemorySample> drawnDots(int slot) const; ///< lone samples, which no line reaches
    [[nodiscard]] QStringList timeLabels() const;
    [[nodiscard]] QStringList memoryLabels() const;
    [[nodiscard]] QList<QRect> legendItems() const;
    [[nodiscard]] const QList<EndLabel> &endLabelsShown() const;
    [[nodiscard]] QString readoutText() const;
    [[nodiscard]] QStringList markTexts() const;
    [[nodiscard]] QString emptyWords() const;
    /// In the widget's coordinates; for tests.
    [[nodiscard]] QPoint pointAt(qint64 ms) const;

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void viewChanged();

protected:
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void redraw();
    void setView(View view);
    void follow();
    void onMoved();
    void onHovered(const QPoint &position);
    void showReadout(qint64 atMs);
    void zoom(double factor);
    void pan(double share);

    PlotScene *m_scene;
    Readout *m_readout;
    const MemoryHistory *m_history = nullptr;
    qint64 m_nowMs = 0;
    qint64 m_heldSinceMs = 0;
    qint64 m_cursorMs = 0; ///< 0: no read-out
    std::chrono::milliseconds m_span{5 * 60 * 1000};
    View m_view = View::Live;
};

} // namespace pilothouse
