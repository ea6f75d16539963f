// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/hosteditor.h"

#include "app/console/fleetbinding.h"
#include "ui/dialogs/edithostdialog.h"
#include "ui/text/errortext.h"
#include "ui/window/mainwindow.h"

#include <QDesktopServices>
#include <QUrl>

#include <algorithm>

namespace pilothouse {

HostEditor::HostEditor(const Theme &theme, MainWindow &window, FleetBinding &binding, QString configDir, bool readOnly,
                       QObject *parent)
    : QObject(parent)
    , m_theme(theme)
    , m_window(window)
    , m_binding(binding)
    , m_configDir(std::move(configDir))
    , m_readOnly(readOnly)
    , m_texts([this](const Result<HostText> &text) { begin(text); })
    , m_saves([this](const Saved &saved) { finish(saved); })
{
}

void HostEditor::edit(const QString &name)
{
    const HostData *host = m_window.store().find(name);
    if (!host || m_dialog)
        return;
    if (isReadOnly(host->spec.origin))
        open(host->spec);
    else
        m_texts.run([folder = m_configDir, name] { return readHostText(folder, name); });
}

void HostEditor::begin(const Result<HostText> &text)
{
    if (!text) {
        m_window.showFailure(tr("Edit Host"), paragraphOf(text.error()));
        return;
    }
    if (m_dialog)
        return;
    m_text = *text;
    open(text->spec);
}

void HostEditor::open(const HostSpec &host)
{
    QStringList taken = m_window.store().names();
    taken.removeAll(host.name);
    m_dialog = new EditHostDialog(m_theme, host, taken, &m_window);
    connect(m_dialog, &EditHostDialog::submitted, this, &HostEditor::save);
    connect(m_dialog, &EditHostDialog::fileRequested, this, &HostEditor::openFile);
    m_dialog->open();
}

void HostEditor::openFile(const QString &file)
{
    if (!QDesktopServices::openUrl(QUrl::fromLocalFile(file)))
        m_window.showFailure(tr("Open File"), tr("No program opens %1; edit it by hand.").arg(file));
}

void HostEditor::save(const HostSpec &host)
{
    m_saves.run([dialog = m_dialog, folder = m_configDir, text = m_text, host] {
        Saved saved{dialog, text.spec.name, host, {}, {}};
        const Result<Inventory> changed = changeHost(folder, text, host);
        if (changed) {
            saved.host = *std::ranges::find(changed->hosts, host.name, &HostSpec::name);
            return saved;
        }
        saved.failure = changed.error();
        const Result<HostText> now = readHostText(folder, text.spec.name);
        if (now && now->lines != text.lines)
            saved.now = *now;
        return saved;
    });
}

void HostEditor::finish(const Saved &saved)
{
    if (saved.failure) {
        const QString text = paragraphOf(*saved.failure);
        if (!saved.dialog) {
            m_window.showFailure(tr("Edit Host"), text);
        } else if (saved.now) {
            m_text = *saved.now;
            saved.dialog->rebase(saved.now->spec,
                                 text + u'\n'
                                     + tr("Your own changes are kept here, all else is as the file has it now. "
                                          "Save again to write them."));
        } else {
            saved.dialog->showFailure(text);
        }
        return;
    }
    if (saved.dialog)
        saved.dialog->accept();
    HostSpec host = saved.host;
    if (m_readOnly)
        host.access = Access::ReadOnly;
    const bool wasChosen = m_window.currentHost() == saved.name;
    if (host.name != saved.name)
        m_binding.removeHost(saved.name);
    m_binding.changeHost(host);
    if (wasChosen)
        m_window.openHost(host.name);
}

} // namespace pilothouse
