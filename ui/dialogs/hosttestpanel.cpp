// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/hosttestpanel.h"

#include "ui/text/formatter.h"
#include "ui/theme/plain.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace pilothouse {

using namespace Qt::StringLiterals;
using State = StepResult::State;

namespace {

enum Column { StateColumn, StepColumn, TimeColumn, TextColumn };

QString wordOf(State state)
{
    switch (state) {
    case State::Done: return HostTestPanel::tr("done");
    case State::Failed: return HostTestPanel::tr("failed");
    case State::Skipped: break;
    }
    return HostTestPanel::tr("not reached");
}

ColorId colorOfState(State state)
{
    switch (state) {
    case State::Done: return ColorId::SeverityOk;
    case State::Failed: return ColorId::SeverityCritical;
    case State::Skipped: break;
    }
    return ColorId::TextMuted;
}

} // namespace

HostTestPanel::HostTestPanel(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_steps(new QTreeWidget)
    , m_words(plainLabel({}))
    , m_button(new QPushButton)
{
    setObjectName(u"hostTest"_s);
    m_steps->setObjectName(u"hostTestSteps"_s);
    m_steps->setAccessibleName(tr("Steps to the host"));
    m_steps->setHeaderLabels({tr("State"), tr("Step"), tr("Time"), tr("What was found")});
    m_steps->setRootIsDecorated(false);
    m_steps->setSelectionMode(QAbstractItemView::SingleSelection);
    m_steps->setTextElideMode(Qt::ElideRight);
    m_steps->setMinimumHeight(fontMetrics().height() * 15);
    m_steps->header()->setStretchLastSection(true);
    const int character = fontMetrics().averageCharWidth();
    m_steps->setColumnWidth(StateColumn, character * 12);
    m_steps->setColumnWidth(StepColumn, character * 20);
    m_steps->setColumnWidth(TimeColumn, character * 10);
    m_words->setObjectName(u"hostTestWords"_s);
    m_words->setWordWrap(true);
    m_words->setMinimumHeight(fontMetrics().lineSpacing() * 3); // a failure's words move nothing
    m_words->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_button->setObjectName(u"hostTestButton"_s);
    m_button->setAutoDefault(false);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_steps, 1);
    auto *row = new QHBoxLayout;
    row->addWidget(m_words, 1);
    row->addWidget(m_button, 0, Qt::AlignTop);
    column->addLayout(row);
    connect(m_button, &QPushButton::clicked, this, &HostTestPanel::toggle);
    connect(m_steps, &QTreeWidget::currentItemChanged, this, [this](const QTreeWidgetItem *item) {
        if (item)
            m_words->setText(item->text(TextColumn)); // the whole of it
    });
    refresh();
}

void HostTestPanel::setReady(bool ready)
{
    m_ready = ready;
    refresh();
}

void HostTestPanel::toggle()
{
    if (m_running) {
        finish(tr("Stopped."));
        emit stopped();
        return;
    }
    m_steps->clear();
    m_running = true;
    m_failed = false;
    showWords(tr("Starting"));
    refresh();
    emit started();
}

void HostTestPanel::addStep(const StepResult &result)
{
    const QString time = result.durationMs ? format::milliseconds(*result.durationMs) : format::unknownMark();
    auto *row = new QTreeWidgetItem({wordOf(result.state), nameOf(result), time, result.text});
    row->setForeground(StateColumn, m_theme.color(colorOfState(result.state)));
    row->setTextAlignment(TimeColumn, Qt::AlignRight | Qt::AlignVCenter);
    row->setToolTip(TextColumn, plainToolTip(result.text));
    m_steps->addTopLevelItem(row);
    m_steps->scrollToItem(row);
    if (result.state != State::Failed || m_failed)
        return;
    m_failed = true; // the first one is the reason
    m_steps->setCurrentItem(row);
}

void HostTestPanel::showWords(const QString &words)
{
    if (!m_failed)
        m_words->setText(words);
}

void HostTestPanel::finish(const QString &words)
{
    showWords(words);
    m_running = false;
    refresh();
}

void HostTestPanel::refresh()
{
    m_button->setText(m_running ? tr("S&top Test") : tr("&Test"));
    m_button->setEnabled(m_running || m_ready);
}

} // namespace pilothouse
