// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Tells on a host's page that a reclaim was cut off with its program, and offers to look and go on, or to leave it. GUI
// thread; owned by the page.

#include "core/workflow/journal.h"
#include "ui/host/hostdata.h"
#include "ui/host/offerbar.h"

namespace pilothouse {

class InterruptedBar final : public OfferBar
{
    Q_OBJECT
public:
    explicit InterruptedBar(const Theme &theme, QWidget *parent = nullptr);

    /// Oldest first; the newest is told. None: it is gone.
    void setRuns(const QList<InterruptedRun> &runs);
    void showHost(const HostData &host);

signals:
    /// A fresh look and a plan for what the newest was to do.
    void continueRequested(const pilothouse::PlanOptions &options);
    void dismissed();

private:
    void refresh();

    QList<InterruptedRun> m_runs;
    QString m_bootId;
    QPushButton *m_continue;
};

} // namespace pilothouse
