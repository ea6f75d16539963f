// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workflow/reclaimdialog.h"

#include "core/workflow/reclaimwords.h"
#include "ui/host/rowpainting.h"
#include "ui/plots/memoryplot.h"
#include "ui/text/formatter.h"
#include "ui/theme/plain.h"
#include "ui/theme/primarybutton.h"
#include "ui/theme/runlabel.h"
#include "ui/theme/theme.h"
#include "ui/workflow/planwords.h"
#include "ui/workflow/stepmodel.h"

#include <QClipboard>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QTreeView>
#include <QVBoxLayout>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr double headlineScale = 1.25;
constexpr int widthInCharacters = 150;
constexpr int heightInLines = 38;

QString eventLine(const WorkflowEvent &event)
{
    return event.at.toLocalTime().toString(u"HH:mm:ss"_s) + u"  "_s + nameOf(event.state).leftJustified(9) + u' '
        + event.text;
}

} // namespace

ReclaimDialog::ReclaimDialog(const Theme &theme, const QString &host, QWidget *parent)
    : QDialog(parent)
    , m_host(host)
    , m_steps(new StepModel(this))
    , m_headline(new RunLabel(theme))
    , m_words(plainLabel({}))
    , m_view(new QTreeView)
    , m_plot(new MemoryPlot(theme))
    , m_text(new QPlainTextEdit)
    , m_go(new PrimaryButton(theme))
{
    setObjectName(u"reclaimDialog"_s);
    setWindowTitle(tr("Free Memory on %1").arg(host));
    m_headline->setObjectName(u"reclaimHeadline"_s);
    m_headline->setScale(headlineScale);
    m_words->setObjectName(u"reclaimWords"_s);
    m_words->setWordWrap(true);
    tint(m_words, theme, ColorId::TextMuted);
    m_text->setObjectName(u"reclaimText"_s);
    m_text->setAccessibleName(tr("The plan, and what happened"));
    m_text->setReadOnly(true);
    m_text->setTabChangesFocus(true);
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_plot->setObjectName(u"reclaimPlot"_s);
    buildSteps(theme);

    auto *upper = new QSplitter(Qt::Horizontal);
    upper->addWidget(m_view);
    upper->addWidget(m_plot);
    upper->setChildrenCollapsible(false);
    auto *body = new QSplitter(Qt::Vertical);
    body->addWidget(upper);
    body->addWidget(m_text);
    body->setChildrenCollapsible(false);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(space(this, 4), space(this, 4), space(this, 4), space(this, 4));
    column->setSpacing(space(this, 3));
    column->addWidget(m_headline);
    column->addWidget(m_words);
    column->addWidget(body, 1);
    buildButtons(column);
    const QSize wanted(fontMetrics().averageCharWidth() * widthInCharacters,
                       fontMetrics().lineSpacing() * heightInLines);
    resize(parent ? wanted.boundedTo(parent->size() * 0.94) : wanted);
    upper->setSizes({width() * 3 / 5, width() * 2 / 5});
    showLooking();
}

void ReclaimDialog::buildSteps(const Theme &theme)
{
    m_view->setObjectName(u"reclaimSteps"_s);
    m_view->setAccessibleName(tr("Steps"));
    m_view->setModel(m_steps);
    m_view->setItemDelegate(new RowDelegate(theme, m_view));
    m_view->setRootIsDecorated(false);
    m_view->setIndentation(0);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    QHeaderView *header = m_view->header();
    header->setStretchLastSection(true);
    const auto fit = [&](StepModel::Column column, const QString &widest) {
        const int width = m_view->fontMetrics().horizontalAdvance(widest);
        header->resizeSection(static_cast<int>(column), width + space(this, 5));
    };
    fit(StepModel::Column::State, u"skipped_"_s);
    fit(StepModel::Column::Name, u"Clean /dev/shm"_s);
    fit(StepModel::Column::Time, u"23 min 59 s"_s);
}

QPushButton *ReclaimDialog::addButton(const QString &name, const QString &text, const QString &hint)
{
    auto *button = new QPushButton(text);
    button->setObjectName(name);
    button->setToolTip(hint);
    button->setAutoDefault(false);
    return button;
}

void ReclaimDialog::buildButtons(QLayout *column)
{
    m_copyShell = addButton(u"reclaimCopyShell"_s, tr("Copy as S&hell"),
                            tr("The current step as a command for a terminal"));
    m_copyTicket = addButton(u"reclaimCopyTicket"_s, tr("Copy for &Ticket"), tr("Plan, steps and what happened"));
    m_kill = addButton(u"reclaimKillNow"_s, tr("&Kill Now"), tr("End the grace: SIGKILL to what is left"));
    m_stop = addButton(u"reclaimStop"_s, tr("&Stop"), tr("Stop at the next safe moment; what was sent stays sent"));
    m_close = addButton(u"reclaimClose"_s, tr("Cancel"), {});
    m_go->setObjectName(u"reclaimGo"_s);
    auto *row = new QHBoxLayout;
    row->setSpacing(space(this, 2));
    row->addWidget(m_copyShell);
    row->addWidget(m_copyTicket);
    row->addStretch(1);
    for (QPushButton *button : {m_kill, m_stop, m_close, static_cast<QPushButton *>(m_go)})
        row->addWidget(button);
    static_cast<QVBoxLayout *>(column)->addLayout(row);
    connect(m_copyShell, &QPushButton::clicked, this, &ReclaimDialog::copyShell);
    connect(m_copyTicket, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(ticketText()); });
    connect(m_kill, &QPushButton::clicked, this, &ReclaimDialog::killNowRequested);
    connect(m_stop, &QPushButton::clicked, this, &ReclaimDialog::stopRequested);
    connect(m_close, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_go, &QPushButton::clicked, this, [this] {
        setPhase(Phase::Checking);
        emit agreed(m_plan.id());
    });
}

void ReclaimDialog::setPhase(Phase phase)
{
    m_phase = phase;
    const bool asking = phase == Phase::Asking;
    const bool running = phase == Phase::Running;
    m_go->setVisible(asking || phase == Phase::Checking);
    m_go->setEnabled(asking);
    m_stop->setVisible(running);
    m_kill->setVisible(running);
    m_kill->setEnabled(false);
    m_close->setText(asking || phase == Phase::Checking || phase == Phase::Looking ? tr("Cancel") : tr("Close"));
    m_close->setToolTip(running ? tr("It goes on; the button of the host's page brings this back") : QString());
    m_copyTicket->setEnabled(!m_planLines.isEmpty());
    m_copyShell->setEnabled(m_steps->rowCount() > 0);
    switch (phase) {
    case Phase::Looking: m_words->setText(tr("Looks at the host once more. Nothing is sent but questions.")); break;
    case Phase::Asking:
        m_words->setText(tr("Nothing has been done yet. This is all that would be, and to whom."));
        m_close->setFocus(); // a dangerous step is never one key away
        break;
    case Phase::Checking: m_words->setText(tr("Looks whether the plan still holds.")); break;
    case Phase::Running: m_words->setText(tr("Running.")); break;
    case Phase::Over: m_close->setFocus(); break;
    }
}

void ReclaimDialog::showLooking()
{
    m_headline->setSeverity(Severity::Notice);
    m_headline->setRuns({{.text = m_host, .bold = true}, {.text = tr("What would be freed?")}});
    setPhase(Phase::Looking);
}

void ReclaimDialog::showPlan(const Plan &plan, const Snapshot &seen, const QStringList &changes)
{
    m_plan = plan;
    m_planLines = planLines(plan, seen);
    m_log.clear();
    m_steps->setPlan(plan);
    QStringList shown;
    if (!changes.isEmpty()) {
        shown << tr("The host has changed since you were asked; nothing was done. What differs:");
        for (const QString &change : changes)
            shown << u"  "_s + change;
        shown << QString();
    }
    m_text->setPlainText((shown + m_planLines).join(u'\n'));
    const Quantity<qint64> held = heldBy(plan);
    m_headline->setSeverity(changes.isEmpty() ? Severity::Notice : Severity::Warning);
    m_headline->setRuns({{.text = m_host, .bold = true}, {.text = planSentence(plan)}});
    const QString targets = processesInWords(plan.targets().size());
    m_go->setText(held.isKnown() && held.value() > 0 ? tr("End %1, Free %2").arg(targets, format::memory(held))
                                                     : tr("End %1").arg(targets));
    setPhase(Phase::Asking);
    m_view->setCurrentIndex(m_steps->index(0, 0));
}

void ReclaimDialog::showNothing(const QString &what, const QStringList &why)
{
    m_headline->setSeverity(Severity::Warning);
    m_headline->setRuns({{.text = m_host, .bold = true}, {.text = tr("Nothing can be done"), .bold = true}});
    m_text->setPlainText(why.join(u'\n'));
    setPhase(Phase::Over);
    m_words->setText(what);
}

void ReclaimDialog::showRunning()
{
    setPhase(Phase::Running);
    m_text->clear();
    m_stop->setFocus();
}

void ReclaimDialog::addEvent(const WorkflowEvent &event)
{
    if (m_log.isEmpty())
        m_startedAt = event.at;
    m_log << eventLine(event);
    m_text->appendPlainText(m_log.last());
    if (event.step == "result"_L1) {
        const bool done = event.state == WorkflowEvent::State::Done;
        m_headline->setSeverity(done ? Severity::Ok : Severity::Critical);
        m_headline->setRuns({{.text = m_host, .bold = true},
                             {.text = done ? tr("Done") : tr("Not done"), .bold = true},
                             {.text = event.text}});
        m_words->setText(tr("It took %1.").arg(format::duration(m_startedAt.msecsTo(event.at))));
        return;
    }
    m_steps->take(event);
    m_words->setText(event.text);
    m_view->setCurrentIndex(m_steps->index(m_steps->current(), 0));
    m_kill->setEnabled(m_phase == Phase::Running && event.step == "grace"_L1
                       && event.state != WorkflowEvent::State::Done);
}

void ReclaimDialog::finish(int)
{
    m_steps->finish(QDateTime::currentDateTimeUtc());
    const QString words = m_words->text();
    setPhase(Phase::Over);
    m_words->setText(words);
}

void ReclaimDialog::refresh(const MemoryHistory &history, const QDateTime &now)
{
    m_steps->setNow(now);
    m_plot->refresh(history, now.toMSecsSinceEpoch());
}

void ReclaimDialog::copyShell()
{
    const QModelIndex index = m_view->currentIndex();
    if (!index.isValid() || !m_shellOf)
        return;
    const PlanStep &step = m_steps->stepAt(index.row());
    QStringList texts{u"# "_s + step.text};
    for (const ActionRequest &request : step.requests)
        texts << m_shellOf(request);
    if (step.requests.isEmpty())
        texts << u"nvidia-smi --query-compute-apps=pid,used_memory --format=csv; nvidia-smi"_s;
    QGuiApplication::clipboard()->setText(texts.join(u'\n') + u'\n');
}

QString ReclaimDialog::ticketText() const
{
    QStringList lines = m_planLines;
    lines << QString();
    for (int row = 0; row < m_steps->rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < m_steps->columnCount(); ++column)
            cells << m_steps->index(row, column).data().toString();
        cells.removeAll(QString());
        lines << cells.join(u"  "_s);
    }
    if (!m_log.isEmpty())
        lines << QString() << m_log;
    return lines.join(u'\n') + u'\n';
}

void ReclaimDialog::keyPressEvent(QKeyEvent *event)
{
    // Return reaches no button by itself: whoever agrees does it on purpose.
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        if (auto *button = qobject_cast<QPushButton *>(focusWidget()))
            button->click();
        return;
    }
    QDialog::keyPressEvent(event);
}

} // namespace pilothouse
