// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "claims.h"

#include "statedir.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pilothouse::sim {
namespace {

std::string claimsDirectory() { return stateDirectory() + "/claims"; }

std::string textOf(const Claim &claim)
{
    std::string text = "gpu=" + std::to_string(claim.gpu) + "\nmib=" + std::to_string(claim.mib)
        + "\nrelease_ms=" + std::to_string(claim.releaseMs)
        + "\nramp=" + std::to_string(int(claim.ramp))
        + "\nutilization=" + std::to_string(claim.utilization)
        + "\nmig_instance=" + std::to_string(claim.migInstance) + '\n';
    for (const Holder &holder : claim.holders) {
        text += "holder=" + std::to_string(holder.pid) + ' ' + std::to_string(holder.startTicks)
            + '\n';
    }
    return text;
}

Claim claimOf(const std::string &text)
{
    const Config lines = Config::parse(text);
    Claim claim;
    claim.gpu = int(lines.number("gpu", 0));
    claim.mib = std::clamp(lines.number("mib", 0), 0L, 100'000'000L);
    claim.releaseMs = lines.number("release_ms", 500);
    claim.ramp = lines.number("ramp", 0) != 0;
    claim.utilization = int(std::clamp(lines.number("utilization", 0), 0L, 100L));
    claim.migInstance = int(lines.number("mig_instance", -1));
    for (const std::string &holder : lines.values("holder")) {
        const auto words = splitAt(holder, ' ');
        if (words.size() == 2) {
            claim.holders.push_back({pid_t(numberOf(words[0], 0)),
                                     static_cast<unsigned long long>(numberOf(words[1], 0))});
        }
    }
    return claim;
}

bool isAlive(const Holder &holder)
{
    if (holder.pid <= 0)
        return false;
    const unsigned long long now = startTicksOf(holder.pid);
    if (now != 0)
        return now == holder.startTicks;
    // hidepid hides the files of others, not their existence; the true driver sees them all
    return kill(holder.pid, 0) != 0 && errno == EPERM;
}

HeldMemory held(const Claim &claim, double deadForMs)
{
    HeldMemory result{claim, claim.mib, false, false};
    if (claim.holders.empty())
        return {claim, 0, false, false};
    result.creatorAlive = isAlive(claim.holders.front());
    result.listed = std::any_of(claim.holders.begin(), claim.holders.end(), isAlive);
    if (result.listed || claim.releaseMs < 0)
        return result;
    const double left = double(claim.releaseMs) - deadForMs;
    if (left <= 0)
        result.mibNow = 0;
    else if (claim.ramp)
        result.mibNow = long(double(claim.mib) * std::min(1.0, left / double(claim.releaseMs)));
    return result;
}

double ageMs(const struct stat &info)
{
    timespec now = {};
    clock_gettime(CLOCK_REALTIME, &now);
    return double(now.tv_sec - info.st_mtim.tv_sec) * 1e3
        + double(now.tv_nsec - info.st_mtim.tv_nsec) / 1e6;
}

} // namespace

OwnClaim::OwnClaim(Claim claim, std::string name)
    : m_claim(std::move(claim))
{
    const std::string directory = claimsDirectory();
    if (mkdir(directory.c_str(), 01777) == 0)
        chmod(directory.c_str(), 01777);
    m_path = directory + '/' + std::to_string(getpid()) + '-' + std::move(name) + ".claim";
    if (m_claim.holders.empty())
        m_claim.holders.push_back({getpid(), startTicksOf(getpid())});
    write();
}

void OwnClaim::write() const
{
    if (!writeFile(m_path, textOf(m_claim)))
        std::fprintf(stderr, "cannot write %s\n", m_path.c_str());
}

void OwnClaim::update(long mib)
{
    m_claim.mib = mib;
    write();
}

void OwnClaim::setUtilization(int percent)
{
    m_claim.utilization = percent;
    write();
}

void OwnClaim::addHolder(pid_t pid)
{
    m_claim.holders.push_back({pid, startTicksOf(pid)});
    write();
}

void OwnClaim::touch() const { utimensat(AT_FDCWD, m_path.c_str(), nullptr, 0); }

void OwnClaim::drop() { unlink(m_path.c_str()); }

std::vector<HeldMemory> heldMemory()
{
    std::vector<HeldMemory> all;
    const std::string directory = claimsDirectory();
    DIR *listing = opendir(directory.c_str());
    if (!listing)
        return all;
    while (const dirent *entry = readdir(listing)) {
        const std::string name = entry->d_name;
        if (!name.ends_with(".claim"))
            continue;
        const std::string path = directory + '/' + name;
        struct stat info = {};
        if (stat(path.c_str(), &info) != 0)
            continue;
        const HeldMemory memory = held(claimOf(readFile(path)), ageMs(info));
        if (memory.mibNow > 0 || memory.listed)
            all.push_back(memory);
        else if (ageMs(info) > 1000)
            unlink(path.c_str());
    }
    closedir(listing);
    std::sort(all.begin(), all.end(), [](const HeldMemory &a, const HeldMemory &b) {
        return a.claim.holders.front().pid < b.claim.holders.front().pid;
    });
    return all;
}

unsigned long long startTicksOf(pid_t pid)
{
    const std::string text = readFile("/proc/" + std::to_string(pid) + "/stat");
    const auto close = text.rfind(')');
    if (close == std::string::npos)
        return 0;
    const auto words = splitAt(std::string_view(text).substr(close + 1), ' ');
    // A zombie without threads holds nothing; one whose threads live does. Field 3 is the first word here.
    if (words.size() < 20 || (words[0] == "Z" && numberOf(words[17], 0) <= 1) || words[0] == "X")
        return 0;
    return static_cast<unsigned long long>(numberOf(words[19], 0));
}

void openDevices(const std::vector<int> &gpus)
{
    std::vector<std::string> paths = {"/dev/nvidiactl", "/dev/nvidia-uvm"};
    for (const int gpu : gpus)
        paths.push_back("/dev/nvidia" + std::to_string(gpu));
    for (const std::string &path : paths)
        static_cast<void>(open(path.c_str(), O_RDWR));
}

} // namespace pilothouse::sim
