// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The console's window: hosts at the left, the chosen host's page, the status line. It is told what happens and says
// what a person wants; app connects both to real hosts, the tests to made-up ones. GUI thread.

#include "core/fleet/hostspec.h"
#include "core/ssh/question.h"
#include "ui/host/hoststore.h"
#include "ui/window/windowlayout.h"

#include <QHash>
#include <QMainWindow>
#include <QPointer>

class QSplitter;
class QStackedWidget;
class QTimer;

namespace pilothouse {

class AddHostDialog;
class CommandSet;
class HostList;
class HostPage;
class HostTestPanel;
class NetworkBanner;
struct NetworkTrouble;
struct StepResult;
class InventoryNotice;
struct InventoryDifference;
struct InterruptedRun;
class QuestionDesk;
class StatePane;
class StatusLine;
class Theme;
enum class CommandId;

class MainWindow final : public QMainWindow
{
    Q_OBJECT
public:
    explicit MainWindow(Theme &theme, HostStore::Clock clock = {}, QWidget *parent = nullptr);
    ~MainWindow() override;

    // What happens. Unknown names are ignored.
    void addHost(const HostSpec &spec); ///< the first one is chosen
    void removeHost(const QString &name);
    void setState(const QString &name, const LinkState &state);
    void addSnapshot(const QString &name, const SnapshotPtr &snapshot);
    void addFindings(const QString &name, const FindingsPtr &findings);
    /// Something was done to the host: on its plot.
    void addMark(const QString &name, const QDateTime &at, const QString &text);
    /// A reclaim runs there; reclaimRequested() asks to see it.
    void setReclaiming(const QString &name, bool reclaiming);
    /// Reclaims that were cut off with their program, oldest first: the host's page tells of them.
    void setInterrupted(const QString &name, const QList<InterruptedRun> &runs);
    void addFailure(const QString &name, const Error &error);
    void ask(const QString &name, const Question &question);
    /// About this side, not about a host.
    void setNetworkTrouble(const NetworkTrouble &trouble);
    /// Chooses the host and shows its page.
    void openHost(const QString &name);
    [[nodiscard]] QString currentHost() const;
    [[nodiscard]] const HostStore &store() const { return *m_store; }
    [[nodiscard]] CommandSet *commands() const { return m_commands; }

    /// Geometry, sizes and columns, all hosts' pages alike. A window that no screen shows comes back to the primary
    /// one.
    [[nodiscard]] WindowLayout windowLayout();
    void setWindowLayout(const WindowLayout &layout);

    /// Opens the dialog for a new host. `aliases` of the SSH configuration; `byAlias` starts in their list; `start`
    /// fills the fields. The dialog answers by hostsSubmitted().
    void showAddHost(const QStringList &aliases, bool byAlias, const HostSpec *start = nullptr);
    /// The hosts of hostsSubmitted() are saved: closes the dialog. With `failure` it stays and says why.
    void hostsSaved(const QString &failure = {});
    /// Of testRequested(), in order; the dialog may be gone already.
    void addTestStep(const StepResult &result);
    void showTestWords(const QString &words);
    void askForTest(const Question &question); ///< answered by testAnswered()
    void finishTest(bool declined);
    /// Asks whether the host is to go, with the `lines` of `file` that go with it; answered by removeConfirmed() or
    /// not.
    void showRemoveHost(const QString &name, const QString &file, const QString &lines);
    /// In place of "no hosts" while they are being made ready; empty: back to it.
    void showNotice(const QString &title, const QString &text);
    /// The inventory was read again from disk: what differs, or why the last good one stays, until it is mended.
    void showInventoryChange(const InventoryDifference &difference);
    void showInventoryFailure(const Error &error);
    void showInventoryMended();
    /// Something went wrong outside of any host's page.
    void showFailure(const QString &title, const QString &text);

signals:
    void hostChosen(const QString &name);
    void retryRequested(const QString &name);
    void snapshotRequested(const QString &name);
    void terminalRequested(const QString &name);
    void sshCommandRequested(const QString &name);
    void editRequested(const QString &name);
    void removeRequested(const QString &name);
    void removeConfirmed(const QString &name);
    void addHostRequested(bool byAlias);
    void importRequested();
    /// Found on the host and not written down; a person wants them in hosts.toml.
    void servicesWanted(const QString &name, const QList<pilothouse::ServiceSpec> &services);
    /// What is ticked among the holders is to be freed.
    void reclaimRequested(const QString &name, const pilothouse::PlanOptions &options);
    void interruptedDismissed(const QString &name);
    void demoRequested();
    void incidentRequested(const QString &name);
    void unitCheckRequested(const QString &name);
    void auditRequested();
    void hostsSubmitted(const QList<pilothouse::HostSpec> &hosts);
    void testRequested(const pilothouse::HostSpec &host);
    void testStopped();
    void testAnswered(const pilothouse::Answer &answer);
    void answered(const QString &name, const pilothouse::Answer &answer);
    /// Once, when the window has been painted for the first time.
    void firstPainted();

protected:
    bool event(QEvent *event) override;

private:
    void buildEmpty();
    void onCommand(CommandId id, bool checked);
    void onPlotCommand(CommandId id, bool checked);
    void onThemeCommand(CommandId id);
    void onHelpCommand(CommandId id);
    void showResetReadiness();
    void showChosen(const QString &name);
    void keepPageLayout();
    void refreshPage();
    void tick();
    void updateCommands();
    [[nodiscard]] HostPage *pageOf(const QString &name);
    [[nodiscard]] HostTestPanel *testPanel() const;
    void stopTest();

    Theme &m_theme;
    HostStore *m_store;
    HostList *m_list;
    QSplitter *m_splitter;
    QStackedWidget *m_pages;
    StatePane *m_empty;
    StatusLine *m_status;
    NetworkBanner *m_network;
    InventoryNotice *m_inventory;
    CommandSet *m_commands;
    QuestionDesk *m_questions;
    QTimer *m_tick;
    QHash<QString, HostPage *> m_pageByName;
    QPointer<AddHostDialog> m_addHost;
    PageLayout m_pageLayout;
    bool m_painted = false;
};

} // namespace pilothouse
