// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/consoleoptions.h"

#include "core/base/statefolder.h"
#include "core/ssh/sshtarget.h"

#include <QCommandLineParser>
#include <QStandardPaths>
#include <QUuid>

#include <algorithm>
#include <cmath>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

void addOptions(QCommandLineParser &parser)
{
    parser.setApplicationDescription(u"Desktop console for GPU inference hosts."_s);
    parser.addPositionalArgument(u"target"_s, u"Host to open: a name of the inventory, an SSH alias or "
                                              "[user@]host[:port], with /SERVICE behind it if wanted."_s,
                                 u"[TARGET[/SERVICE]]"_s);
    const auto flag = [&](const char16_t *name, const char16_t *text) {
        parser.addOption({QString::fromUtf16(name), QString::fromUtf16(text)});
    };
    const auto value = [&](const char16_t *name, const char16_t *text, const char16_t *what) {
        parser.addOption({QString::fromUtf16(name), QString::fromUtf16(text), QString::fromUtf16(what)});
    };
    flag(u"demo", u"Open the console on simulated hosts.");
    value(u"config", u"Folder of hosts.toml.", u"DIR");
    value(u"ssh-config", u"SSH configuration in place of your own.", u"FILE");
    value(u"known-hosts", u"Known host keys in place of the configuration's.", u"FILE");
    value(u"identity", u"Key in place of the configuration's and the agent's.", u"FILE");
    flag(u"accept-new-host-key", u"Accept unknown host keys and store them; never changed ones.");
    value(u"timeout", u"Seconds for connecting, for signing in and for a snapshot, each.", u"SEC");
    value(u"sudo", u"never, nopasswd or ask, for all hosts.", u"POLICY");
    flag(u"read-only", u"Change nothing on any host.");
    value(u"theme", u"light or dark, whatever the desktop says.", u"NAME");
    value(u"screenshot", u"Wait for the first snapshots, save the window as PNG, print the fleet, quit.", u"FILE");
    flag(u"offscreen", u"Need no display.");
    flag(u"version", u"Print the version.");
    parser.addOption({{u"h"_s, u"help"_s}, u"Print this."_s});
}

Result<std::optional<SudoPolicy>> sudoOf(const QString &text)
{
    if (text.isEmpty())
        return std::optional<SudoPolicy>();
    if (text == "never"_L1)
        return std::optional(SudoPolicy::Never);
    if (text == "nopasswd"_L1)
        return std::optional(SudoPolicy::NoPassword);
    if (text == "ask"_L1)
        return std::optional(SudoPolicy::Ask);
    return fail(ErrorCode::Usage, u"--sudo takes never, nopasswd or ask."_s);
}

Result<std::optional<std::chrono::milliseconds>> timeoutOf(const QString &text)
{
    if (text.isEmpty())
        return std::optional<std::chrono::milliseconds>();
    bool isNumber = false;
    const double seconds = text.toDouble(&isNumber);
    constexpr double longest = 3600;
    if (!isNumber || !(seconds > 0) || seconds > longest)
        return fail(ErrorCode::Usage, u"--timeout takes seconds, above 0 and at most 3600."_s);
    return std::optional(std::chrono::milliseconds(std::llround(seconds * 1000)));
}

void splitTarget(const QString &text, ConsoleOptions &options)
{
    const qsizetype slash = text.indexOf(u'/');
    options.target = slash < 0 ? text : text.left(slash);
    options.service = slash < 0 ? QString() : text.mid(slash + 1);
}

} // namespace

Result<ConsoleOptions> parseConsoleOptions(const QStringList &arguments)
{
    QCommandLineParser parser;
    addOptions(parser);
    if (!parser.parse(arguments))
        return fail(ErrorCode::Usage, parser.errorText());
    ConsoleOptions options;
    if (parser.isSet(u"help"_s)) {
        // Without an application object Qt does not know the program's name.
        options.printAndExit = parser.helpText().replace(u"<executable_name>"_s, u"pilothouse"_s);
        return options;
    }
    if (parser.isSet(u"version"_s)) {
        options.printAndExit = u"pilothouse "_s + QStringLiteral(PILOTHOUSE_VERSION) + u'\n';
        return options;
    }
    const QStringList targets = parser.positionalArguments();
    if (targets.size() > 1)
        return fail(ErrorCode::Usage, u"One TARGET at most."_s);
    splitTarget(targets.value(0), options);
    options.demo = parser.isSet(u"demo"_s);
    options.offscreen = parser.isSet(u"offscreen"_s);
    options.readOnly = parser.isSet(u"read-only"_s);
    options.screenshot = parser.value(u"screenshot"_s);
    options.theme = parser.value(u"theme"_s);
    if (!options.theme.isEmpty() && options.theme != "light"_L1 && options.theme != "dark"_L1)
        return fail(ErrorCode::Usage, u"--theme takes light or dark."_s);
    options.configDir = parser.value(u"config"_s);
    if (options.configDir.isEmpty())
        options.configDir = QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + u"/pilothouse"_s;
    options.stateDir = stateFolder();
    options.fleet.sshConfigFile = parser.value(u"ssh-config"_s);
    options.fleet.knownHostsFile = parser.value(u"known-hosts"_s);
    options.fleet.identityFile = parser.value(u"identity"_s);
    options.fleet.acceptNewHostKey = parser.isSet(u"accept-new-host-key"_s);
    options.fleet.askPerson = options.screenshot.isEmpty();
    options.fleet.consoleId = QUuid::createUuid().toString(QUuid::Id128);
    const auto sudo = sudoOf(parser.value(u"sudo"_s));
    if (!sudo)
        return fail(sudo.error());
    options.fleet.sudo = *sudo;
    const auto timeout = timeoutOf(parser.value(u"timeout"_s));
    if (!timeout)
        return fail(timeout.error());
    options.fleet.timeout = *timeout;
    return options;
}

HostSpec hostFor(const QString &target, const QString &service, const QList<HostSpec> &known)
{
    const auto it = std::ranges::find(known, target, &HostSpec::name);
    if (it != known.end())
        return *it;
    HostSpec spec;
    spec.name = target;
    spec.ssh = target;
    if (!service.isEmpty()) {
        ServiceSpec typed;
        typed.name = service;
        typed.unit = service.contains(u'.') ? service : QString(service + u".service"_s);
        spec.services << typed;
    }
    return spec;
}

} // namespace pilothouse
