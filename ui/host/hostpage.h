// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One host's page: the answer, the facts, the problems, memory over time, GPUs, processes; or in words why there are
// none. Shows what it is given and asks for nothing by itself. GUI thread; owned by the main window.

#include "ui/host/hostdata.h"
#include "ui/host/pagelayout.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QSplitter;
class QStackedLayout;

namespace pilothouse {

class GpuTable;
class InterruptedBar;
struct InterruptedRun;
class PlotPanel;
class PrimaryButton;
class ProblemList;
class ProcessPanel;
class RunLabel;
class ServiceOffer;
class StatePane;
class Theme;

class HostPage final : public QWidget
{
    Q_OBJECT
public:
    explicit HostPage(const Theme &theme, QWidget *parent = nullptr);

    /// All of it, after a change. `host` outlives the page or the next call.
    void showHost(const HostData &host, const QDateTime &now);
    /// Ages and the plot's present, between changes.
    void showTime(const HostData &host, const QDateTime &now);

    [[nodiscard]] PlotPanel *plotPanel() const { return m_plot; }
    [[nodiscard]] ProcessPanel *processPanel() const { return m_processes; }

    /// A reclaim runs on this host: the button brings it back.
    void setReclaiming(bool reclaiming);
    /// Reclaims of this host that were cut off with their program, oldest first.
    void setInterrupted(const QList<InterruptedRun> &runs);
    /// The one button can be pressed.
    [[nodiscard]] bool canReclaim() const;
    /// As if it were pressed.
    void reclaim();

    /// As it is divided now; no value while there is nothing to divide.
    [[nodiscard]] std::optional<PageLayout> pageLayout() const;
    void setPageLayout(const PageLayout &layout);

signals:
    void retryRequested();
    void editRequested();
    void servicesWanted(const QList<pilothouse::ServiceSpec> &services);
    /// Free what is ticked, or what a reclaim that was cut off was to free.
    void reclaimRequested(const pilothouse::PlanOptions &options);
    void interruptedDismissed();
    /// canReclaim() has changed.
    void offerChanged();

private:
    void buildHead();
    void buildBody();
    void showHead(const HostData &host, const QDateTime &now);
    void showState(const HostData &host, const QDateTime &now);
    void showOffer();

    RunLabel *m_headline;
    RunLabel *m_facts;
    RunLabel *m_units;
    QPushButton *m_headRetry;
    PrimaryButton *m_free;
    ProblemList *m_problems;
    InterruptedBar *m_interrupted;
    ServiceOffer *m_offer;
    StatePane *m_state;
    QPushButton *m_retry;
    QPushButton *m_edit;
    QSplitter *m_body;
    QSplitter *m_figures;
    PlotPanel *m_plot;
    GpuTable *m_gpus;
    ProcessPanel *m_processes;
    QStackedLayout *m_stack;
    SnapshotPtr m_shown;
    const HostData *m_host = nullptr;
    QDateTime m_now;
    bool m_reclaiming = false;
    bool m_shownStale = false;
};

} // namespace pilothouse
