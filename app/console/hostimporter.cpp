// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/hostimporter.h"

#include "app/console/fleetbinding.h"
#include "ui/dialogs/importdialog.h"
#include "ui/text/errortext.h"
#include "ui/window/mainwindow.h"

#include <QDir>

namespace pilothouse {

HostImporter::HostImporter(const Theme &theme, MainWindow &window, FleetBinding &binding, QString configDir,
                           QString sshConfigFile, QObject *parent)
    : QObject(parent)
    , m_theme(theme)
    , m_window(window)
    , m_binding(binding)
    , m_configDir(std::move(configDir))
    , m_sshConfigFile(std::move(sshConfigFile))
    , m_lists([this](const Reading &reading) { show(reading); })
    , m_saves([this](const Saved &saved) { finish(saved); })
{
    connect(&window, &MainWindow::importRequested, this, &HostImporter::open);
}

void HostImporter::open()
{
    if (m_dialog) {
        m_dialog->raise();
        return;
    }
    auto *dialog = new ImportDialog(m_theme, &m_window);
    m_dialog = dialog;
    const auto readSsh = [this] {
        read([file = m_sshConfigFile]() -> Result<ImportList> {
            return importSsh(SshConfigRoots::of(file, QDir::homePath()));
        });
    };
    connect(dialog, &ImportDialog::sshWanted, this, readSsh);
    connect(dialog, &ImportDialog::ansibleWanted, this,
            [this](const QString &path) { read([path] { return importAnsible(path); }); });
    connect(dialog, &ImportDialog::submitted, this, &HostImporter::save);
    dialog->open();
    readSsh();
}

void HostImporter::read(const std::function<Result<ImportList>()> &source)
{
    m_lists.run([number = ++m_readings, source] { return Reading{number, source()}; });
}

void HostImporter::show(const Reading &reading)
{
    if (!m_dialog || reading.number != m_readings)
        return;
    const Result<ImportList> &list = reading.list;
    if (!list) {
        m_dialog->showList({}, {}, {});
        m_dialog->showFailure(paragraphOf(list.error()));
        return;
    }
    m_list = *list;
    const QString file = importFileOf(m_configDir, m_list.name);
    QHash<QString, QString> taken;
    QStringList before;
    for (const QString &name : m_window.store().names()) {
        const HostSpec &spec = m_window.store().find(name)->spec;
        if (spec.source == file)
            before << name;
        else
            taken.insert(name, spec.source.isEmpty() ? tr("this window") : spec.source);
    }
    m_dialog->showList(m_list, taken, before);
}

void HostImporter::save(const QList<HostSpec> &hosts)
{
    m_saves.run([dialog = m_dialog, folder = m_configDir, list = m_list, hosts] {
        return Saved{dialog, list.name, writeImport(folder, list.name, list.source, hosts)};
    });
}

void HostImporter::finish(const Saved &saved)
{
    if (!saved.inventory) {
        const QString text = paragraphOf(saved.inventory.error());
        if (saved.dialog)
            saved.dialog->showFailure(text);
        else
            m_window.showFailure(tr("Import Hosts"), text);
        return;
    }
    const QString file = importFileOf(m_configDir, saved.name);
    QStringList kept;
    for (const HostSpec &host : saved.inventory->hosts) {
        if (host.source == file) {
            m_binding.changeHost(host);
            kept << host.name;
        }
    }
    for (const QString &name : m_window.store().names()) { // imported before, and no longer
        if (m_window.store().find(name)->spec.source == file && !kept.contains(name))
            m_binding.removeHost(name);
    }
    if (saved.dialog)
        saved.dialog->accept();
}

} // namespace pilothouse
