// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "role.h"

#include "proctitle.h"
#include "statedir.h"
#include "tools.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace pilothouse::sim {
namespace {

constexpr const char *roleVariable = "PILOTHOUSE_SIM_ROLE";
constexpr const char *optionsVariable = "PILOTHOUSE_SIM_OPTIONS";

volatile std::sig_atomic_t termCame = 0;
TermHabit habitNow;
double termSeenAt = 0;

void noteTerm(int) { termCame = 1; }

std::string baseName(const std::string &path) { return path.substr(path.rfind('/') + 1); }

/// comm of a started program: the interpreted script's name, as the kernel gives it, not the interpreter's.
std::string commOf(const std::vector<std::string> &commandLine)
{
    const std::string first = baseName(commandLine.front());
    const bool script = commandLine.size() > 1 && commandLine[1].starts_with('/');
    return script && first.starts_with("python") ? baseName(commandLine[1]) : first;
}

} // namespace

int becomeRole(const std::string &role, const std::vector<std::string> &commandLine,
               const std::vector<std::string> &options)
{
    std::string joined;
    for (const std::string &option : options)
        joined += option + '\n';
    setenv(roleVariable, role.c_str(), 1);
    setenv(optionsVariable, joined.c_str(), 1);
    std::vector<char *> argv;
    for (const std::string &word : commandLine)
        argv.push_back(const_cast<char *>(word.c_str()));
    argv.push_back(nullptr);
    execv("/proc/self/exe", argv.data());
    std::perror("cannot start anew");
    return 126;
}

int continueInRole(int argc, char **argv)
{
    const std::string role = std::getenv(roleVariable);
    const char *joined = std::getenv(optionsVariable);
    const std::vector<std::string> options = splitAt(joined ? joined : "", '\n');
    const std::vector<std::string> commandLine(argv, argv + argc);
    unsetenv(roleVariable);
    unsetenv(optionsVariable);
    setComm(commOf(commandLine));
    if (role == "server")
        return runServer(commandLine, options);
    if (role == "tracker")
        return runTracker(options);
    if (role == "hog")
        return runHog(options);
    return 2;
}

TermHabit TermHabit::parse(const std::string &text)
{
    TermHabit habit;
    habit.ignores = text == "ignore";
    if (text.starts_with("slow:"))
        habit.delayMs = releaseMsOf(text.substr(5));
    return habit;
}

void resetSignals()
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGCHLD})
        std::signal(number, SIG_DFL);
}

void watchSignals(const TermHabit &habit)
{
    habitNow = habit;
    termCame = 0;
    termSeenAt = 0;
    struct sigaction action = {};
    action.sa_handler = habit.ignores ? SIG_IGN : noteTerm;
    sigaction(SIGTERM, &action, nullptr);
    sigaction(SIGINT, &action, nullptr);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, nullptr);
    sigaction(SIGHUP, &action, nullptr);
}

bool heardTerm() { return termCame != 0; }

bool askedToLeave()
{
    if (!termCame)
        return false;
    if (termSeenAt <= 0)
        termSeenAt = uptimeSeconds();
    return (uptimeSeconds() - termSeenAt) * 1000 >= double(habitNow.delayMs);
}

long releaseMsOf(const std::string &text)
{
    return text == "never" ? -1 : long(std::strtod(text.c_str(), nullptr) * 1000);
}

} // namespace pilothouse::sim
