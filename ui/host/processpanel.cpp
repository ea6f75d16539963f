// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/processpanel.h"

#include "core/host/gpusourcewords.h"
#include "ui/host/holderdelegate.h"
#include "ui/host/holderwords.h"
#include "ui/host/processcolumns.h"
#include "ui/host/processmodel.h"
#include "ui/host/tablecopy.h"
#include "ui/text/formatter.h"
#include "ui/theme/panel.h"
#include "ui/theme/plain.h"
#include "ui/theme/theme.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedLayout>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int leastWhy = 24; // characters
constexpr int evidenceLines = 6;

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
    , m_panel(new Panel(theme, tr("Who holds the memory"), this))
    , m_model(new ProcessModel(this))
    , m_filter(new ProcessFilter(this))
    , m_view(new QTreeView)
    , m_words(new QLineEdit)
    , m_empty(plainLabel({}))
    , m_stack(new QStackedLayout)
    , m_knowBar(new QWidget)
    , m_knowWords(plainLabel({}))
    , m_know(new QPushButton)
    , m_evidence(new QPlainTextEdit)
    , m_others(addButton(u"holderOthers"_s, tr("Others…"), tr("Tick others than leftovers, after a warning")))
    , m_whyButton(addButton(u"holderWhy"_s, tr("Evidence"), tr("Show why the current row has its verdict (Enter)")))
{
    m_filter->setSourceModel(m_model);
    buildView(theme);
    buildHeader();
    buildKnowBar(theme);
    buildEvidence();
    m_empty->setObjectName(u"processEmpty"_s);
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_empty->setContentsMargins(space(this, 3), space(this, 3), space(this, 3), space(this, 3));
    tint(m_empty, theme, ColorId::TextMuted);

    auto *content = new QWidget;
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_knowBar);
    column->addLayout(m_stack, 1);
    column->addWidget(m_evidence);
    m_stack->addWidget(m_view);
    m_stack->addWidget(m_empty);
    m_panel->setContent(content);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_panel);
    connect(m_model, &ProcessModel::choiceChanged, this, &ProcessPanel::choiceChanged);
}

QToolButton *ProcessPanel::addButton(const QString &name, const QString &text, const QString &hint)
{
    auto *button = new QToolButton(m_panel);
    button->setObjectName(name);
    button->setText(text);
    button->setToolTip(hint);
    button->setAccessibleName(hint);
    button->setAutoRaise(true);
    button->setCheckable(true);
    m_panel->addControl(button);
    return button;
}

void ProcessPanel::buildHeader()
{
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
    connect(m_others, &QToolButton::toggled, this, [this](bool shown) {
        if (!shown)
            m_model->setUnlocked(false);
        showKnowBar();
    });
    connect(m_whyButton, &QToolButton::toggled, this, &ProcessPanel::showEvidence);
}

void ProcessPanel::buildKnowBar(const Theme &theme)
{
    m_knowBar->setObjectName(u"holderKnowBar"_s);
    m_knowWords->setWordWrap(true);
    tint(m_knowWords, theme, ColorId::SeverityWarning);
    m_know->setObjectName(u"holderKnow"_s);
    m_know->setAutoDefault(false);
    m_know->setText(tr("I Know, Let Me Tick Them"));
    auto *row = new QHBoxLayout(m_knowBar);
    row->setContentsMargins(space(this, 3), space(this, 1), space(this, 2), space(this, 1));
    row->addWidget(m_knowWords, 1);
    row->addWidget(m_know);
    m_knowBar->hide();
    connect(m_know, &QPushButton::clicked, this, [this] {
        m_model->setUnlocked(true);
        showKnowBar();
        m_view->setFocus();
    });
}

void ProcessPanel::showKnowBar()
{
    const bool unlocked = m_model->choice().isUnlocked();
    m_knowWords->setText(unlocked
                             ? tr("Others than leftovers can be ticked. A family is ended as a whole.")
                             : tr("Others than leftovers may be somebody's work, and ending them loses it."));
    m_know->setVisible(!unlocked);
    m_knowBar->setVisible(m_others->isChecked());
}

void ProcessPanel::buildEvidence()
{
    m_evidence->setObjectName(u"holderEvidence"_s);
    m_evidence->setAccessibleName(tr("Evidence for the current row"));
    m_evidence->setReadOnly(true);
    m_evidence->setTabChangesFocus(true);
    m_evidence->setFrameShape(QFrame::NoFrame);
    m_evidence->setFixedHeight(fontMetrics().lineSpacing() * evidenceLines + space(this, 3));
    m_evidence->document()->setDocumentMargin(space(this, 3));
    m_evidence->hide();
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ProcessPanel::showEvidence);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_view, &QTreeView::customContextMenuRequested, this, &ProcessPanel::showMenu);
    connect(m_view, &QTreeView::activated, m_whyButton, &QToolButton::toggle);
}

void ProcessPanel::showEvidence()
{
    m_evidence->setVisible(m_whyButton->isChecked());
    if (!m_whyButton->isChecked())
        return;
    const QModelIndex index = m_filter->mapToSource(m_view->currentIndex());
    QString text = tr("Choose a row to see why it has its verdict.");
    if (index.isValid()) {
        const ProcessVerdict *verdict = m_model->verdictAt(index.row());
        text = verdict && m_findings ? holderText(m_model->processAt(index.row()), *verdict, *m_findings, m_now)
                                     : tr("Nothing is told of it yet: the host is looked at more closely first.");
    }
    if (text != m_evidence->toPlainText())
        m_evidence->setPlainText(text);
}

void ProcessPanel::tickCurrent()
{
    const QModelIndex index = m_view->currentIndex().siblingAtColumn(static_cast<int>(ProcessColumn::Name));
    const QVariant tick = index.data(Qt::CheckStateRole);
    if (tick.isValid())
        m_filter->setData(index, tick.toInt() == Qt::Checked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

void ProcessPanel::buildView(const Theme &theme)
{
    m_view->setObjectName(u"processTable"_s);
    m_view->setAccessibleName(tr("Who holds the memory"));
    m_view->setModel(m_filter);
    m_view->setItemDelegate(new HolderDelegate(theme, m_view));
    m_view->setRootIsDecorated(false);
    m_view->setIndentation(0);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setMouseTracking(true);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(static_cast<int>(ProcessColumn::Judged), Qt::AscendingOrder);
    copyOnRequest(m_view);
    QHeaderView *header = m_view->header();
    header->setObjectName(u"processTableHeader"_s);
    header->setSectionsMovable(true);
    header->setStretchLastSection(true);
    header->setMinimumSectionSize(space(this, 8));
    for (const ProcessColumnInfo &info : processColumns()) {
        const QString widest = QString::fromUtf16(info.widest);
        const int section = static_cast<int>(info.column);
        const int width = m_view->fontMetrics().horizontalAdvance(widest) + space(this, 4);
        if (!widest.isEmpty()) // the hint has room for the mark of the column that is sorted by
            header->resizeSection(section, std::max(width, header->sectionSizeHint(section)));
    }
    m_view->viewport()->installEventFilter(this);
    m_view->installEventFilter(this);
}

bool ProcessPanel::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize && watched == m_view->viewport())
        fitColumns();
    if (event->type() == QEvent::KeyPress && watched == m_view) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->key() == Qt::Key_Space && key->modifiers() == Qt::NoModifier) {
            tickCurrent();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

/// Why is what counts: where it would have no room, columns that say less go.
void ProcessPanel::fitColumns()
{
    QHeaderView *header = m_view->header();
    int needed = fontMetrics().averageCharWidth() * leastWhy;
    for (const ProcessColumnInfo &info : processColumns()) {
        const int section = static_cast<int>(info.column);
        int &width = m_widths[static_cast<std::size_t>(section)];
        if (!header->isSectionHidden(section))
            width = header->sectionSize(section);
        if (info.column != ProcessColumn::Why)
            needed += width;
    }
    const bool whyIsLast = header->visualIndex(static_cast<int>(ProcessColumn::Why)) == header->count() - 1;
    for (const ProcessColumn column : yieldingColumns()) {
        const bool yields = whyIsLast && needed > m_view->viewport()->width();
        header->setSectionHidden(static_cast<int>(column), yields);
        if (yields)
            needed -= m_widths[static_cast<std::size_t>(column)];
    }
}

void ProcessPanel::showSnapshot(const Snapshot &snapshot, bool stale, const FindingsPtr &findings,
                                const QDateTime &now)
{
    m_findings = findings && findings->snapshot->bootId == snapshot.bootId ? findings : nullptr;
    m_now = now;
    m_model->setStale(stale);
    m_model->show(snapshot.processes.value_or(QList<Process>()), snapshot.gpus.has_value(), m_findings);
    m_unattributedMib = unattributedOf(snapshot);
    m_onGpus = holdersIn(snapshot);
    m_unknownHolders = unknownHoldersText(snapshot);
    m_unreadable.clear();
    if (!snapshot.processes) {
        const UnknownReason why = snapshot.unknown.value(u"processes"_s, UnknownReason::Failed);
        m_unreadable = tr("The list of processes could not be read. %1").arg(format::reason(why));
    }
    showOrWords();
    showCounts();
    showEvidence();
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

const HolderChoice &ProcessPanel::choice() const
{
    return m_model->choice();
}

void ProcessPanel::showMenu(const QPoint &position)
{
    const QModelIndex index = m_filter->mapToSource(m_view->currentIndex());
    if (!index.isValid())
        return;
    const ProcessVerdict *verdict = m_model->verdictAt(index.row());
    auto *menu = new QMenu(this);
    menu->setObjectName(u"holderMenu"_s);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    const auto add = [&](const QString &name, const QString &text) {
        QAction *action = menu->addAction(text);
        action->setObjectName(name);
        return action;
    };
    connect(add(u"holderStory"_s, tr("&What Happened Here")), &QAction::triggered, this,
            [this] { m_whyButton->setChecked(true); });
    connect(add(u"holderCopy"_s, tr("&Copy Rows")), &QAction::triggered, this,
            [this] { QGuiApplication::clipboard()->setText(tableText(*m_view)); });
    const QVariant tick = m_model->index(index.row(), 0).data(Qt::CheckStateRole);
    const bool isTicked = tick.toInt() == Qt::Checked;
    QAction *turn = add(u"holderTick"_s, isTicked ? tr("Un&tick Its Family") : tr("&Tick Its Family"));
    turn->setEnabled(m_model->flags(m_model->index(index.row(), 0)).testFlag(Qt::ItemIsUserCheckable));
    connect(turn, &QAction::triggered, this, &ProcessPanel::tickCurrent);
    menu->addSeparator();
    QString why = m_forbidden;
    if (why.isEmpty() && (!verdict || !mayBeNamed(*verdict)))
        why = verdict ? verdict->evidence.value(0) : tr("The host has to be looked at more closely first.");
    const auto addEnd = [&](const QString &name, const QString &text, bool atOnce) {
        QAction *action = add(name, text);
        action->setEnabled(why.isEmpty());
        action->setToolTip(plainToolTip(why));
        if (why.isEmpty()) {
            connect(action, &QAction::triggered, this,
                    [this, process = *verdict->identity, atOnce] { emit endRequested(process, atOnce); });
        }
    };
    addEnd(u"holderEnd"_s, tr("&End This Process Alone (SIGTERM)…"), false);
    addEnd(u"holderKill"_s, tr("&Kill This Process Alone (SIGKILL)…"), true);
    menu->popup(m_view->viewport()->mapToGlobal(position));
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
        words = m_unknownHolders.isEmpty() ? tr("No process uses a GPU, and none is of a unit that is watched.")
                                           : m_unknownHolders;
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
    else if (const QString verdicts = m_findings ? countWords(m_findings->diagnosis) : QString(); !verdicts.isEmpty())
        counts = verdicts;
    else if (m_onGpus && *m_onGpus < all)
        counts = tr("%1 on GPUs, %2 related").arg(*m_onGpus).arg(all - *m_onGpus);
    if (m_unattributedMib.isKnown())
        counts += u" · "_s + tr("unattributed %1").arg(format::memory(m_unattributedMib));
    m_panel->setRemark(counts);
}

} // namespace pilothouse
