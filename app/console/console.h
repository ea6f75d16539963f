// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The composition root of pilothouse: makes theme, window, fleet and what joins them, in this order, and ends them in
// the opposite one. GUI thread; lives in main().

#include "core/base/background.h"
#include "app/console/auditview.h"
#include "app/console/consoleoptions.h"
#include "app/console/demohosts.h"
#include "app/console/firsthost.h"
#include "app/console/fleetbinding.h"
#include "app/console/fleetpicture.h"
#include "app/console/hosteditor.h"
#include "app/console/hostimporter.h"
#include "app/console/hostremover.h"
#include "app/console/hosttestbinding.h"
#include "app/console/incidentexport.h"
#include "app/console/inventoryfollower.h"
#include "app/console/reclaimdesk.h"
#include "app/console/runreminder.h"
#include "app/console/serviceadder.h"
#include "app/console/singleinstance.h"
#include "app/console/stopsignals.h"
#include "app/console/unitcheckdesk.h"
#include "core/fleet/inventory.h"
#include "ui/theme/theme.h"
#include "ui/window/mainwindow.h"

#include <QObject>

#include <memory>

namespace pilothouse {

class Console final : public QObject
{
    Q_OBJECT
public:
    /// `instance` has been claimed; null with --screenshot and --demo.
    Console(ConsoleOptions options, std::unique_ptr<SingleInstance> instance);
    ~Console() override;

    /// Shows the window and opens the hosts; the event loop does the rest and ends with the window.
    void start();

private:
    struct AliasAnswer
    {
        QStringList aliases;
        bool byAlias = false;
        std::optional<HostSpec> start;
    };
    struct SaveAnswer
    {
        QList<HostSpec> hosts; ///< those that were saved
        QString failure;
    };

    void wireWindow();
    /// Of the file that remembers the window; empty: it is not remembered.
    [[nodiscard]] QString layoutFile() const;
    void openInventory();
    void openTarget(const QString &target, const QString &service);
    void addHost(HostSpec spec);
    void openTerminalOn(const QString &name);
    void copySshCommand(const QString &name);
    void editHost(const QString &name);
    void listAliases(bool byAlias, const HostSpec *start);
    void saveHosts(const QList<HostSpec> &hosts);
    void startDemo();
    void tryDemo();
    [[nodiscard]] Result<QStringList> sshLineOf(const QString &name) const;
    void stop(int exitCode);

    ConsoleOptions m_options;
    std::unique_ptr<SingleInstance> m_instance;
    Theme m_theme;
    MainWindow m_window;
    StopSignals m_signals;
    AuditView m_audit;
    std::unique_ptr<DemoHosts> m_demo;
    std::unique_ptr<Fleet> m_fleet;
    std::unique_ptr<FleetBinding> m_binding;
    std::unique_ptr<HostEditor> m_editor;
    std::unique_ptr<HostRemover> m_remover;
    std::unique_ptr<HostTestBinding> m_test;
    std::unique_ptr<InventoryFollower> m_follower;
    std::unique_ptr<HostImporter> m_importer;
    std::unique_ptr<ServiceAdder> m_services;
    std::unique_ptr<ReclaimDesk> m_reclaims;
    std::unique_ptr<RunReminder> m_reminder;
    std::unique_ptr<IncidentExport> m_incidents;
    std::unique_ptr<UnitCheckDesk> m_unitCheck;
    std::unique_ptr<FirstHost> m_firstHost;
    std::unique_ptr<FleetPicture> m_picture;
    Background<AliasAnswer> m_aliases;
    Background<SaveAnswer> m_saves;
    int m_exitCode = 0;
    bool m_stopped = false;
};

} // namespace pilothouse
