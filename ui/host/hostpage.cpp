// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/hostpage.h"

#include "ui/host/gputable.h"
#include "ui/host/hostsummary.h"
#include "ui/host/interruptedbar.h"
#include "ui/host/problemlist.h"
#include "ui/host/processpanel.h"
#include "ui/host/reclaimoffer.h"
#include "ui/host/serviceoffer.h"
#include "ui/host/statepane.h"
#include "ui/plots/plotpanel.h"
#include "ui/text/errortext.h"
#include "ui/text/formatter.h"
#include "ui/theme/plain.h"
#include "ui/theme/primarybutton.h"
#include "ui/theme/runlabel.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QSplitter>
#include <QStackedLayout>
#include <QVBoxLayout>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr double headlineScale = 1.25;

StatePane::Words failedWords(const HostData &host, const QDateTime &now)
{
    const LinkState &state = host.state;
    const ErrorText text = textOf(state.error.value_or(Error{ErrorCode::ConnectionLost, {}, {}}));
    StatePane::Words words{Severity::Critical, text.what, text.why, text.advice, {}};
    const QString since = HostPage::tr("Since %1, %2.").arg(format::localTime(state.since, now),
                                                           format::duration(state.since.msecsTo(now)));
    if (state.phase == LinkState::Phase::Retrying && state.nextTry.isValid()) {
        const qint64 wait = (std::max<qint64>(now.msecsTo(state.nextTry), 0) + 999) / 1000;
        words.next = HostPage::tr("%1 Next try in %2 s.").arg(since).arg(wait);
    } else if (state.held) {
        words.severity = Severity::Stale;
        words.next = HostPage::tr("%1 Tried again when another host answers.").arg(since);
    } else if (state.phase == LinkState::Phase::Stopped) {
        words.next = state.signInAgain ? HostPage::tr("%1 Nothing is signed in to without you.").arg(since)
                                       : HostPage::tr("%1 It is not tried again by itself.").arg(since);
    }
    return words;
}

StatePane::Words stateWords(const HostData &host, const QDateTime &now)
{
    using Phase = LinkState::Phase;
    const HostSummary summary = summaryOf(host, now);
    const QString since = host.state.since.isValid() ? format::duration(host.state.since.msecsTo(now)) : QString();
    switch (host.state.phase) {
    case Phase::Retrying:
    case Phase::Stopped: return failedWords(host, now);
    case Phase::Connecting:
        return {summary.severity, HostPage::tr("Connecting to %1").arg(host.spec.ssh), host.state.words, {},
                HostPage::tr("For %1 now.").arg(since)};
    case Phase::Waiting:
        return {summary.severity, summary.headline, host.state.words,
                HostPage::tr("The dialog of this host waits; nothing is sent before."), {}};
    case Phase::Connected:
    case Phase::Idle: break;
    }
    if (host.lastFailure) {
        const ErrorText text = textOf(*host.lastFailure);
        return {summary.severity, text.what, text.why, text.advice, HostPage::tr("The next tick tries again.")};
    }
    return {summary.severity, summary.headline, host.state.peer, {}, {}};
}

} // namespace

HostPage::HostPage(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_headline(new RunLabel(theme))
    , m_facts(new RunLabel(theme))
    , m_units(new RunLabel(theme))
    , m_headRetry(new QPushButton(tr("Retry Now")))
    , m_free(new PrimaryButton(theme))
    , m_problems(new ProblemList(theme))
    , m_interrupted(new InterruptedBar(theme))
    , m_offer(new ServiceOffer(theme))
    , m_state(new StatePane(theme))
    , m_retry(m_state->addButton(u"retryButton"_s, tr("Retry Now")))
    , m_edit(m_state->addButton(u"editButton"_s, tr("Edit…")))
    , m_body(new QSplitter(Qt::Vertical))
    , m_figures(new QSplitter(Qt::Horizontal))
    , m_plot(new PlotPanel(theme))
    , m_gpus(new GpuTable(theme))
    , m_processes(new ProcessPanel(theme))
    , m_stack(new QStackedLayout)
{
    setObjectName(u"hostPage"_s);
    auto *column = new QVBoxLayout(this);
    const int margin = space(this, 4);
    column->setContentsMargins(margin, space(this, 3), margin, margin);
    column->setSpacing(space(this, 3));
    buildHead();
    buildBody();
    column->addWidget(m_problems);
    column->addWidget(m_interrupted);
    column->addWidget(m_offer);
    column->addLayout(m_stack, 1);
    for (QPushButton *button : {m_headRetry, m_retry}) {
        button->setToolTip(tr("Connect now, without waiting for the next try (Ctrl+R)"));
        connect(button, &QPushButton::clicked, this, &HostPage::retryRequested);
    }
    m_edit->setToolTip(tr("Change how this host is reached (Ctrl+E)"));
    connect(m_edit, &QPushButton::clicked, this, &HostPage::editRequested);
    connect(m_offer, &ServiceOffer::addRequested, this, &HostPage::servicesWanted);
    connect(m_interrupted, &InterruptedBar::continueRequested, this, &HostPage::reclaimRequested);
    connect(m_interrupted, &InterruptedBar::dismissed, this, &HostPage::interruptedDismissed);
    connect(m_free, &QPushButton::clicked, this, &HostPage::reclaim);
    connect(m_processes, &ProcessPanel::choiceChanged, this, &HostPage::showOffer);
    connect(m_processes, &ProcessPanel::endRequested, this, [this](const ProcessIdentity &process, bool atOnce) {
        PlanOptions options;
        options.only = process;
        if (atOnce)
            options.grace = std::chrono::milliseconds(0);
        emit reclaimRequested(options);
    });
}

void HostPage::buildHead()
{
    m_headline->setObjectName(u"headline"_s);
    m_headline->setScale(headlineScale);
    m_facts->setObjectName(u"facts"_s);
    m_units->setObjectName(u"units"_s);
    m_headRetry->setObjectName(u"headRetryButton"_s);
    m_headRetry->hide();
    m_free->setObjectName(u"freeButton"_s);
    m_free->setText(tr("Free Memory…"));
    m_free->hide();
    auto *words = new QVBoxLayout;
    words->setSpacing(space(this, 1) / 2);
    words->addWidget(m_headline);
    words->addWidget(m_facts);
    words->addWidget(m_units);
    auto *head = new QHBoxLayout;
    head->addLayout(words, 1);
    head->addWidget(m_headRetry);
    head->addWidget(m_free);
    static_cast<QVBoxLayout *>(layout())->addLayout(head);
}

void HostPage::buildBody()
{
    m_figures->setObjectName(u"figuresSplitter"_s);
    m_figures->addWidget(m_plot);
    m_figures->addWidget(m_gpus);
    m_figures->setStretchFactor(0, 1);
    m_figures->setStretchFactor(1, 0);
    const int gpus = fontMetrics().averageCharWidth() * 52;
    m_figures->setSizes({gpus * 2, gpus});
    m_body->setObjectName(u"bodySplitter"_s);
    m_body->addWidget(m_figures);
    m_body->addWidget(m_processes);
    m_body->setStretchFactor(0, 1);
    m_body->setStretchFactor(1, 1);
    for (QSplitter *splitter : {m_figures, m_body}) {
        splitter->setChildrenCollapsible(false);
        splitter->setHandleWidth(space(this, 3));
    }
    m_stack->addWidget(m_state);
    m_stack->addWidget(m_body);
}

void HostPage::showHost(const HostData &host, const QDateTime &now)
{
    showTime(host, now);
    if (!host.snapshot)
        return;
    const bool stale = host.isStale(now);
    m_shown = host.snapshot;
    m_shownStale = stale;
    m_offer->showHost(host.spec, *host.snapshot);
    m_gpus->showSnapshot(*host.snapshot, host.history, stale);
    m_processes->showSnapshot(*host.snapshot, stale, host.findings, now);
    m_stack->setCurrentWidget(m_body);
    showOffer();
}

void HostPage::showOffer()
{
    if (!m_host)
        return;
    m_processes->setForbidden(m_reclaiming ? tr("A reclaim runs on this host.") : changesForbidden(*m_host));
    const bool before = canReclaim();
    const ReclaimOffer offer = reclaimOfferOf(*m_host, m_processes->choice(), m_now);
    if (m_reclaiming || offer.isThere)
        m_free->setText(m_reclaiming ? tr("Show What Is Running…") : offer.text);
    m_free->setToolTip(plainToolTip(m_reclaiming ? QString() : offer.forbidden + offer.hint));
    m_free->setEnabled(m_reclaiming || offer.forbidden.isEmpty());
    m_free->setVisible(m_reclaiming || offer.isThere);
    if (before != canReclaim())
        emit offerChanged();
}

bool HostPage::canReclaim() const
{
    return !m_free->isHidden() && m_free->isEnabled();
}

void HostPage::reclaim()
{
    if (canReclaim())
        emit reclaimRequested(m_processes->choice().planOptions());
}

void HostPage::setReclaiming(bool reclaiming)
{
    m_reclaiming = reclaiming;
    showOffer();
}

void HostPage::setInterrupted(const QList<InterruptedRun> &runs)
{
    m_interrupted->setRuns(runs);
}

void HostPage::showTime(const HostData &host, const QDateTime &now)
{
    m_host = &host;
    m_now = now;
    showHead(host, now);
    m_interrupted->showHost(host);
    if (!host.snapshot) {
        showState(host, now);
        return;
    }
    if (m_shown && host.isStale(now) != m_shownStale) {
        m_shown.reset();
        showHost(host, now);
        return;
    }
    m_plot->refresh(host.history, now.toMSecsSinceEpoch());
}

std::optional<PageLayout> HostPage::pageLayout() const
{
    // Not isVisible(): at the end the window is closed already.
    if (m_stack->currentWidget() != m_body)
        return std::nullopt;
    return PageLayout{m_figures->sizes(), m_body->sizes(), m_processes->columns()};
}

void HostPage::setPageLayout(const PageLayout &layout)
{
    if (!layout.figures.isEmpty())
        m_figures->setSizes(layout.figures);
    if (!layout.body.isEmpty())
        m_body->setSizes(layout.body);
    m_processes->setColumns(layout.processColumns);
}

void HostPage::showHead(const HostData &host, const QDateTime &now)
{
    const HostSummary summary = summaryOf(host, now);
    m_headline->setSeverity(summary.severity);
    const ColorId color = summary.severity == Severity::Quiet ? ColorId::Text : colorIdOf(summary.severity);
    m_headline->setRuns({{.text = host.spec.name, .color = ColorId::Text, .bold = true},
                         {.text = summary.headline, .color = color, .bold = true},
                         {.text = summary.rest, .color = ColorId::Text}});
    m_headline->setToolTip(plainToolTip(summary.headline + u'\n' + summary.rest));
    if (host.snapshot)
        m_problems->showProblems(host.snapshot->problems, summary.problem);
    const bool stale = host.isStale(now);
    QList<TextRun> facts{{.text = factsLine(host), .color = ColorId::TextMuted}};
    if (host.snapshot) {
        const QString age = stale ? tr("· stale %1").arg(format::duration(host.ageMs(now)))
                                  : u"· "_s + format::ago(host.ageMs(now));
        facts << TextRun{.text = age, .color = stale ? ColorId::SeverityWarning : ColorId::TextMuted};
        const QString units = unitsLine(*host.snapshot, now);
        m_units->setRuns({{.text = units, .color = ColorId::TextMuted}});
        m_units->setVisible(!units.isEmpty());
        m_facts->setToolTip(plainToolTip(tr("Snapshot of %1\nKernel %2\nBoot %3")
                                             .arg(format::utcAndAge(host.snapshot->takenAt, now), host.snapshot->kernel,
                                                  host.snapshot->bootId)));
    } else {
        m_units->hide();
    }
    m_facts->setRuns(facts);
    const bool failed = host.state.phase == LinkState::Phase::Retrying || host.state.phase == LinkState::Phase::Stopped;
    for (QPushButton *button : {m_headRetry, m_retry})
        button->setText(host.state.signInAgain ? tr("Sign In Again") : tr("Retry Now"));
    m_headRetry->setVisible(failed && host.snapshot);
}

void HostPage::showState(const HostData &host, const QDateTime &now)
{
    const bool failed = host.state.phase == LinkState::Phase::Retrying || host.state.phase == LinkState::Phase::Stopped;
    m_retry->setVisible(failed);
    m_edit->setVisible(failed);
    m_state->showWords(stateWords(host, now));
    m_stack->setCurrentWidget(m_state);
}

} // namespace pilothouse
