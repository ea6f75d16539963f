// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cgroups.h"

#include "claims.h"
#include "statedir.h"

#include <algorithm>
#include <dirent.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pilothouse::sim {
namespace {

constexpr long markBase = 700'000;

std::string lineFile(int number)
{
    return stateDirectory() + "/cgroups/" + std::to_string(number);
}

int markOf(pid_t pid)
{
    const std::string text = readFile("/proc/" + std::to_string(pid) + "/limits");
    const auto line = text.find("Max msgqueue size");
    if (line == std::string::npos)
        return 0;
    const auto words = splitAt(std::string_view(text).substr(line + 17, 60), ' ');
    const long mark = words.empty() ? 0 : numberOf(words.front(), 0) - markBase;
    return mark > 0 && mark < 100'000 ? int(mark) : 0;
}

} // namespace

int Cgroups::numberOfPath(const std::string &path)
{
    const auto found = std::find(m_paths.begin(), m_paths.end(), path);
    if (found != m_paths.end())
        return int(found - m_paths.begin());
    m_paths.push_back(path);
    const int number = int(m_paths.size()) - 1;
    writeFile(lineFile(number), "0::" + path + '\n');
    std::string directory = "/sys/fs/cgroup";
    for (const std::string &part : splitAt(path, '/')) {
        directory += '/' + part;
        mkdir(directory.c_str(), 0755);
    }
    return number;
}

void Cgroups::enter(int number) const
{
    rlimit limit = {};
    getrlimit(RLIMIT_MSGQUEUE, &limit);
    limit.rlim_cur = static_cast<rlim_t>(markBase + number);
    limit.rlim_max = std::max(limit.rlim_max, limit.rlim_cur);
    setrlimit(RLIMIT_MSGQUEUE, &limit);
    show(getpid(), number);
}

void Cgroups::show(pid_t pid, int number) const
{
    const std::string target = "/proc/" + std::to_string(pid) + "/cgroup";
    mount(lineFile(number).c_str(), target.c_str(), nullptr, MS_BIND, nullptr);
}

void Cgroups::refresh()
{
    if (!m_written.contains(0))
        writeFile(lineFile(0), "0::/init.scope\n");
    std::map<pid_t, Known> now;
    m_members.clear();
    DIR *listing = opendir("/proc");
    while (const dirent *entry = listing ? readdir(listing) : nullptr) {
        const pid_t pid = pid_t(numberOf(entry->d_name, 0));
        if (pid <= 0)
            continue;
        const unsigned long long start = startTicksOf(pid);
        if (start == 0)
            continue;
        const auto known = m_known.find(pid);
        const bool isKnown = known != m_known.end() && known->second.startTicks == start;
        // A child of process 1 enters its group a moment after it is there.
        const int number = isKnown && known->second.number != 0 ? known->second.number : markOf(pid);
        now[pid] = {start, number};
        // A session shows its own first process itself; a second cover over it does no harm.
        if (!isKnown || known->second.number != number)
            show(pid, number);
        m_members[now[pid].number].insert(pid);
    }
    if (listing)
        closedir(listing);
    m_known = std::move(now);
    for (int number = 0; number < int(m_paths.size()); ++number) {
        const auto &members = m_members[number];
        if (m_written.contains(number) && m_written[number] == members)
            continue;
        std::string text;
        for (const pid_t pid : members)
            text += std::to_string(pid) + '\n';
        if (number == 0)
            mkdir("/sys/fs/cgroup/init.scope", 0755);
        writeFile("/sys/fs/cgroup" + m_paths[std::size_t(number)] + "/cgroup.procs", text);
        m_written[number] = members;
    }
}

std::vector<pid_t> Cgroups::membersOf(int number) const
{
    const auto found = m_members.find(number);
    if (found == m_members.end())
        return {};
    return {found->second.begin(), found->second.end()};
}

} // namespace pilothouse::sim
