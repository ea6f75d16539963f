// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/commands/commandtable.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace pilothouse {

namespace {

#define T(text) QT_TRANSLATE_NOOP("Command", text)
constexpr std::array commands{
    Command{CommandId::AddHost, MenuId::Hosts, "hosts.add", T("&Add Host…"), u"Ctrl+N", Needs::Nothing},
    Command{CommandId::ImportHosts, MenuId::Hosts, "hosts.import", T("&Import…"), u"Ctrl+I",
            Needs::Nothing},
    Command{CommandId::TryDemo, MenuId::Hosts, "hosts.demo", T("Try the &Demo"), u"", Needs::Nothing, false, true},
    Command{CommandId::ShowAudit, MenuId::Hosts, "hosts.audit", T("Audi&t…"), u"Ctrl+Shift+A", Needs::Nothing, false,
            true},
    Command{CommandId::Quit, MenuId::Hosts, "hosts.quit", T("&Quit"), u"Ctrl+Q", Needs::Nothing, false, true},
    Command{CommandId::OpenTerminal, MenuId::Host, "host.terminal", T("Open &Terminal"), u"Ctrl+T", Needs::Host},
    Command{CommandId::CopySshCommand, MenuId::Host, "host.copySsh", T("Copy SSH &Command"), u"Ctrl+Shift+T",
            Needs::Host},
    Command{CommandId::TakeSnapshot, MenuId::Host, "host.snapshot", T("Take &Snapshot Now"), u"F5", Needs::Connected,
            false, true},
    Command{CommandId::RetryNow, MenuId::Host, "host.retry", T("&Retry Now"), u"Ctrl+R", Needs::Trouble},
    Command{CommandId::EditHost, MenuId::Host, "host.edit", T("&Edit…"), u"Ctrl+E", Needs::Host},
    Command{CommandId::RemoveHost, MenuId::Host, "host.remove", T("Remo&ve from This Console…"), u"Ctrl+Del",
            Needs::Host},
    Command{CommandId::FreeMemory, MenuId::Host, "host.free", T("&Free Memory…"), u"Ctrl+Shift+M", Needs::Reclaim,
            false, true},
    Command{CommandId::CheckUnit, MenuId::Host, "host.checkUnit", T("Check &Unit…"), u"Ctrl+Shift+U", Needs::Connected},
    Command{CommandId::ResetReadiness, MenuId::Host, "host.reset", T("Reset Read&iness…"), u"", Needs::Snapshot},
    Command{CommandId::ExportIncident, MenuId::Host, "host.incident", T("E&xport Incident…"), u"Ctrl+Shift+E",
            Needs::Snapshot},
    Command{CommandId::CopySummary, MenuId::Host, "host.copySummary", T("Copy Su&mmary"), u"Ctrl+Shift+C",
            Needs::Host, false, true},
    Command{CommandId::CopyTable, MenuId::Host, "host.copyTable", T("Copy &Process Table"), u"Ctrl+Shift+P",
            Needs::Snapshot},
    Command{CommandId::NextHost, MenuId::View, "view.nextHost", T("&Next Host"), u"Ctrl+PgDown", Needs::AnyHost},
    Command{CommandId::PreviousHost, MenuId::View, "view.previousHost", T("&Previous Host"), u"Ctrl+PgUp",
            Needs::AnyHost},
    Command{CommandId::FilterHosts, MenuId::View, "view.filterHosts", T("&Filter Hosts"), u"Ctrl+F", Needs::AnyHost,
            false, true},
    Command{CommandId::FilterProcesses, MenuId::View, "view.filterProcesses", T("Filter P&rocesses"),
            u"Ctrl+Shift+F", Needs::Snapshot},
    Command{CommandId::PausePlot, MenuId::View, "view.pausePlot", T("Pause P&lot"), u"Ctrl+P", Needs::Snapshot, true,
            true},
    Command{CommandId::PlotLive, MenuId::View, "view.plotLive", T("Plot Back to Li&ve"), u"Ctrl+L", Needs::Snapshot},
    Command{CommandId::Span5Minutes, MenuId::View, "view.span5min", T("Plot &5 Minutes"), u"Ctrl+1",
            Needs::Snapshot},
    Command{CommandId::Span1Hour, MenuId::View, "view.span1h", T("Plot 1 &Hour"), u"Ctrl+2", Needs::Snapshot},
    Command{CommandId::ThemeFollow, MenuId::View, "view.themeFollow", T("Colours as the &Desktop"), u"",
            Needs::Nothing, true, true},
    Command{CommandId::ThemeLight, MenuId::View, "view.themeLight", T("L&ight Colours"), u"", Needs::Nothing, true},
    Command{CommandId::ThemeDark, MenuId::View, "view.themeDark", T("D&ark Colours"), u"", Needs::Nothing, true},
    Command{CommandId::ShowKeys, MenuId::Help, "help.keys", T("&Keyboard Shortcuts"), u"F1", Needs::Nothing},
    Command{CommandId::About, MenuId::Help, "help.about", T("&About Pilothouse"), u"", Needs::Nothing},
};
#undef T

} // namespace

std::span<const Command> commandTable()
{
    return commands;
}

const Command &commandOf(CommandId id)
{
    return *std::ranges::find(commands, id, &Command::id);
}

QString titleOf(MenuId menu)
{
    switch (menu) {
    case MenuId::Hosts: return QCoreApplication::translate("Command", "&Hosts");
    case MenuId::Host: return QCoreApplication::translate("Command", "H&ost");
    case MenuId::View: return QCoreApplication::translate("Command", "&View");
    case MenuId::Help: return QCoreApplication::translate("Command", "H&elp");
    }
    return {};
}

} // namespace pilothouse
