// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/memoryplot.h"

#include "ui/plots/plotscene.h"
#include "ui/plots/readout.h"
#include "ui/text/formatter.h"
#include "ui/theme/theme.h"

#include <QDateTime>
#include <QKeyEvent>
#include <QStyle>
#include <QStyleOptionFocusRect>
#include <QStylePainter>

#include <algorithm>

namespace pilothouse {

namespace {

constexpr qint64 shortestSpanMs = 10'000;
constexpr qint64 shortestLiveMs = 10'000;
constexpr qint64 longestSpanMs = 65 * 60 * 1000;
constexpr qint64 readoutReachMs = 70'000; ///< the slowest cadence, and some

std::optional<qint64> firstValueMs(const MemoryHistory &history)
{
    std::optional<qint64> first;
    for (const MemorySeries &series : history.series()) {
        const auto it = std::ranges::find_if_not(series.samples, &MemorySample::isGap);
        if (it != series.samples.end())
            first = std::min(first.value_or(it->atMs), it->atMs);
    }
    return first;
}

} // namespace

MemoryPlot::MemoryPlot(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_scene(new PlotScene(theme, this))
    , m_readout(new Readout(theme, this))
{
    setObjectName(QStringLiteral("memoryPlot"));
    setAccessibleName(tr("GPU memory over time"));
    setFocusPolicy(Qt::StrongFocus);
    connect(m_scene, &PlotScene::rangeMoved, this, &MemoryPlot::onMoved);
    connect(m_scene, &PlotScene::hovered, this, &MemoryPlot::onHovered);
    connect(m_scene, &PlotScene::hoverEnded, this, [this] {
        m_cursorMs = 0;
        m_readout->hide();
    });
    connect(m_scene, &PlotScene::laidOut, this, &MemoryPlot::redraw);
}

MemoryPlot::~MemoryPlot() = default;

void MemoryPlot::refresh(const MemoryHistory &history, qint64 nowMs)
{
    m_history = &history;
    m_nowMs = nowMs;
    if (m_view == View::Live)
        follow();
    if (m_view != View::Paused)
        redraw();
}

void MemoryPlot::setSpan(std::chrono::milliseconds span)
{
    m_span = span;
    backToLive();
}

void MemoryPlot::setPaused(bool paused)
{
    if (paused == (m_view == View::Paused))
        return;
    if (!paused) {
        backToLive();
        return;
    }
    setView(View::Paused);
}

void MemoryPlot::backToLive()
{
    setView(View::Live);
    follow();
    redraw();
}

std::pair<qint64, qint64> MemoryPlot::visibleRange() const
{
    return m_scene->range();
}

std::vector<MemorySample> MemoryPlot::drawnPoints(int slot) const
{
    return m_scene->drawnPoints(slot);
}

std::vector<MemorySample> MemoryPlot::drawnDots(int slot) const
{
    return m_scene->drawnDots(slot);
}

QStringList MemoryPlot::timeLabels() const
{
    return m_scene->timeLabels();
}

QStringList MemoryPlot::memoryLabels() const
{
    return m_scene->memoryLabels();
}

QList<QRect> MemoryPlot::legendItems() const
{
    return m_scene->legendItems();
}

const QList<EndLabel> &MemoryPlot::endLabelsShown() const
{
    return m_scene->labels();
}

QString MemoryPlot::readoutText() const
{
    return m_readout->text();
}

QStringList MemoryPlot::markTexts() const
{
    return m_scene->markTexts();
}

QString MemoryPlot::emptyWords() const
{
    return m_scene->emptyWords();
}

QPoint MemoryPlot::pointAt(qint64 ms) const
{
    return {m_scene->xAt(ms), m_scene->axisArea().center().y()};
}

QSize MemoryPlot::sizeHint() const
{
    return {space(this, 100), space(this, 60)};
}

void MemoryPlot::resizeEvent(QResizeEvent *)
{
    m_scene->widget()->setGeometry(rect().adjusted(2, 2, -2, -2));
    m_readout->hide();
    redraw();
}

void MemoryPlot::paintEvent(QPaintEvent *)
{
    if (!hasFocus())
        return;
    QStylePainter painter(this);
    QStyleOptionFocusRect option;
    option.initFrom(this);
    painter.drawPrimitive(QStyle::PE_FrameFocusRect, option);
}

void MemoryPlot::focusOutEvent(QFocusEvent *event)
{
    m_readout->hide();
    QWidget::focusOutEvent(event);
}

void MemoryPlot::keyPressEvent(QKeyEvent *event)
{
    constexpr double step = 0.1;
    constexpr double factor = 0.8;
    const bool moves = event->modifiers().testFlag(Qt::ControlModifier);
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right: {
        const double sign = event->key() == Qt::Key_Left ? -1 : 1;
        if (moves)
            pan(sign * step);
        else {
            const auto [from, to] = visibleRange();
            const qint64 start = m_cursorMs != 0 ? m_cursorMs : to;
            showReadout(std::clamp(start + static_cast<qint64>(sign * static_cast<double>(to - from) / 100), from, to));
        }
        return;
    }
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom(factor); return;
    case Qt::Key_Minus: zoom(1 / factor); return;
    case Qt::Key_End: backToLive(); return;
    case Qt::Key_Space: setPaused(m_view != View::Paused); return;
    default: QWidget::keyPressEvent(event);
    }
}

void MemoryPlot::redraw()
{
    if (m_history)
        m_scene->draw(*m_history);
    if (m_readout->isVisible() && m_cursorMs != 0)
        showReadout(m_cursorMs);
}

void MemoryPlot::setView(View view)
{
    if (view == m_view)
        return;
    m_view = view;
    m_heldSinceMs = view == View::Live ? 0 : m_nowMs;
    emit viewChanged();
}

void MemoryPlot::follow()
{
    // A short history fills the plot: the view grows with it up to the chosen span.
    const std::optional<qint64> first = m_history ? firstValueMs(*m_history) : std::nullopt;
    const qint64 known = first ? m_nowMs - *first : m_span.count();
    m_scene->setRange(m_nowMs - std::clamp<qint64>(known, shortestLiveMs, m_span.count()), m_nowMs);
}

void MemoryPlot::onMoved()
{
    auto [from, to] = m_scene->range();
    const qint64 span = std::clamp(to - from, shortestSpanMs, longestSpanMs);
    const qint64 middle = from + (to - from) / 2;
    // Neither into the future nor before anything can have been kept.
    const qint64 end = std::clamp(middle + span / 2, m_nowMs - longestSpanMs + span, m_nowMs + span / 2);
    m_scene->setRange(end - span, end);
    if (m_view == View::Live)
        setView(View::Moved);
    redraw();
}

void MemoryPlot::onHovered(const QPoint &position)
{
    if (!m_scene->axisArea().contains(position)) {
        m_cursorMs = 0;
        m_readout->hide();
        return;
    }
    showReadout(m_scene->timeAt(position.x()));
}

void MemoryPlot::showReadout(qint64 atMs)
{
    if (!m_history)
        return;
    m_cursorMs = atMs;
    QList<ReadoutRow> rows;
    for (const MemorySeries &series : m_history->series()) {
        const std::optional<MemorySample> sample = sampleAt(series, atMs, readoutReachMs);
        rows.append({series.slot, QString::number(series.index),
                     sample ? format::gib(sample->mib) : format::unknownMark()});
    }
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(atMs).toLocalTime();
    const QString title = tr("%1   used, GiB").arg(time.toString(QStringLiteral("HH:mm:ss")));
    const QPoint offset = m_scene->widget()->pos();
    m_readout->showAt(m_scene->xAt(atMs) + offset.x(), m_scene->axisArea().translated(offset), title, rows);
    setAccessibleDescription(m_readout->text());
}

void MemoryPlot::zoom(double factor)
{
    const auto [from, to] = m_scene->range();
    const auto span = static_cast<qint64>(static_cast<double>(to - from) * factor);
    m_scene->setRange(to - span, to);
    onMoved();
}

void MemoryPlot::pan(double share)
{
    const auto [from, to] = m_scene->range();
    const auto step = static_cast<qint64>(static_cast<double>(to - from) * share);
    m_scene->setRange(from + step, to + step);
    onMoved();
}

} // namespace pilothouse
