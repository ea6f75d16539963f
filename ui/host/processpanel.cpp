// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/processpanel.h"

#include "ui/host/processcolumns.h"
#include "ui/host/processmodel.h"
#include "ui/host/rowpainting.h"
#include "ui/host/tablecopy.h"
#include "ui/text/formatter.h"
#include "ui/theme/panel.h"
#include "ui/theme/plain.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QHeaderView>
#include <QLineEdit>
#include <QStackedLayout>
#include <QTreeView>
#include <QVBoxLayout>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int leastCommand = 24; // characters

Quantity<qint64> unattributedOf(const Snapshot &snapshot)
{
    if (!snapshot.gpus || snapshot.gpus->isEmpty())
        return {};
    qint64 sum = 0;
    for (const Gpu &gpu : *snapshot.gpus) {
        if (!gpu.unattributedMib.isKnown())
            return gpu.unattributedMib;
        sum += gpu.unattributedMib.value();
    }
    return sum;
}

/// No value: the driver could not be asked.
std::optional<int> holdersIn(const Snapshot &snapshot)
{
    if (!snapshot.gpus)
        return std::nullopt;
    const QList<Process> processes = snapshot.processes.value_or(QList<Process>());
    return static_cast<int>(std::ranges::count_if(processes, [](const Process &p) { return !p.gpuMemory.isEmpty(); }));
}

} // namespace

ProcessPanel::ProcessPanel(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_panel(new Panel(theme, tr("GPU processes"), this))
    , m_model(new ProcessModel(this))
    , m_filter(new ProcessFilter(this))
    , m_view(new QTreeView)
    , m_words(new QLineEdit)
    , m_empty(plainLabel({}))
    , m_stack(new QStackedLayout)
{
    m_filter->setSourceModel(m_model);
    buildView(theme);
    m_words->setObjectName(u"processFilter"_s);
    m_words->setAccessibleName(tr("Filter processes"));
    m_words->setPlaceholderText(tr("Filter"));
    m_words->setToolTip(tr("Show the rows in which every word stands (Ctrl+Shift+F)"));
    m_words->setClearButtonEnabled(true);
    m_words->setFixedWidth(fontMetrics().averageCharWidth() * 26);
    m_panel->addControl(m_words);
    connect(m_words, &QLineEdit::textChanged, this, [this](const QString &words) {
        m_filter->setWords(words);
        showOrWords();
        showCounts();
    });
    m_empty->setObjectName(u"processEmpty"_s);
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_empty->setContentsMargins(space(this, 3), space(this, 3), space(this, 3), space(this, 3));
    tint(m_empty, theme, ColorId::TextMuted);

    auto *content = new QWidget;
    content->setLayout(m_stack);
    m_stack->addWidget(m_view);
    m_stack->addWidget(m_empty);
    m_panel->setContent(content);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_panel);
}

void ProcessPanel::buildView(const Theme &theme)
{
    m_view->setObjectName(u"processTable"_s);
    m_view->setAccessibleName(tr("GPU processes"));
    m_view->setModel(m_filter);
    m_view->setItemDelegate(new RowDelegate(theme, m_view));
    m_view->setRootIsDecorated(false);
    m_view->setIndentation(0);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setMouseTracking(true);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(static_cast<int>(ProcessColumn::Gpus), Qt::AscendingOrder);
    copyOnRequest(m_view);
    QHeaderView *header = m_view->header();
    header->setObjectName(u"processTableHeader"_s);
    header->setSectionsMovable(true);
    header->setStretchLastSection(true);
    header->setMinimumSectionSize(space(this, 8));
    for (const ProcessColumnInfo &info : processColumns()) {
        const QString widest = QString::fromUtf16(info.widest);
        const int width = m_view->fontMetrics().horizontalAdvance(widest) + space(this, 4);
        if (!widest.isEmpty())
            header->resizeSection(static_cast<int>(info.column), width);
    }
    m_view->viewport()->installEventFilter(this);
}

bool ProcessPanel::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize && watched == m_view->viewport())
        fitColumns();
    return QWidget::eventFilter(watched, event);
}

/// The command line says what a process is: where it would have no room, columns that say less go.
void ProcessPanel::fitColumns()
{
    QHeaderView *header = m_view->header();
    int needed = fontMetrics().averageCharWidth() * leastCommand;
    for (const ProcessColumnInfo &info : processColumns()) {
        const int section = static_cast<int>(info.column);
        int &width = m_widths[static_cast<std::size_t>(section)];
        if (!header->isSectionHidden(section))
            width = header->sectionSize(section);
        if (info.column != ProcessColumn::Command)
            needed += width;
    }
    const bool commandIsLast = header->visualIndex(static_cast<int>(ProcessColumn::Command)) == header->count() - 1;
    for (const ProcessColumn column : yieldingColumns()) {
        const bool yields = commandIsLast && needed > m_view->viewport()->width();
        header->setSectionHidden(static_cast<int>(column), yields);
        if (yields)
            needed -= m_widths[static_cast<std::size_t>(column)];
    }
}

void ProcessPanel::showSnapshot(const Snapshot &snapshot, bool stale)
{
    m_model->setStale(stale);
    m_model->show(snapshot.processes.value_or(QList<Process>()), snapshot.gpus.has_value());
    m_unattributedMib = unattributedOf(snapshot);
    m_onGpus = holdersIn(snapshot);
    m_unreadable.clear();
    if (!snapshot.processes) {
        const UnknownReason why = snapshot.unknown.value(u"processes"_s, UnknownReason::Failed);
        m_unreadable = tr("The list of processes could not be read. %1").arg(format::reason(why));
    }
    showOrWords();
    showCounts();
}

void ProcessPanel::focusFilter()
{
    m_words->setFocus(Qt::ShortcutFocusReason);
    m_words->selectAll();
}

QString ProcessPanel::text() const
{
    return tableText(*m_view);
}

QByteArray ProcessPanel::columns() const
{
    return m_view->header()->saveState();
}

void ProcessPanel::setColumns(const QByteArray &columns)
{
    if (!columns.isEmpty() && columns != this->columns())
        m_view->header()->restoreState(columns);
    fitColumns();
}

void ProcessPanel::showOrWords()
{
    QString words = m_unreadable;
    if (words.isEmpty() && m_model->rowCount() == 0)
        words = tr("No process uses a GPU, and none is of a unit that is watched.");
    else if (words.isEmpty() && m_filter->rowCount() == 0)
        words = tr("No process matches the filter “%1”.").arg(m_words->text());
    m_empty->setText(words);
    if (words.isEmpty())
        m_stack->setCurrentWidget(m_view);
    else
        m_stack->setCurrentWidget(m_empty);
}

void ProcessPanel::showCounts()
{
    if (!m_unreadable.isEmpty()) {
        m_panel->setRemark(tr("unknown"));
        return;
    }
    const int all = m_model->rowCount();
    const int shown = m_filter->rowCount();
    QString counts = QString::number(all);
    if (shown != all)
        counts = tr("%1 of %2").arg(shown).arg(all);
    else if (m_onGpus && *m_onGpus < all)
        counts = tr("%1 on GPUs, %2 related").arg(*m_onGpus).arg(all - *m_onGpus);
    if (m_unattributedMib.isKnown())
        counts += u" · "_s + tr("unattributed %1").arg(format::memory(m_unattributedMib));
    m_panel->setRemark(counts);
}

} // namespace pilothouse
