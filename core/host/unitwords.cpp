// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/host/unitwords.h"

#include <algorithm>
#include <array>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// Numbers of Linux on x86 and ARM.
QString nameOfSignal(int number)
{
    struct Row
    {
        int number;
        const char16_t *name;
    };
    static constexpr std::array rows{
        Row{1, u"SIGHUP"},   Row{2, u"SIGINT"},   Row{3, u"SIGQUIT"},  Row{4, u"SIGILL"},
        Row{5, u"SIGTRAP"},  Row{6, u"SIGABRT"},  Row{7, u"SIGBUS"},   Row{8, u"SIGFPE"},
        Row{9, u"SIGKILL"},  Row{10, u"SIGUSR1"}, Row{11, u"SIGSEGV"}, Row{12, u"SIGUSR2"},
        Row{13, u"SIGPIPE"}, Row{14, u"SIGALRM"}, Row{15, u"SIGTERM"}, Row{31, u"SIGSYS"}};
    const auto row = std::ranges::find(rows, number, &Row::number);
    return row == rows.end() ? u"signal "_s + QString::number(number)
                             : QString::fromUtf16(row->name);
}

/// systemd's own exit codes for what went wrong before the program ran.
QString ownCodeWords(int status)
{
    switch (status) {
    case 200:
        return u"working directory cannot be entered (200/CHDIR)"_s;
    case 203:
        return u"program not found or not executable (203/EXEC)"_s;
    case 216:
        return u"group cannot be set (216/GROUP)"_s;
    case 217:
        return u"user cannot be set (217/USER)"_s;
    case 226:
        return u"mount namespace cannot be set up (226/NAMESPACE)"_s;
    default:
        return {};
    }
}

enum class Ended { NoRun, Exited, Killed, Dumped };

Ended endOf(const Unit &unit)
{
    const int code = unit.execMainCode.valueOr(0);
    return code >= 1 && code <= 3 ? Ended(code) : Ended::NoRun;
}

/// How the last run ended; empty where it ended well or never was.
QString endWords(const Unit &unit)
{
    const int status = unit.execMainStatus.valueOr(0);
    const Ended ended = endOf(unit);
    if (unit.result == u"oom-kill")
        return u"out of host memory"_s;
    if (unit.result == u"timeout")
        return u"did not become ready or end in time, stopped by systemd"_s;
    if (unit.result == u"watchdog")
        return u"gave no sign of life, ended by systemd's watchdog"_s;
    if (unit.result == u"protocol")
        return u"ended before it reported ready"_s;
    if (unit.result == u"resources")
        return u"systemd lacked the means to start it"_s;
    if (ended == Ended::Exited && status != 0) {
        const QString own = ownCodeWords(status);
        return own.isEmpty() ? u"exited with status "_s + QString::number(status) : own;
    }
    if (ended == Ended::Killed && status == 9)
        return u"killed by SIGKILL (possibly out of memory: see the kernel log)"_s;
    if (ended == Ended::Killed || ended == Ended::Dumped) {
        const bool crash = ended == Ended::Dumped || status == 4 || status == 6 || status == 7
                           || status == 8 || status == 11;
        return (crash ? u"crashed: "_s : u"killed by "_s) + nameOfSignal(status);
    }
    if (ended == Ended::NoRun && unit.result == u"exit-code")
        return u"a command before its main program failed"_s;
    return {};
}

QString failedWords(const Unit &unit)
{
    if (unit.result == u"start-limit-hit") {
        const int restarts = unit.restarts.valueOr(0);
        return u"exits at once with status 0, gave up"_s
               + (restarts > 0 ? u" after "_s + QString::number(restarts) + u" restarts"_s
                               : QString());
    }
    const QString words = endWords(unit);
    const QString tries =
        unit.restarts.valueOr(0) > 0
            ? u", gave up after "_s + QString::number(unit.restarts.value()) + u" restarts"_s
            : QString();
    if (!words.isEmpty())
        return words + tries;
    return unit.result.isEmpty() || unit.result == u"success"
               ? u"failed"_s
               : u"failed ("_s + unit.result + u')' + tries;
}

bool isWaitingToRestart(const Unit &unit)
{
    return unit.active == u"activating" && unit.sub.contains(u"auto-restart"_s);
}

QString activatingWords(const Unit &unit)
{
    if (isWaitingToRestart(unit)) {
        const QString words = endWords(unit);
        return (words.isEmpty() ? u"ended"_s : words) + u", restarting"_s;
    }
    if (unit.sub == u"start-pre")
        return u"starting: a command before its main program runs"_s;
    return unit.sub == u"start" || unit.sub.isEmpty() ? u"starting"_s
                                                      : u"starting ("_s + unit.sub + u')';
}

QString loadWords(const Unit &unit)
{
    if (unit.load == u"not-found")
        return u"no such unit"_s;
    if (unit.load == u"masked")
        return u"masked by an administrator"_s;
    const QString why = unit.loadError.isEmpty() ? QString() : u": "_s + unit.loadError;
    return u"its file cannot be used ("_s + unit.load + u')' + why;
}

bool isLoaded(const Unit &unit)
{
    return unit.load == u"loaded" || unit.load.isEmpty();
}

} // namespace

QString stateWordsOf(const Unit &unit)
{
    if (!isLoaded(unit) && unit.active != u"active") // a running one may have lost its file
        return loadWords(unit);
    if (unit.active == u"failed")
        return failedWords(unit);
    if (unit.active == u"activating")
        return activatingWords(unit);
    if (unit.active == u"deactivating")
        return u"stopping"_s;
    if (unit.active == u"active" && unit.sub == u"running")
        return u"running"_s;
    if (unit.active == u"active" && unit.sub == u"exited")
        return u"done"_s;
    if (unit.active == u"inactive" && (unit.sub == u"dead" || unit.sub.isEmpty()))
        return u"stopped"_s;
    return unit.sub.isEmpty() || unit.sub == unit.active ? unit.active
                                                         : unit.active + u" ("_s + unit.sub + u')';
}

bool isInTrouble(const Unit &unit)
{
    if (!isLoaded(unit) && unit.active != u"active")
        return true;
    return unit.active == u"failed" || isWaitingToRestart(unit);
}

} // namespace pilothouse
