// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commandtable.h"

#include "app/ctl/evidencecommand.h"
#include "app/ctl/holderscommand.h"
#include "app/ctl/hostscommand.h"
#include "app/ctl/reclaimcommand.h"
#include "app/ctl/restartcommand.h"
#include "app/ctl/snapshotcommand.h"
#include "app/ctl/statuscommand.h"
#include "app/ctl/testcommand.h"
#include "app/ctl/unitcheckcommand.h"
#include "core/fleet/inventoryreader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr double longestSeconds = 86'400;

QString takeSeconds(std::optional<std::chrono::milliseconds> &into, const QString &value, double least)
{
    bool isNumber = false;
    const double seconds = value.toDouble(&isNumber);
    if (!isNumber || !std::isfinite(seconds) || seconds < least || seconds > longestSeconds)
        return u"a number of seconds from %1 to %2"_s.arg(least).arg(longestSeconds, 0, 'f', 0);
    into = std::chrono::milliseconds(qRound64(seconds * 1000));
    return {};
}

template <class T>
QString takeWord(T &into, const QString &value, std::initializer_list<std::pair<const char16_t *, T>> words)
{
    QStringList all;
    for (const auto &[word, meaning] : words) {
        if (value == QStringView(word)) {
            into = meaning;
            return {};
        }
        all += QString::fromUtf16(word);
    }
    return all.join(u", "_s);
}

template <bool Options::*Flag>
QString takeFlag(Options &options, const QString &)
{
    options.*Flag = true;
    return {};
}

template <QString Options::*Text>
QString takeText(Options &options, const QString &value)
{
    if (value.isEmpty())
        return u"a path"_s;
    options.*Text = value;
    return {};
}

constexpr std::array commonOptions{
    OptionRow{u"--json", u"", u"print JSON instead of tables", takeFlag<&Options::json>},
    OptionRow{u"--config", u"DIR", u"folder of hosts.toml", takeText<&Options::configDir>},
    OptionRow{u"--ssh-config", u"FILE", u"SSH configuration to use instead of your own",
              takeText<&Options::sshConfigFile>},
    OptionRow{u"--known-hosts", u"FILE", u"known host keys, instead of the configured files",
              takeText<&Options::knownHostsFile>},
    OptionRow{u"--identity", u"FILE", u"private key, instead of the configured ones and the agent's",
              takeText<&Options::identityFile>},
    OptionRow{u"--accept-new-host-key", u"", u"accept and store an unknown host key; never a changed or revoked one",
              takeFlag<&Options::acceptNewHostKey>},
    OptionRow{u"--timeout", u"SEC", u"limit for connecting, for signing in and for one snapshot",
              [](Options &options, const QString &value) { return takeSeconds(options.timeout, value, 0.1); }},
    OptionRow{u"--sudo", u"never|nopasswd|ask", u"how to become root on the host",
              [](Options &options, const QString &value) {
                  return takeWord<std::optional<SudoPolicy>>(options.sudo, value,
                                                             {{u"never", SudoPolicy::Never},
                                                              {u"nopasswd", SudoPolicy::NoPassword},
                                                              {u"ask", SudoPolicy::Ask}});
              }},
    OptionRow{u"--read-only", u"", u"refuse whatever would change a host", takeFlag<&Options::readOnly>},
    OptionRow{u"--color", u"auto|always|never", u"colours in tables",
              [](Options &options, const QString &value) {
                  return takeWord<ColorMode>(
                      options.color, value,
                      {{u"auto", ColorMode::Auto}, {u"always", ColorMode::Always}, {u"never", ColorMode::Never}});
              }},
    OptionRow{u"--version", u"", u"print the version", takeFlag<&Options::version>},
    OptionRow{u"--help", u"", u"print this help; also -h, and help [COMMAND]", takeFlag<&Options::help>},
};

QString takeUnit(Options &options, const QString &value)
{
    const auto name = fullUnitName(value);
    if (!name)
        return u"the name of a systemd unit"_s;
    if (!options.units.contains(*name))
        options.units += *name;
    return {};
}

/// Of commands that narrow to one.
QString takeOneUnit(Options &options, const QString &value)
{
    options.units.clear();
    return takeUnit(options, value);
}

constexpr std::array snapshotOptions{
    OptionRow{u"--unit", u"U", u"systemd unit to report with its processes; may be given several times", takeUnit},
    OptionRow{u"--deep", u"", u"also device descriptors of every process, listening ports, /dev/shm, kernel log",
              takeFlag<&Options::deep>},
    OptionRow{u"--watch", u"SEC", u"take one every SEC seconds, and reconnect when the connection is lost",
              [](Options &options, const QString &value) { return takeSeconds(options.watch, value, 0.1); }},
    OptionRow{u"--count", u"N", u"with --watch: end after N",
              [](Options &options, const QString &value) {
                  bool isNumber = false;
                  const int count = value.toInt(&isNumber);
                  if (!isNumber || count < 1)
                      return u"a whole number from 1"_s;
                  options.count = count;
                  return QString();
              }},
};

constexpr int anyNumber = 100'000;

constexpr std::array statusOptions{
    OptionRow{u"--tag", u"T", u"hosts of the inventory with this tag; several: with any of them",
              [](Options &options, const QString &value) {
                  if (value.isEmpty())
                      return u"a tag"_s;
                  options.tags += value;
                  return QString();
              }},
    OptionRow{u"--all", u"", u"all hosts of the inventory, as without any TARGET and tag", takeFlag<&Options::all>},
};

constexpr std::array holdersOptions{
    OptionRow{u"--unit", u"U", u"only this systemd unit's own processes, and leftovers on the GPUs that it uses", takeOneUnit},
};

constexpr std::array unitOptions{
    OptionRow{u"--user", u"", u"a unit of the person's own manager, not the system's", takeFlag<&Options::userUnit>},
};

constexpr std::array evidenceOptions{
    OptionRow{u"--unit", u"U", u"this systemd unit's text, state and log; else the first family's", takeOneUnit},
    OptionRow{u"-o", u"FILE", u"where to write it, a .tar.gz", takeText<&Options::file>},
};

/// A whole number from 0.
template <class T>
std::optional<T> wholeNumber(QStringView text)
{
    bool isNumber = false;
    const qulonglong number = text.toULongLong(&isNumber);
    if (!isNumber || !text.at(0).isDigit() || !std::in_range<T>(number))
        return std::nullopt;
    return T(number);
}

constexpr OptionRow belowOption{u"--below", u"MIB", u"done only when each GPU concerned is below this",
              [](Options &options, const QString &value) {
                  options.belowMib = wholeNumber<qint64>(value);
                  return options.belowMib ? QString() : u"a whole number of MiB"_s;
              }};
constexpr OptionRow graceOption{u"--grace", u"SEC", u"time between SIGTERM and SIGKILL",
              [](Options &options, const QString &value) { return takeSeconds(options.grace, value, 0); }};
constexpr OptionRow noEvidenceOption{u"--no-evidence", u"", u"keep nothing of the processes for a post-mortem", takeFlag<&Options::noEvidence>};
constexpr OptionRow dryRunOption{u"--dry-run", u"", u"print what would be done, the exact scripts and the plan's id; change nothing",
              takeFlag<&Options::dryRun>};
constexpr OptionRow yesOption{u"--yes", u"", u"do it without asking", takeFlag<&Options::yes>};
constexpr OptionRow planOption{u"--plan", u"ID", u"with --yes: only if the plan is still the one with this id",
              [](Options &options, const QString &value) {
                  static constexpr QStringView digits = u"0123456789abcdef";
                  if (value.size() != 12 || !std::ranges::all_of(value, [](QChar c) { return digits.contains(c); }))
                      return u"the id that --dry-run prints"_s;
                  options.plan = value;
                  return QString();
              }};

constexpr std::array reclaimOptions{
    OptionRow{u"--unit", u"U", u"only this systemd unit's own leftovers, and those on the GPUs that it uses", takeOneUnit},
    OptionRow{u"--gpu", u"N", u"only families that hold memory on this GPU; may be given several times",
              [](Options &options, const QString &value) {
                  const auto gpu = wholeNumber<int>(value);
                  if (!gpu)
                      return u"the index of a GPU"_s;
                  options.gpus += *gpu;
                  return QString();
              }},
    OptionRow{u"--include", u"PID:START", u"the family of this process too, though it is not ended by default (see holders)",
              [](Options &options, const QString &value) {
                  const auto pid = wholeNumber<qint64>(value.section(u':', 0, 0));
                  const auto start = wholeNumber<quint64>(value.section(u':', 1));
                  if (!pid || !start || *pid <= 1)
                      return u"PID:START, as holders prints pid and start_ticks"_s;
                  options.include += ProcessIdentity{Pid{*pid}, StartTicks{*start}};
                  return QString();
              }},
    belowOption,
    graceOption,
    OptionRow{u"--clean-shm", u"", u"also remove files of /dev/shm that only they used, when that is proved (needs root)",
              takeFlag<&Options::cleanShm>},
    noEvidenceOption,
    dryRunOption,
    yesOption,
    planOption,
};

constexpr std::array restartOptions{
    OptionRow{u"--health", u"URL", u"asked on the host whether it serves, instead of what its command line says",
              [](Options &options, const QString &value) {
                  options.health = value;
                  return value.startsWith(u"http://"_s) || value.startsWith(u"https://"_s) ? QString() : u"an http or https URL"_s;
              }},
    OptionRow{u"--model", u"ID", u"the model that it has to list", takeText<&Options::model>},
    belowOption,
    graceOption,
    noEvidenceOption,
    dryRunOption,
    yesOption,
    planOption,
    OptionRow{u"--continue", u"", u"go on with the restart that was cut off with its program", takeFlag<&Options::goOn>},
};


template <class T>
std::unique_ptr<Command> make(const CommandContext &context)
{
    return std::make_unique<T>(context);
}

constexpr std::array commands{
    CommandRow{u"status", u"[TARGET...] [--tag T]... [--all]", u"one line a service: its state and GPU memory", 0,
               anyNumber, statusOptions, make<StatusCommand>},
    CommandRow{u"snapshot", u"TARGET [--unit U]... [--deep] [--watch SEC [--count N]]",
               u"GPUs, their processes and units of a host, at one moment", 1, 1, snapshotOptions,
               make<SnapshotCommand>},
    CommandRow{u"holders", u"TARGET [--unit U]", u"who holds the GPU memory, and why", 1, 1, holdersOptions,
               make<HoldersCommand>},
    CommandRow{u"reclaim",
               u"TARGET [--unit U] [--gpu N]... [--include PID:START]... [--below MIB] [--grace SEC] [--clean-shm] [--no-evidence] [--dry-run | --yes [--plan ID]]",
               u"free GPU memory that leftovers hold", 1, 1, reclaimOptions, make<ReclaimCommand>},
    CommandRow{u"restart",
               u"TARGET U [--health URL] [--model ID] [--below MIB] [--grace SEC] [--dry-run | --yes [--plan ID]] | TARGET --continue",
               u"restart a unit, with proof that it serves", 1, 2, restartOptions, make<RestartCommand>},
    CommandRow{u"unit", u"TARGET U check [--user]", u"what will go wrong with a systemd unit, and the lines that would not",
               3, 3, unitOptions, make<UnitCheckCommand>},
    CommandRow{u"evidence", u"TARGET [--unit U] -o FILE.tar.gz", u"what a post-mortem needs, without its secrets", 1, 1,
               evidenceOptions, make<EvidenceCommand>},
    CommandRow{u"test", u"TARGET", u"reach a host step by step, and say which step fails", 1, 1, {},
               make<TestCommand>},
    CommandRow{u"history", u"TARGET [--since 1h] [--format csv|json]", u"recorded figures", 0, 0, {}, nullptr},
    CommandRow{u"hosts", u"", u"the hosts of the inventory", 0, 0, {}, make<HostsCommand>},
};

} // namespace

std::span<const CommandRow> commandRows()
{
    return commands;
}

std::span<const OptionRow> commonOptionRows()
{
    return commonOptions;
}

const CommandRow *findCommand(QStringView name)
{
    const auto at = std::ranges::find_if(commands, [&](const CommandRow &row) { return name == QStringView(row.name); });
    return at == commands.end() ? nullptr : &*at;
}

} // namespace pilothouse
