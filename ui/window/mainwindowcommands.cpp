// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands of the main window do, and when they are enabled.
#include "ui/window/mainwindow.h"

#include "core/diagnosis/resetreadiness.h"
#include "ui/commands/commandset.h"
#include "ui/dialogs/textdialog.h"
#include "ui/host/hostpage.h"
#include "ui/host/hostsummary.h"
#include "ui/host/processpanel.h"
#include "ui/plots/plotpanel.h"
#include "ui/text/formatter.h"
#include "ui/theme/theme.h"
#include "ui/window/hostlist.h"

#include <QAction>
#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

void MainWindow::onCommand(CommandId id, bool checked)
{
    const QString name = currentHost();
    switch (id) {
    case CommandId::AddHost: emit addHostRequested(false); return;
    case CommandId::ImportHosts: emit importRequested(); return;
    case CommandId::TryDemo: emit demoRequested(); return;
    case CommandId::ShowAudit: emit auditRequested(); return;
    case CommandId::Quit: close(); return;
    case CommandId::OpenTerminal: emit terminalRequested(name); return;
    case CommandId::CopySshCommand: emit sshCommandRequested(name); return;
    case CommandId::TakeSnapshot: emit snapshotRequested(name); return;
    case CommandId::RetryNow: emit retryRequested(name); return;
    case CommandId::EditHost: emit editRequested(name); return;
    case CommandId::RemoveHost: emit removeRequested(name); return;
    case CommandId::FreeMemory: pageOf(name)->reclaim(); return;
    case CommandId::ExportIncident: emit incidentRequested(name); return;
    case CommandId::CheckUnit: emit unitCheckRequested(name); return;
    case CommandId::ResetReadiness: showResetReadiness(); return;
    case CommandId::CopySummary:
        if (const HostData *host = m_store->find(name))
            QGuiApplication::clipboard()->setText(summaryText(*host, m_store->now()));
        return;
    case CommandId::CopyTable: QGuiApplication::clipboard()->setText(pageOf(name)->processPanel()->text()); return;
    case CommandId::NextHost: m_list->step(1); return;
    case CommandId::PreviousHost: m_list->step(-1); return;
    case CommandId::FilterHosts: m_list->focusFilter(); return;
    case CommandId::FilterProcesses: pageOf(name)->processPanel()->focusFilter(); return;
    case CommandId::PausePlot:
    case CommandId::PlotLive:
    case CommandId::Span5Minutes:
    case CommandId::Span1Hour: onPlotCommand(id, checked); return;
    case CommandId::ThemeFollow:
    case CommandId::ThemeLight:
    case CommandId::ThemeDark: onThemeCommand(id); return;
    case CommandId::ShowKeys:
    case CommandId::About: onHelpCommand(id); return;
    }
}

void MainWindow::onPlotCommand(CommandId id, bool checked)
{
    PlotPanel *panel = pageOf(currentHost())->plotPanel();
    switch (id) {
    case CommandId::PausePlot: panel->plot()->setPaused(checked); return;
    case CommandId::PlotLive: panel->plot()->backToLive(); return;
    case CommandId::Span5Minutes: panel->setSpan(5min); return;
    default: panel->setSpan(1h); return;
    }
}

void MainWindow::onThemeCommand(CommandId id)
{
    m_theme.setMode(id == CommandId::ThemeLight      ? Theme::Mode::Light
                        : id == CommandId::ThemeDark ? Theme::Mode::Dark
                                                     : Theme::Mode::Follow);
}

void MainWindow::onHelpCommand(CommandId id)
{
    if (id == CommandId::ShowKeys) {
        showText(this, u"keysDialog"_s, tr("Keyboard Shortcuts"), keyTable());
        return;
    }
    showText(this, u"aboutDialog"_s, tr("About Pilothouse"),
             tr("Pilothouse %1\nA desktop console for GPU inference hosts.\n\nGPL-3.0-or-later, without any warranty.")
                 .arg(QCoreApplication::applicationVersion()));
}

void MainWindow::showResetReadiness()
{
    const HostData *host = m_store->find(currentHost());
    if (!host || !host->snapshot)
        return;
    // A deep look knows who has a card open; without one the last snapshot says what it can.
    static const Diagnosis none;
    const Snapshot &seen = host->findings ? *host->findings->snapshot : *host->snapshot;
    const QStringList lines = resetLines(seen, host->findings ? host->findings->diagnosis : none);
    const QString age = format::utcAndAge(seen.takenAt, m_store->now());
    showText(this, u"resetDialog"_s, tr("Reset Readiness of %1").arg(host->spec.name),
             tr("Seen %1").arg(age) + u"\n\n"_s + lines.join(u'\n'));
}

void MainWindow::updateCommands()
{
    using Phase = LinkState::Phase;
    CommandContext context;
    context.anyHost = !m_store->names().isEmpty();
    if (const HostData *host = m_store->find(currentHost())) {
        context.host = true;
        context.snapshot = host->snapshot != nullptr;
        context.connected = host->isConnected();
        const auto wantsSudo = [](const Problem &problem) { return problem.code.startsWith("host.sudo_"_L1); };
        context.trouble = host->state.phase == Phase::Retrying || host->state.phase == Phase::Stopped
            || (host->snapshot && std::ranges::any_of(host->snapshot->problems, wantsSudo));
    }
    if (const HostPage *page = m_pageByName.value(currentHost()))
        context.reclaim = page->canReclaim();
    m_commands->setContext(context);
    const CommandId mode = m_theme.mode() == Theme::Mode::Light ? CommandId::ThemeLight
        : m_theme.mode() == Theme::Mode::Dark                   ? CommandId::ThemeDark
                                                                : CommandId::ThemeFollow;
    m_commands->action(mode)->setChecked(true);
    if (HostPage *page = m_pageByName.value(currentHost())) {
        const bool paused = page->plotPanel()->plot()->view() == MemoryPlot::View::Paused;
        m_commands->action(CommandId::PausePlot)->setChecked(paused);
    }
}

} // namespace pilothouse
