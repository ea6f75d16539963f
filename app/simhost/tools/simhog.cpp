// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "claims.h"
#include "proctitle.h"
#include "role.h"
#include "statedir.h"
#include "tools.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <map>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace pilothouse::sim {
namespace {

using Options = std::map<std::string, std::string>;

std::string optionOf(const Options &options, const std::string &name, const std::string &fallback)
{
    const auto found = options.find(name);
    return found == options.end() ? fallback : found->second;
}

/// Forked heirs keep the descriptors, and so the memory, when their parent is killed.
std::vector<pid_t> forkHeirs(long count, const std::string &title)
{
    std::vector<pid_t> heirs;
    for (long i = 0; i < count; ++i) {
        const pid_t heir = fork();
        if (heir == 0) {
            setTitle(title);
            std::signal(SIGTERM, SIG_DFL);
            while (true)
                pause();
        }
        heirs.push_back(heir);
    }
    return heirs;
}

void keepClaims(const std::vector<OwnClaim> &claims, double until)
{
    while (!askedToLeave() && (until <= 0 || uptimeSeconds() < until)) {
        for (const OwnClaim &claim : claims)
            claim.touch();
        while (waitpid(-1, nullptr, WNOHANG) > 0) { }
        sleepMs(100);
    }
}

std::vector<OwnClaim> claimsOf(const Options &options, const std::vector<int> &gpus)
{
    std::vector<OwnClaim> claims;
    for (const int gpu : gpus) {
        Claim claim;
        claim.gpu = gpu;
        claim.mib = numberOf(optionOf(options, "--mib", "1000"), 1000);
        claim.releaseMs = releaseMsOf(optionOf(options, "--release", "0.5"));
        claim.ramp = optionOf(options, "--ramp", "off") == "on";
        claim.utilization = int(numberOf(optionOf(options, "--util", "0"), 0));
        claim.migInstance = int(numberOf(optionOf(options, "--mig-instance", "-1"), -1));
        claims.emplace_back(claim, std::to_string(gpu));
    }
    return claims;
}

} // namespace

int runHog(const std::vector<std::string> &words)
{
    Options options;
    for (const std::string &word : words)
        options[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    std::vector<int> gpus;
    for (const std::string &gpu : splitAt(optionOf(options, "--gpus", "0"), ','))
        gpus.push_back(int(numberOf(gpu, 0)));
    watchSignals(TermHabit::parse(optionOf(options, "--term", "default")));
    const std::string title = optionOf(options, "--title", "");
    if (!title.empty())
        setTitle(title);
    if (options.contains("--comm"))
        setComm(options["--comm"]);
    openDevices(gpus);
    std::vector<OwnClaim> claims = claimsOf(options, gpus);
    for (const pid_t heir : forkHeirs(numberOf(optionOf(options, "--heirs", "0"), 0),
                                      optionOf(options, "--heir-title", "pt_data_worker"))) {
        for (OwnClaim &claim : claims)
            claim.addHolder(heir);
    }
    const long forMs = releaseMsOf(optionOf(options, "--for", "0"));
    const double until = forMs > 0 ? uptimeSeconds() + double(forMs) / 1000 : 0;
    if (optionOf(options, "--zombie-leader", "off") == "on") {
        // The leader ends and shows as Z; its thread goes on and holds what the process held.
        std::thread([claims = std::move(claims), until] {
            keepClaims(claims, until);
            _exit(0);
        }).detach();
        pthread_exit(nullptr);
    }
    keepClaims(claims, until);
    return 0;
}

int simHog(const std::vector<std::string> &arguments)
{
    std::vector<std::string> options;
    std::vector<std::string> commandLine;
    bool detach = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string &word = arguments[i];
        if (word == "--") {
            commandLine.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                               arguments.end());
            break;
        }
        if (word == "--detach")
            detach = true;
        else if (word.starts_with("--") && word.find('=') != std::string::npos)
            options.push_back(word);
        else if (word.starts_with("--") && i + 1 < arguments.size())
            options.push_back(word + '=' + arguments[++i]);
    }
    if (detach && fork() != 0)
        return 0;
    if (detach)
        setsid();
    if (commandLine.empty())
        commandLine = {"/usr/bin/python3", "train.py"};
    return becomeRole("hog", commandLine, options);
}

} // namespace pilothouse::sim
