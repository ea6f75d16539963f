// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One reclaim, from the plan that a person reads to the transcript. Shows what it is told and says what the person
// wants; it talks to no host. Closing it stops nothing. GUI thread; owned by the window.

#include "core/history/memoryhistory.h"
#include "core/workflow/plansteps.h"
#include "core/workflow/workflowevent.h"

#include <QDialog>

#include <functional>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTreeView;

namespace pilothouse {

class MemoryPlot;
class PrimaryButton;
class RunLabel;
class StepModel;
class Theme;

class ReclaimDialog final : public QDialog
{
    Q_OBJECT
public:
    enum class Phase { Looking, Asking, Checking, Running, Over };

    ReclaimDialog(const Theme &theme, const QString &host, QWidget *parent);

    [[nodiscard]] Phase phase() const { return m_phase; }
    /// The host is looked at; nothing is proposed yet.
    void showLooking();
    /// Asks for consent. `seen` is what the plan was made of; `changes` what differs from the plan before, if there was
    /// one.
    void showPlan(const Plan &plan, const Snapshot &seen, const QStringList &changes = {});
    /// Nothing can be done, and why.
    void showNothing(const QString &what, const QStringList &why);
    void showRunning();
    void addEvent(const WorkflowEvent &event);
    void finish(int exitCode);
    /// Memory beside the steps, and the clock of the running one.
    void refresh(const MemoryHistory &history, const QDateTime &now);
    /// What a person would type for that request; empty where it cannot be told.
    void setShellOf(std::function<QString(const ActionRequest &)> shell) { m_shellOf = std::move(shell); }
    /// Plan, steps and what happened, for a ticket.
    [[nodiscard]] QString ticketText() const;

signals:
    /// The person agrees to the plan with that id.
    void agreed(const QString &planId);
    void killNowRequested();
    /// At the next safe moment.
    void stopRequested();

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    void buildSteps(const Theme &theme);
    void buildButtons(QLayout *column);
    void setPhase(Phase phase);
    void copyShell();
    [[nodiscard]] QPushButton *addButton(const QString &name, const QString &text, const QString &hint);

    Phase m_phase = Phase::Looking;
    QString m_host;
    Plan m_plan;
    QStringList m_planLines;
    QStringList m_log;
    QDateTime m_startedAt;
    std::function<QString(const ActionRequest &)> m_shellOf;
    StepModel *m_steps;
    RunLabel *m_headline;
    QLabel *m_words;
    QTreeView *m_view;
    MemoryPlot *m_plot;
    QPlainTextEdit *m_text;
    QPushButton *m_copyShell = nullptr;
    QPushButton *m_copyTicket = nullptr;
    QPushButton *m_kill = nullptr;
    QPushButton *m_stop = nullptr;
    QPushButton *m_close = nullptr;
    PrimaryButton *m_go;
};

} // namespace pilothouse
