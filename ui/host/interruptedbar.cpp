// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/interruptedbar.h"

#include "ui/host/reclaimoffer.h"

#include <QPushButton>

namespace pilothouse {

using namespace Qt::StringLiterals;

InterruptedBar::InterruptedBar(const Theme &theme, QWidget *parent)
    : OfferBar(theme, u"interruptedBar"_s, ColorId::SeverityWarning, parent)
    , m_continue(addButton(u"Continue"_s, tr("Look and Continue…"), tr("Look at the host and continue the reclaim")))
{
    m_continue->setToolTip(tr("Looks at the host and shows a plan first; nothing is done before you agree"));
    QPushButton *dismiss = addButton(u"Dismiss"_s, tr("Dismiss"), tr("Dismiss the message about the reclaim"));
    dismiss->setToolTip(tr("Forgets that run; nothing is done to the host"));
    connect(m_continue, &QPushButton::clicked, this, [this] {
        if (!m_runs.isEmpty())
            emit continueRequested(m_runs.last().options);
    });
    connect(dismiss, &QPushButton::clicked, this, &InterruptedBar::dismissed);
}

void InterruptedBar::setRuns(const QList<InterruptedRun> &runs)
{
    m_runs = runs;
    refresh();
}

void InterruptedBar::showHost(const HostData &host)
{
    m_bootId = host.snapshot ? host.snapshot->bootId : QString();
    m_continue->setVisible(changesForbidden(host).isEmpty());
    refresh();
}

void InterruptedBar::refresh()
{
    if (m_runs.isEmpty()) {
        say({});
        return;
    }
    QString text = wordsOf(m_runs.last(), m_bootId);
    if (const qsizetype others = m_runs.size() - 1; others == 1)
        text += u' ' + tr("One before it was cut off too.");
    else if (others > 1)
        text += u' ' + tr("%1 before it were cut off too.").arg(others);
    say(text);
}

} // namespace pilothouse
