// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "simserver.h"

#include "claims.h"
#include "proctitle.h"
#include "role.h"
#include "statedir.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pilothouse::sim {
namespace {

constexpr int tickMs = 100;

/// A word through a pipe whose reader may be gone already, which is then none of the writer's business.
void tell(int pipe, const std::string &word)
{
    if (pipe >= 0 && write(pipe, word.data(), word.size()) < 0)
        return;
}

/// A shared-memory block as Python makes them, mapped here and in all children.
class SharedBlock
{
public:
    explicit SharedBlock(int trackerPipe)
        : m_trackerPipe(trackerPipe)
        , m_name("/psm_" + std::to_string(getpid()) + "a1b2")
    {
        const int fd = open(path().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0)
            return;
        if (ftruncate(fd, 65536) == 0)
            mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
        tell(m_trackerPipe, "REGISTER:" + m_name + ":shared_memory\n");
    }
    void remove()
    {
        unlink(path().c_str());
        tell(m_trackerPipe, "UNREGISTER:" + m_name + ":shared_memory\n");
    }

private:
    [[nodiscard]] std::string path() const { return "/dev/shm" + m_name; }

    int m_trackerPipe;
    std::string m_name;
};

/// The memory of one GPU, growing while the model loads.
class Load
{
public:
    Load(const ServerPlan &plan, int gpu)
        : m_plan(plan)
        , m_startedAt(uptimeSeconds())
    {
        openDevices({gpu});
        Claim claim;
        claim.gpu = gpu;
        claim.mib = plan.loadMs > 0 ? 600 : plan.mib;
        claim.releaseMs = plan.releaseMs;
        claim.ramp = plan.ramp;
        m_claim = std::make_unique<OwnClaim>(claim, std::to_string(gpu));
        m_done = plan.loadMs <= 0;
        if (m_done)
            m_claim->setUtilization(plan.utilization);
    }
    /// True once the whole model is there.
    bool advance()
    {
        m_claim->touch();
        if (m_done)
            return true;
        const double share
            = std::min(1.0, (uptimeSeconds() - m_startedAt) * 1000 / double(m_plan.loadMs));
        m_claim->update(std::max(600L, long(share * double(m_plan.mib))));
        m_done = share >= 1.0;
        if (m_done)
            m_claim->setUtilization(m_plan.utilization);
        return m_done;
    }

private:
    const ServerPlan &m_plan;
    double m_startedAt;
    std::unique_ptr<OwnClaim> m_claim;
    bool m_done = false;
};

/// The other end is closed.
bool isOver(int pipe)
{
    pollfd wait = {pipe, POLLIN, 0};
    return poll(&wait, 1, 0) > 0 && (wait.revents & POLLHUP) != 0;
}

int runWorker(const ServerPlan &plan, std::size_t rank, int deathPipe, int loadedPipe)
{
    watchSignals(TermHabit::parse(plan.workerTerm));
    if (plan.sessions)
        setsid();
    setTitle(plan.prefix + "::Worker_TP" + std::to_string(rank));
    Load load(plan, plan.gpus[rank]);
    bool told = false;
    while (!askedToLeave()) {
        if (load.advance() && !told) {
            told = true;
            tell(loadedPipe, "L");
        }
        if (plan.deathPipe && isOver(deathPipe))
            return 0;
        sleepMs(tickMs);
    }
    return 0;
}

void stopWorkers(const std::vector<pid_t> &workers)
{
    for (const pid_t worker : workers)
        kill(worker, SIGTERM);
    for (int i = 0; i < 40; ++i) {
        while (waitpid(-1, nullptr, WNOHANG) > 0) { }
        if (waitpid(-1, nullptr, WNOHANG) < 0)
            return;
        sleepMs(100);
    }
    for (const pid_t worker : workers)
        kill(worker, SIGKILL);
}

int runAlone(const ServerPlan &plan, int readyPipe, SharedBlock &block)
{
    Load load(plan, plan.gpus.empty() ? 0 : plan.gpus.front());
    bool told = false;
    while (!askedToLeave()) {
        if (load.advance() && !told) {
            told = true;
            tell(readyPipe, "R");
        }
        sleepMs(tickMs);
    }
    block.remove();
    return 0;
}

} // namespace

int runEngine(const ServerPlan &plan, int trackerPipe, int readyPipe)
{
    watchSignals(TermHabit::parse(plan.engineTerm));
    setTitle(plan.prefix + "::EngineCore");
    SharedBlock block(trackerPipe);
    if (plan.gpus.size() <= 1)
        return runAlone(plan, readyPipe, block);
    int death[2];
    int loaded[2];
    if (pipe(death) != 0 || pipe2(loaded, O_NONBLOCK) != 0)
        return 1;
    std::vector<pid_t> workers;
    for (std::size_t rank = 0; rank < plan.gpus.size(); ++rank) {
        const pid_t worker = fork();
        if (worker == 0) {
            close(death[1]);
            close(readyPipe);
            _exit(runWorker(plan, rank, death[0], loaded[1]));
        }
        workers.push_back(worker);
    }
    close(death[0]);
    std::size_t ready = 0;
    while (!askedToLeave()) {
        char bytes[64];
        const ssize_t count = read(loaded[0], bytes, sizeof bytes);
        if (count > 0 && (ready += static_cast<std::size_t>(count)) == workers.size())
            tell(readyPipe, "R");
        // A worker that dies takes the engine with it, as in vLLM.
        if (waitpid(-1, nullptr, WNOHANG) > 0) {
            stopWorkers(workers);
            return 1;
        }
        sleepMs(tickMs);
    }
    stopWorkers(workers);
    block.remove();
    return 0;
}

} // namespace pilothouse::sim
