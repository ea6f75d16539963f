// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of a unit that leave memory held, keep it from starting, or hide the GPUs from it.
#include "core/units/rulecontext.h"

#include "core/base/cleantext.h"
#include "core/base/quoting.h"
#include "core/units/expansion.h"
#include "core/units/shelltext.h"

#include <QRegularExpression>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Severity = UnitFinding::Severity;
using Way = UnitFinding::Way;
using std::chrono::microseconds;
using std::chrono::seconds;

UnitFinding replacing(const UnitLine &line, const QString &rule, Severity severity, const QString &text,
                      const QString &suggestion)
{
    UnitFinding finding = findingAt(line, rule, severity, text);
    finding.way = Way::Replace;
    finding.suggestion = suggestion;
    return finding;
}

/// It comes from no line of the unit: the manager's defaults.
UnitFinding adding(const QString &rule, Severity severity, const QString &text, const QString &suggestion)
{
    UnitFinding finding = findingAt(UnitLine{{}, 0, 0, u"Service"_s, {}, {}}, rule, severity, text);
    finding.way = Way::Add;
    finding.suggestion = suggestion;
    return finding;
}

std::optional<bool> booleanOf(QStringView value)
{
    static const QStringList yes{u"1"_s, u"yes"_s, u"y"_s, u"true"_s, u"t"_s, u"on"_s};
    static const QStringList no{u"0"_s, u"no"_s, u"n"_s, u"false"_s, u"f"_s, u"off"_s};
    const QString word = value.toString().toLower();
    return yes.contains(word) ? std::optional(true) : no.contains(word) ? std::optional(false) : std::nullopt;
}

void checkKill(const RuleContext &context, QList<UnitFinding> &found)
{
    const Severity severity = context.server.name.isEmpty() ? Severity::Warning : Severity::Error;
    const UnitLine *line = context.text.last(u"Service", {u"KillMode"_s});
    const QString mode = line ? line->value : context.facts.killMode;
    if (mode == u"process" || mode == u"none") {
        const QString text =
            u"With KillMode=%1 a stop leaves %2 running: they keep their GPU memory, and the next start finds it "
            "taken. mixed asks the main process to end, then ends all that is "
            "left."_s.arg(mode, mode == u"none" ? u"all processes of the unit"_s : u"all but the main process"_s);
        found += line ? replacing(*line, u"kill.mode"_s, severity, text, u"KillMode=mixed"_s)
                      : adding(u"kill.mode"_s, severity, text, u"KillMode=mixed"_s);
    }
    const UnitLine *sigkill = context.text.last(u"Service", {u"SendSIGKILL"_s});
    if (sigkill && booleanOf(sigkill->value) == std::optional(false))
        found += replacing(*sigkill, u"kill.no_sigkill"_s, severity,
                           u"Without SIGKILL whatever does not end at SIGTERM stays and keeps its GPU memory; the stop "
                           "gives up and the next start is refused."_s,
                           u"SendSIGKILL=yes"_s);
}

void checkReady(const RuleContext &context, QList<UnitFinding> &found)
{
    const UnitLine *line = context.text.last(u"Service", {u"Type"_s});
    if (!line || !line->value.startsWith(u"notify") || !context.server.neverNotifies)
        return;
    // A wrapper may tell in its place.
    for (const ExecEntry &entry : context.entries) {
        if (entry.line.value.contains(u"systemd-notify") || entry.line.value.contains(u"NOTIFY_SOCKET"))
            return;
    }
    found += replacing(*line, u"start.never_ready"_s, Severity::Error,
                       u"%1 never tells systemd that it is ready: the unit stays in \"activating\" and is ended after "
                       "%2 (TimeoutStartSec)."_s.arg(context.server.name, timeSpanText(context.timeoutStart)),
                       u"Type=exec"_s);
}

/// Commands that set something up and do not say no.
bool canSayNo(const ExecCommand &command)
{
    static const QStringList tame{u"mkdir"_s, u"install"_s, u"rm"_s,     u"chmod"_s,  u"chown"_s,
                                  u"chgrp"_s, u"touch"_s,   u"ln"_s,     u"sleep"_s,  u"echo"_s,
                                  u"true"_s,  u"cp"_s,      u"logger"_s, u"docker"_s, u"podman"_s};
    if (command.mayFail() || tame.contains(command.words.first().baseName().toString()))
        return false;
    const qsizetype script = shellTextOf(command);
    if (script < 0)
        return true;
    const QList<ShellCommand> parts = shellCommands(command.words.at(script).text);
    return std::ranges::any_of(
        parts, [](const ShellCommand &part) { return part.program() >= 0 && !tame.contains(part.programName()); });
}

std::optional<microseconds> spanOf(const RuleContext &context, const QString &section, const QStringList &keys)
{
    const UnitLine *line = context.text.last(section, keys);
    return line ? parseTimeSpan(line->value) : std::nullopt;
}

void checkStartLimit(const RuleContext &context, QList<UnitFinding> &found)
{
    const UnitLine *restart = context.text.last(u"Service", {u"Restart"_s});
    const QString when = restart ? restart->value : context.facts.restart;
    if (when != u"always" && when != u"on-failure" && when != u"unless-stopped")
        return;
    const auto before = std::ranges::find_if(context.entries, [](const ExecEntry &entry) {
        return entry.line.key == u"ExecStartPre" && std::ranges::any_of(entry.exec.commands, canSayNo);
    });
    if (before == context.entries.end())
        return;
    const QStringList intervals{u"StartLimitIntervalSec"_s, u"StartLimitInterval"_s};
    const microseconds interval = spanOf(context, u"Unit"_s, intervals)
                                      .value_or(spanOf(context, u"Service"_s, {u"StartLimitInterval"_s})
                                                    .value_or(context.facts.startLimitInterval.value_or(seconds(10))));
    const UnitLine *burstLine = context.text.last(u"Unit", {u"StartLimitBurst"_s});
    const int burst = burstLine ? burstLine->value.toInt() : context.facts.startLimitBurst.value_or(5);
    const UnitLine *delayLine = context.text.last(u"Service", {u"RestartSec"_s});
    const microseconds delay = spanOf(context, u"Service"_s, {u"RestartSec"_s})
                                   .value_or(context.facts.restartDelay.value_or(std::chrono::milliseconds(100)));
    if (burst <= 0 || delay >= seconds(5) || interval.count() == 0 || delay * burst >= interval)
        return;
    const QString text =
        u"When the command before the start says no, systemd tries again after %1, %2 times within %3, and then no "
        "more: \"start request repeated too quickly\", until somebody resets it."_s.arg(timeSpanText(delay))
            .arg(burst)
            .arg(timeSpanText(interval));
    // So slow that the limit is never met.
    const microseconds slow =
        std::max<microseconds>(seconds(10), interval == endlessTime ? seconds(10) : interval / burst + seconds(1));
    const QString suggestion = u"RestartSec="_s + timeSpanText(seconds((slow.count() + 999'999) / 1'000'000));
    UnitFinding finding = delayLine ? replacing(*delayLine, u"start.limit"_s, Severity::Warning, text, suggestion)
                                    : findingAt(before->line, u"start.limit"_s, Severity::Warning, text);
    finding.suggestion = suggestion;
    if (!delayLine)
        finding.way = Way::Add;
    found += finding;
}

void checkReload(const RuleContext &context, QList<UnitFinding> &found)
{
    if (!context.facts.needDaemonReload)
        return;
    UnitFinding finding;
    finding.rule = u"unit.reload_needed"_s;
    finding.text = u"The file was changed after systemd read it: a start still runs the old text. A reload makes the "
                   "new one count; on a host with GPU containers it can cut them off from their GPUs."_s;
    finding.file = cleanLine(context.facts.paths.value(0), 1024);
    finding.way = Way::Run;
    finding.suggestion = context.facts.user ? u"systemctl --user daemon-reload"_s : u"systemctl daemon-reload"_s;
    found += finding;
}

/// A path below /tmp that others are to reach too.
QString sharedPathIn(const QString &value)
{
    static const QRegularExpression pattern(
        u"(?:--(?:uds|unix-socket|socket|socket-path)[= ]|unix:(?://)?|ipc://|CUDA_MPS_PIPE_DIRECTORY=|--host[= "
        "]\\S*(?=/))[\"']?(/(?:var/)?tmp/[^\\s\"']*)|(/(?:var/)?tmp/[^\\s\"']*\\.sock)\\b"_s);
    const QRegularExpressionMatch match = pattern.match(value);
    return match.captured(match.lastCapturedIndex());
}

void checkPrivateTmp(const RuleContext &context, QList<UnitFinding> &found)
{
    const UnitLine *line = context.text.last(u"Service", {u"PrivateTmp"_s});
    const bool isPrivate = line ? booleanOf(line->value).value_or(false) : context.facts.privateTmp.value_or(false);
    if (!isPrivate)
        return;
    for (const QString &key : {u"ExecStart"_s, u"Environment"_s}) {
        for (const UnitLine &user : context.text.listOf(u"Service", key)) {
            const QString path = sharedPathIn(user.value);
            if (path.isEmpty())
                continue;
            const QString text = u"With PrivateTmp=yes the unit has a /tmp of its own: nobody else sees %1, and what "
                                 "others put there is not in it."_s.arg(shown(path));
            found += line ? replacing(*line, u"tmp.private_socket"_s, Severity::Warning, text, u"PrivateTmp=no"_s)
                          : adding(u"tmp.private_socket"_s, Severity::Warning, text, u"PrivateTmp=no"_s);
            return;
        }
    }
}

bool mayOpen(const DeviceAccess &device, qint64 uid, const QList<qint64> &gids)
{
    if (uid == 0)
        return true;
    const quint32 needed = 6; // read and write
    const quint32 granted = device.uid == uid           ? device.mode >> 6
                            : gids.contains(device.gid) ? device.mode >> 3
                                                        : device.mode;
    return (granted & needed) == needed;
}

void checkAccess(const RuleContext &context, QList<UnitFinding> &found)
{
    const UnitLine *user = context.text.last(u"Service", {u"User"_s});
    if (!user || !context.facts.uid)
        return;
    QStringList groups;
    for (const QString &key : {u"SupplementaryGroups"_s, u"Group"_s}) {
        for (const UnitLine &line : context.text.listOf(u"Service", key)) {
            for (const ExecWord &word : readWords(line.value))
                groups += word.text;
        }
    }
    for (const DeviceAccess &device : context.facts.devices) {
        if (groups.contains(device.group) || mayOpen(device, *context.facts.uid, context.facts.gids))
            continue;
        const bool byGroup = (device.mode >> 3 & 6U) == 6 && !device.group.isEmpty() && device.group != u"root";
        UnitFinding finding = findingAt(*user, u"device.no_access"_s, Severity::Error,
                                        u"The account %1 may not open %2 (mode %3, group %4): the server finds no "
                                        "GPU."_s.arg(shown(user->value), device.path, QString::number(device.mode, 8),
                                                     device.group.isEmpty() ? u"unknown"_s : device.group));
        if (byGroup) {
            finding.way = Way::Add;
            finding.suggestion = u"SupplementaryGroups="_s + device.group;
        } else {
            finding.way = Way::Run;
            finding.suggestion = u"chmod 0666 "_s + shellQuoted(device.path);
        }
        found += finding;
        return; // its like need no word each
    }
}

} // namespace

QList<UnitFinding> checkSettings(const RuleContext &context)
{
    QList<UnitFinding> found;
    checkReload(context, found);
    checkKill(context, found);
    checkReady(context, found);
    checkStartLimit(context, found);
    checkPrivateTmp(context, found);
    return found;
}

QList<UnitFinding> checkDevices(const RuleContext &context)
{
    QList<UnitFinding> found;
    if (!context.usesGpu)
        return found;
    const UnitLine *line = context.text.last(u"Service", {u"PrivateDevices"_s});
    const bool hidden = line ? booleanOf(line->value).value_or(false) : context.facts.privateDevices.value_or(false);
    if (hidden) {
        const QString text = u"With PrivateDevices=yes the unit has a /dev without NVIDIA's nodes: the server finds no "
                             "GPU."_s;
        found += line ? replacing(*line, u"device.private"_s, Severity::Error, text, u"PrivateDevices=no"_s)
                      : adding(u"device.private"_s, Severity::Error, text, u"PrivateDevices=no"_s);
    }
    checkAccess(context, found);
    return found;
}

} // namespace pilothouse
