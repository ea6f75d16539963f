// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Takes hosts over from the SSH configuration or an Ansible inventory: reads the lists and writes the import beside the
// GUI thread, and shows the dialog in between. GUI thread; owned by Console.

#include "core/base/background.h"
#include "core/fleet/imports/importfile.h"
#include "core/fleet/imports/importsources.h"

#include <QObject>
#include <QPointer>

namespace pilothouse {

class FleetBinding;
class ImportDialog;
class MainWindow;
class Theme;

class HostImporter final : public QObject
{
    Q_OBJECT
public:
    HostImporter(const Theme &theme, MainWindow &window, FleetBinding &binding, QString configDir,
                 QString sshConfigFile, QObject *parent = nullptr);

private:
    struct Reading
    {
        int number = 0; ///< an older one comes too late
        Result<ImportList> list;
    };

    struct Saved
    {
        QPointer<ImportDialog> dialog; ///< that asked for it; another may be open by now. GUI thread alone
        QString name;                  ///< of the import
        Result<Inventory> inventory;
    };

    void open();
    void read(const std::function<Result<ImportList>()> &source);
    void show(const Reading &reading);
    void save(const QList<HostSpec> &hosts);
    void finish(const Saved &saved);

    const Theme &m_theme;
    MainWindow &m_window;
    FleetBinding &m_binding;
    QString m_configDir;
    QString m_sshConfigFile;
    ImportList m_list; ///< that the dialog shows
    QPointer<ImportDialog> m_dialog;
    int m_readings = 0;
    Background<Reading> m_lists;
    Background<Saved> m_saves;
};

} // namespace pilothouse
