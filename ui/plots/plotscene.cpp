// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plotscene.h"

#include "ui/plots/timeticks.h"
#include "ui/theme/theme.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace pilothouse {

namespace {

constexpr double mibPerGib = 1024.0;
constexpr double msPerSecond = 1000.0;
constexpr double lineWidth = 1.6;
constexpr double dotSize = 5;
constexpr double headroom = 1.06;
constexpr int mostTimeMarks = 6;
constexpr int leastBuckets = 800; ///< before the first layout the axes have no width yet

/// Labels in GiB while the data is in MiB; the uppermost names the unit.
class GibTicker final : public QCPAxisTickerFixed
{
public:
    void setTop(double mib) { m_topMib = mib; }

protected:
    QString getTickLabel(double tick, const QLocale &, QChar, int) override
    {
        const QString number = QString::number(qRound64(tick / mibPerGib));
        return tick + tickStep() > m_topMib ? PlotScene::tr("%1 GiB").arg(number) : number;
    }

private:
    double m_topMib = 0;
};

/// Round local times, as many as the axis has room for.
class ClockTicker final : public QCPAxisTicker
{
public:
    explicit ClockTicker(const QCPAxis *axis)
        : m_axis(axis)
    {
    }

protected:
    double getTickStep(const QCPRange &range) override
    {
        const QFontMetrics metrics(m_axis->tickLabelFont());
        const int label = metrics.horizontalAdvance(QStringLiteral("00:00:00"));
        const int marks = std::clamp(3 * m_axis->axisRect()->width() / (4 * label), 2, mostTimeMarks);
        m_stepMs = timeStepMs(std::llround(range.size() * msPerSecond), marks);
        return static_cast<double>(m_stepMs) / msPerSecond;
    }
    QVector<double> createTickVector(double, const QCPRange &range) override
    {
        const qint64 from = std::llround(range.lower * msPerSecond);
        const qint64 offset = QDateTime::fromMSecsSinceEpoch(from).offsetFromUtc() * qint64{1000};
        QVector<double> ticks;
        for (const qint64 at : timeTicks(from, std::llround(range.upper * msPerSecond), m_stepMs, offset))
            ticks << static_cast<double>(at) / msPerSecond;
        return ticks;
    }
    QString getTickLabel(double tick, const QLocale &, QChar, int) override
    {
        return QDateTime::fromMSecsSinceEpoch(std::llround(tick * msPerSecond)).toString(timeTickFormat(m_stepMs));
    }

private:
    const QCPAxis *m_axis;
    qint64 m_stepMs = 60'000;
};

} // namespace

class PlotScene::Private final
{
public:
    Private(const Theme &theme_, QWidget *parent)
        : theme(theme_)
        , plot(new QCustomPlot(parent))
    {
    }

    const Theme &theme;
    QCustomPlot *plot;
    QCPLegend *legend = nullptr;
    QSharedPointer<GibTicker> yTicker = QSharedPointer<GibTicker>::create();
    struct Line
    {
        int slot;
        int index;
        QCPGraph *graph;
        QCPGraph *dots; ///< samples with a gap on either side, which no line reaches
    };
    QList<Line> lines;
    int legendColumns = 0;
    QList<QCPItemText *> texts;
    QCPItemText *emptyText = nullptr;
    struct Mark
    {
        QCPItemLine *line;
        QCPItemText *text;
    };
    QList<Mark> marks;
    QList<EndLabel> labels;
    QSize laidOut;
    bool moving = false; // the range is set by us, not by a drag

    Line &lineFor(const MemorySeries &series)
    {
        const auto it = std::ranges::find(lines, series.slot, &Line::slot);
        if (it != lines.end()) {
            it->index = series.index;
            return *it;
        }
        QCPGraph *graph = plot->addGraph();
        graph->setAdaptiveSampling(false); // core/history has done it, with the gaps kept
        QCPGraph *dots = plot->addGraph();
        dots->setLineStyle(QCPGraph::lsNone);
        dots->setAdaptiveSampling(false);
        lines.append({series.slot, series.index, graph, dots});
        colour(lines.last());
        legend->addItem(new QCPPlottableLegendItem(legend, graph));
        return lines.last();
    }
    /// Whole rows of equal length, as many as fit beside each other.
    void arrangeLegend()
    {
        const QFontMetrics metrics(plot->font());
        const int item = legend->iconSize().width() + legend->iconTextPadding()
            + metrics.horizontalAdvance(QStringLiteral("00")) + legend->columnSpacing();
        const QMargins margins = legend->margins();
        const int count = std::max(1, static_cast<int>(lines.size()));
        const int fit = std::max(2, (plot->width() - margins.left() - margins.right()) / std::max(1, item));
        const int rows = (count + fit - 1) / fit;
        const int columns = (count + rows - 1) / rows;
        if (columns == legendColumns)
            return;
        legendColumns = columns;
        legend->setWrap(columns);
        legend->setFillOrder(QCPLayoutGrid::foColumnsFirst, true);
    }
    void colour(const Line &line) const
    {
        const QPen pen = theme.seriesPen(line.slot, lineWidth);
        line.graph->setPen(pen);
        line.dots->setPen(pen);
        line.dots->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, pen.color(), dotSize));
    }
    void remove(qsizetype index)
    {
        const Line line = lines.takeAt(index);
        legend->remove(legend->itemWithPlottable(line.graph));
        plot->removeGraph(line.graph);
        plot->removeGraph(line.dots);
    }
};

namespace {

/// Those without a neighbour, gap or end on either side.
QVector<QCPGraphData> lonePoints(const QVector<QCPGraphData> &points)
{
    const auto isValue = [&points](qsizetype i) {
        return i >= 0 && i < points.size() && !std::isnan(points.at(i).value);
    };
    QVector<QCPGraphData> lone;
    for (qsizetype i = 0; i < points.size(); ++i) {
        if (isValue(i) && !isValue(i - 1) && !isValue(i + 1))
            lone << points.at(i);
    }
    return lone;
}

std::vector<MemorySample> samplesOf(const QCPGraph &graph)
{
    std::vector<MemorySample> samples;
    const QSharedPointer<QCPGraphDataContainer> data = graph.data();
    for (auto point = data->constBegin(); point != data->constEnd(); ++point)
        samples.push_back({std::llround(point->key * msPerSecond), point->value});
    return samples;
}

} // namespace

PlotScene::PlotScene(const Theme &theme, QWidget *parent)
    : QObject(parent)
    , d(std::make_unique<Private>(theme, parent))
{
    QCustomPlot *plot = d->plot;
    plot->setObjectName(QStringLiteral("memoryPlotCanvas"));
    plot->setFocusPolicy(Qt::NoFocus);
    plot->setAutoAddPlottableToLegend(false);
    plot->setNoAntialiasingOnDrag(false);
    plot->setMouseTracking(true);
    plot->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    const QFontMetrics metrics(plot->font());
    QCPAxisRect *area = plot->axisRect();
    area->setRangeDrag(Qt::Horizontal);
    area->setRangeZoom(Qt::Horizontal);
    // Fixed margins: the plot keeps its place when the numbers get longer.
    area->setAutoMargins(QCP::msNone);
    area->setMargins(QMargins(metrics.horizontalAdvance(QStringLiteral("000 GiB_")), metrics.height() / 2,
                              metrics.horizontalAdvance(QStringLiteral("_16 equal 000.0_")), metrics.height() + 8));
    plot->xAxis->setTicker(QSharedPointer<ClockTicker>::create(plot->xAxis));
    plot->xAxis->setSubTicks(false);
    plot->yAxis->setTicker(d->yTicker);
    plot->yAxis->setSubTicks(false);
    plot->yAxis->setTickLength(0);
    plot->xAxis->setTickLength(0, 3);
    plot->yAxis->grid()->setZeroLinePen(Qt::NoPen);
    plot->xAxis->grid()->setVisible(false);

    d->legend = new QCPLegend;
    auto *bottom = new QCPLayoutGrid;
    plot->plotLayout()->addElement(1, 0, bottom);
    bottom->addElement(0, 0, d->legend);
    bottom->addElement(0, 1, new QCPLayoutElement(plot));
    bottom->setColumnStretchFactor(0, 0.001);
    plot->plotLayout()->setRowStretchFactor(1, 0.001);
    plot->plotLayout()->setRowSpacing(0);
    d->legend->setLayer(QStringLiteral("legend"));
    d->legend->setFillOrder(QCPLayoutGrid::foColumnsFirst);
    d->legend->setBorderPen(Qt::NoPen);
    d->legend->setBrush(Qt::NoBrush);
    d->legend->setMargins(QMargins(metrics.averageCharWidth() * 2, 0, metrics.averageCharWidth(), 4));
    d->legend->setColumnSpacing(metrics.averageCharWidth());
    d->legend->setIconSize(metrics.averageCharWidth() * 3, metrics.height());
    d->legend->setIconTextPadding(4);

    plot->installEventFilter(this);
    connect(plot->xAxis, qOverload<const QCPRange &>(&QCPAxis::rangeChanged), this, [this] {
        if (!d->moving)
            emit rangeMoved();
    });
    connect(plot, &QCustomPlot::afterLayout, this, [this] {
        if (const QSize size = axisArea().size(); size != d->laidOut) {
            d->laidOut = size;
            QMetaObject::invokeMethod(this, &PlotScene::laidOut, Qt::QueuedConnection);
        }
    });
    connect(&theme, &Theme::changed, this, &PlotScene::recolour);
    recolour();
}

PlotScene::~PlotScene() = default;

QWidget *PlotScene::widget() const
{
    return d->plot;
}

void PlotScene::setRange(qint64 fromMs, qint64 toMs)
{
    d->moving = true;
    d->plot->xAxis->setRange(static_cast<double>(fromMs) / msPerSecond, static_cast<double>(toMs) / msPerSecond);
    d->moving = false;
}

std::pair<qint64, qint64> PlotScene::range() const
{
    const QCPRange range = d->plot->xAxis->range();
    return {std::llround(range.lower * msPerSecond), std::llround(range.upper * msPerSecond)};
}

void PlotScene::draw(const MemoryHistory &history)
{
    const auto [from, to] = range();
    QList<LineEnd> ends;
    QSet<int> present;
    bool hasValue = false;
    for (const MemorySeries &series : history.series()) {
        present.insert(series.slot);
        const Private::Line &line = d->lineFor(series);
        QCPGraph *graph = line.graph;
        const QString name = QString::number(series.index);
        if (graph->name() != name)
            graph->setName(name);
        const int buckets = std::max(axisArea().width(), leastBuckets);
        const std::vector<MemorySample> samples = decimated(series, from, to, buckets);
        hasValue = hasValue || !std::ranges::all_of(samples, &MemorySample::isGap);
        QVector<QCPGraphData> points;
        points.reserve(static_cast<qsizetype>(samples.size()));
        std::optional<double> last;
        for (const MemorySample &sample : samples) {
            points.append({static_cast<double>(sample.atMs) / msPerSecond, sample.mib});
            if (sample.atMs <= to)
                last = sample.isGap() ? std::nullopt : std::optional(sample.mib);
        }
        graph->data()->set(points, true);
        line.dots->data()->set(lonePoints(points), true);
        if (last)
            ends.append({series.slot, series.index, *last});
    }
    for (qsizetype i = d->lines.size() - 1; i >= 0; --i) {
        if (!present.contains(d->lines.at(i).slot))
            d->remove(i);
    }
    d->arrangeLegend();
    setAxis(history);
    const QCPRange y = d->plot->yAxis->range();
    const double perPixel = y.size() / std::max(1, axisArea().height());
    d->labels = endLabels(ends, 2 * perPixel, (d->plot->fontMetrics().height() + 1) * perPixel);
    drawLabels();
    drawMarks(history);
    drawEmptyWords(!hasValue);
    d->plot->replot(QCustomPlot::rpQueuedReplot);
}

void PlotScene::drawEmptyWords(bool empty)
{
    if (!d->emptyText) {
        d->emptyText = new QCPItemText(d->plot);
        d->emptyText->setPositionAlignment(Qt::AlignCenter);
        d->emptyText->position->setType(QCPItemPosition::ptAxisRectRatio);
        d->emptyText->position->setCoords(0.5, 0.5);
        d->emptyText->setText(tr("No figures of GPU memory in this span"));
    }
    d->emptyText->setVisible(empty);
    d->plot->yAxis->setTickLabels(!empty); // nobody knows how much there is
    d->emptyText->setColor(d->theme.color(ColorId::TextMuted));
    d->emptyText->setFont(d->plot->font());
}

QString PlotScene::emptyWords() const
{
    return d->emptyText && d->emptyText->visible() ? d->emptyText->text() : QString();
}

void PlotScene::setAxis(const MemoryHistory &history)
{
    const double topGib = std::max(1.0, history.ceilingMib() / mibPerGib);
    d->yTicker->setTickStep(memoryStepGib(topGib) * mibPerGib);
    d->yTicker->setTop(topGib * mibPerGib * headroom);
    d->plot->yAxis->setRange(0, topGib * mibPerGib * headroom);
}

void PlotScene::drawLabels()
{
    while (d->texts.size() < d->labels.size()) {
        auto *item = new QCPItemText(d->plot);
        item->setClipToAxisRect(false);
        item->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        item->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
        item->position->setTypeY(QCPItemPosition::ptPlotCoords);
        d->texts.append(item);
    }
    for (qsizetype i = 0; i < d->texts.size(); ++i) {
        QCPItemText *item = d->texts.at(i);
        item->setVisible(i < d->labels.size());
        if (i >= d->labels.size())
            continue;
        const EndLabel &label = d->labels.at(i);
        item->setText(label.text);
        item->setColor(d->theme.color(ColorId::Text));
        item->setFont(d->plot->font());
        item->position->setCoords(1.0 + 6.0 / std::max(1, axisArea().width()), label.y);
    }
}

void PlotScene::drawMarks(const MemoryHistory &history)
{
    const auto [from, to] = range();
    qsizetype used = 0;
    double free = -1; // right end of the label before, in pixels
    int row = 0;
    for (const MemoryMark &mark : history.marks()) {
        if (mark.atMs < from || mark.atMs > to)
            continue;
        if (used == d->marks.size()) {
            auto *line = new QCPItemLine(d->plot);
            auto *text = new QCPItemText(d->plot);
            for (QCPItemPosition *position : {line->start, line->end, text->position}) {
                position->setTypeX(QCPItemPosition::ptPlotCoords);
                position->setTypeY(QCPItemPosition::ptAxisRectRatio);
            }
            text->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
            text->setPadding(QMargins(3, 0, 3, 0));
            d->marks.append({line, text});
        }
        const Private::Mark &drawn = d->marks.at(used++);
        const double at = static_cast<double>(mark.atMs) / msPerSecond;
        const QFontMetrics metrics(d->plot->font());
        const double x = d->plot->xAxis->coordToPixel(at);
        row = x < free ? row + 1 : 0; // those that are close stand below each other
        free = x + metrics.horizontalAdvance(mark.text) + 8;
        const double below = row * (metrics.height() + 1.0) / std::max(1, axisArea().height());
        drawn.line->start->setCoords(at, 0);
        drawn.line->end->setCoords(at, 1);
        drawn.line->setPen(QPen(d->theme.color(ColorId::TextMuted), 1, Qt::DashLine));
        drawn.text->position->setCoords(at, below);
        drawn.text->setText(mark.text);
        drawn.text->setFont(d->plot->font());
        drawn.text->setColor(d->theme.color(ColorId::Text));
        drawn.text->setBrush(d->theme.color(ColorId::Panel));
        drawn.line->setVisible(true);
        drawn.text->setVisible(true);
    }
    for (; used < d->marks.size(); ++used) {
        d->marks.at(used).line->setVisible(false);
        d->marks.at(used).text->setVisible(false);
    }
}

QStringList PlotScene::markTexts() const
{
    QStringList texts;
    for (const Private::Mark &mark : std::as_const(d->marks)) {
        if (mark.text->visible())
            texts << mark.text->text();
    }
    return texts;
}

QRect PlotScene::axisArea() const
{
    return d->plot->axisRect()->rect();
}

qint64 PlotScene::timeAt(int x) const
{
    return std::llround(d->plot->xAxis->pixelToCoord(x) * msPerSecond);
}

int PlotScene::xAt(qint64 ms) const
{
    return qRound(d->plot->xAxis->coordToPixel(static_cast<double>(ms) / msPerSecond));
}

std::vector<MemorySample> PlotScene::drawnPoints(int slot) const
{
    const auto it = std::ranges::find(d->lines, slot, &Private::Line::slot);
    return it == d->lines.end() ? std::vector<MemorySample>() : samplesOf(*it->graph);
}

std::vector<MemorySample> PlotScene::drawnDots(int slot) const
{
    const auto it = std::ranges::find(d->lines, slot, &Private::Line::slot);
    return it == d->lines.end() ? std::vector<MemorySample>() : samplesOf(*it->dots);
}

QStringList PlotScene::timeLabels() const
{
    const QVector<QString> labels = d->plot->xAxis->tickVectorLabels();
    return {labels.begin(), labels.end()};
}

QStringList PlotScene::memoryLabels() const
{
    const QVector<QString> labels = d->plot->yAxis->tickVectorLabels();
    return d->plot->yAxis->tickLabels() ? QStringList(labels.begin(), labels.end()) : QStringList();
}

QList<QRect> PlotScene::legendItems() const
{
    QList<QRect> items;
    for (const Private::Line &line : std::as_const(d->lines))
        items << d->legend->itemWithPlottable(line.graph)->outerRect();
    return items;
}

const QList<EndLabel> &PlotScene::labels() const
{
    return d->labels;
}

bool PlotScene::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::MouseMove)
        emit hovered(static_cast<QMouseEvent *>(event)->position().toPoint());
    else if (event->type() == QEvent::Leave)
        emit hoverEnded();
    return QObject::eventFilter(watched, event);
}

void PlotScene::recolour()
{
    const Theme &theme = d->theme;
    QCustomPlot *plot = d->plot;
    plot->setBackground(theme.color(ColorId::Panel));
    for (QCPAxis *axis : {plot->xAxis, plot->yAxis}) {
        axis->setBasePen(theme.color(ColorId::Grid));
        axis->setTickPen(theme.color(ColorId::Grid));
        axis->setTickLabelColor(theme.color(ColorId::TextMuted));
        axis->setTickLabelFont(plot->font());
    }
    plot->yAxis->setBasePen(Qt::NoPen);
    plot->yAxis->grid()->setPen(theme.color(ColorId::Grid));
    d->legend->setTextColor(theme.color(ColorId::TextMuted));
    d->legend->setFont(plot->font());
    // By line: the last row of the legend may have empty cells.
    for (const Private::Line &line : std::as_const(d->lines)) {
        d->colour(line);
        QCPAbstractLegendItem *item = d->legend->itemWithPlottable(line.graph);
        item->setTextColor(theme.color(ColorId::TextMuted));
        item->setFont(plot->font());
    }
    for (QCPItemText *item : std::as_const(d->texts))
        item->setColor(theme.color(ColorId::Text));
    for (const Private::Mark &mark : std::as_const(d->marks)) {
        mark.line->setPen(QPen(theme.color(ColorId::TextMuted), 1, Qt::DashLine));
        mark.text->setColor(theme.color(ColorId::Text));
        mark.text->setBrush(theme.color(ColorId::Panel));
    }
    plot->replot(QCustomPlot::rpQueuedReplot);
}

} // namespace pilothouse
