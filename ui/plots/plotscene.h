// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The drawing of a MemoryHistory with QCustomPlot, which nothing else includes. Internal to ui/plots. GUI thread.

#include "core/history/memoryhistory.h"
#include "ui/plots/endlabels.h"

#include <QObject>

#include <memory>

class QWidget;

namespace pilothouse {

class Theme;

class PlotScene final : public QObject
{
    Q_OBJECT
public:
    PlotScene(const Theme &theme, QWidget *parent);
    ~PlotScene() override;

    [[nodiscard]] QWidget *widget() const;
    /// Times in milliseconds since the epoch.
    void setRange(qint64 fromMs, qint64 toMs);
    [[nodiscard]] std::pair<qint64, qint64> range() const;
    /// Takes what the range needs from the history and repaints with the next frame.
    void draw(const MemoryHistory &history);
    [[nodiscard]] QRect axisArea() const;
    [[nodiscard]] qint64 timeAt(int x) const;
    [[nodiscard]] int xAt(qint64 ms) const;
    /// For tests and assistive technology: points drawn for a slot, gaps as NaN; labels at the right end.
    [[nodiscard]] std::vector<MemorySample> drawnPoints(int slot) const;
    [[nodiscard]] std::vector<MemorySample> drawnDots(int slot) const; ///< samples that no line reaches
    [[nodiscard]] QStringList timeLabels() const;   ///< below the axis, as last painted
    [[nodiscard]] QStringList memoryLabels() const; ///< beside the axis, as last painted; none while nothing is known
    [[nodiscard]] QList<QRect> legendItems() const; ///< in the widget's coordinates, as last painted
    [[nodiscard]] QStringList markTexts() const; ///< of the marks in the range
    [[nodiscard]] const QList<EndLabel> &labels() const;
    /// What stands in the middle while there is no line; empty otherwise.
    [[nodiscard]] QString emptyWords() const;

signals:
    /// By drag or wheel.
    void rangeMoved();
    void hovered(const QPoint &position);
    void hoverEnded();
    /// The axes have a new size: what was drawn was thinned out for another one.
    void laidOut();

private:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void recolour();
    void setAxis(const MemoryHistory &history);
    void drawLabels();
    void drawMarks(const MemoryHistory &history);
    void drawEmptyWords(bool empty);
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace pilothouse
