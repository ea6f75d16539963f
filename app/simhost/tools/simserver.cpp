// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "simserver.h"

#include "httpd.h"
#include "role.h"
#include "smimodel.h"
#include "statedir.h"
#include "tools.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pilothouse::sim {
namespace {

/// `--port 8000` or `--port=8000` of the played program.
std::string argumentOf(const std::vector<std::string> &commandLine, const std::string &name)
{
    for (std::size_t i = 0; i < commandLine.size(); ++i) {
        if (commandLine[i] == name && i + 1 < commandLine.size())
            return commandLine[i + 1];
        if (commandLine[i].starts_with(name + '='))
            return commandLine[i].substr(name.size() + 1);
    }
    return {};
}

std::string modelOf(const std::vector<std::string> &commandLine)
{
    for (const char *name : {"--served-model-name", "--model"}) {
        if (const std::string model = argumentOf(commandLine, name); !model.empty())
            return model;
    }
    for (std::size_t i = 0; i + 1 < commandLine.size(); ++i) {
        if (commandLine[i] == "serve")
            return commandLine[i + 1];
    }
    return "model";
}

HttpServer::Health healthOf(const std::string &word)
{
    if (word == "lie")
        return HttpServer::Health::Lies;
    if (word == "stall")
        return HttpServer::Health::Stalls;
    return word == "503" ? HttpServer::Health::Fails : HttpServer::Health::Honest;
}

void apply(ServerPlan &plan, const std::string &name, const std::string &value)
{
    if (name == "--gpus") {
        plan.gpus.clear();
        for (const std::string &gpu : splitAt(value, ','))
            plan.gpus.push_back(int(numberOf(gpu, 0)));
    } else if (name == "--mib") {
        plan.mib = numberOf(value, plan.mib);
    } else if (name == "--load") {
        plan.loadMs = releaseMsOf(value);
    } else if (name == "--port") {
        plan.port = int(numberOf(value, plan.port));
    } else if (name == "--model") {
        plan.model = value;
    } else if (name == "--release") {
        plan.releaseMs = releaseMsOf(value);
    } else if (name == "--util") {
        plan.utilization = int(numberOf(value, 0));
    } else if (name == "--worker-term") {
        plan.workerTerm = value;
    } else if (name == "--engine-term") {
        plan.engineTerm = value;
    } else if (name == "--launcher-term") {
        plan.launcherTerm = value;
    } else if (name == "--health") {
        plan.health = value;
    } else if (name == "--prefix") {
        plan.prefix = value;
    } else if (name == "--fail-after") {
        plan.failAfterMs = releaseMsOf(value);
    } else if (name == "--death-pipe") {
        plan.deathPipe = value != "off";
    } else if (name == "--tracker") {
        plan.tracker = value != "off";
    } else if (name == "--check-free") {
        plan.checkFree = value != "off";
    } else if (name == "--ramp") {
        plan.ramp = value == "on";
    } else if (name == "--sessions") {
        plan.sessions = value == "own";
    }
}

ServerPlan planOf(const std::vector<std::string> &commandLine,
                  const std::vector<std::string> &options)
{
    ServerPlan plan;
    plan.port = int(numberOf(argumentOf(commandLine, "--port"), 8000));
    plan.model = modelOf(commandLine);
    for (const std::string &option : options) {
        const auto equals = option.find('=');
        if (equals != std::string::npos)
            apply(plan, option.substr(0, equals), option.substr(equals + 1));
    }
    return plan;
}

/// vLLM refuses to start where too little memory is free; so does this.
bool memoryIsFree(const ServerPlan &plan)
{
    const Machine machine = machineNow(Config::ofHost());
    for (const int gpu : plan.gpus) {
        if (gpu < 0 || gpu >= int(machine.cards.size())) {
            std::fprintf(stderr, "RuntimeError: CUDA error: invalid device ordinal\n");
            return false;
        }
        const Card &card = machine.cards[std::size_t(gpu)];
        if (card.freeMib() < plan.mib) {
            std::fprintf(stderr,
                         "ValueError: Free memory on device cuda:%d (%.2f/%.2f GiB) on startup is less "
                         "than desired GPU memory utilization. Decrease GPU memory utilization or "
                         "reduce GPU memory used by other processes.\n",
                         gpu, double(card.freeMib()) / 1024, double(card.totalMib) / 1024);
            return false;
        }
    }
    return true;
}

/// The tracker closes all but standard error and its end of the pipe, as Python does.
int startTracker()
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    if (fork() == 0) {
        close(ends[1]);
        for (int fd = 0; fd < 256; ++fd) {
            if (fd != 2 && fd != ends[0])
                close(fd);
        }
        const std::string number = std::to_string(ends[0]);
        _exit(becomeRole("tracker",
                         {"/usr/bin/python3", "-c",
                          "from multiprocessing.resource_tracker import main;main(" + number + ")"},
                         {number}));
    }
    close(ends[0]);
    return ends[1];
}

struct Launcher
{
    HttpServer http;
    pid_t engine = -1;
    int readyPipe = -1;
};

/// Ends the engine within vLLM's own patience.
void stopEngine(pid_t engine)
{
    kill(engine, SIGTERM);
    for (int i = 0; i < 100; ++i) {
        if (waitpid(engine, nullptr, WNOHANG) != 0)
            return;
        sleepMs(50);
    }
    kill(engine, SIGKILL);
    waitpid(engine, nullptr, 0);
}

int launch(const ServerPlan &plan, Launcher &launcher)
{
    const double startedAt = uptimeSeconds();
    bool ready = false;
    while (!askedToLeave()) {
        launcher.http.serve(100);
        char byte = 0;
        if (!ready && read(launcher.readyPipe, &byte, 1) == 1) {
            ready = true;
            launcher.http.setReady(true);
            std::puts("INFO:     Application startup complete.");
            std::fflush(stdout);
        }
        int status = 0;
        if (waitpid(launcher.engine, &status, WNOHANG) == launcher.engine) {
            std::fprintf(stderr, "ERROR: EngineDeadError: EngineCore encountered an issue.\n");
            return 1;
        }
        if (plan.failAfterMs >= 0 && (uptimeSeconds() - startedAt) * 1000 > double(plan.failAfterMs)) {
            std::fprintf(stderr, "RuntimeError: Engine core initialization failed.\n");
            stopEngine(launcher.engine);
            return 1;
        }
    }
    std::puts("INFO:     Shutting down");
    std::fflush(stdout);
    launcher.http.close();
    stopEngine(launcher.engine);
    return 0;
}

} // namespace

int runServer(const std::vector<std::string> &commandLine, const std::vector<std::string> &options)
{
    const ServerPlan plan = planOf(commandLine, options);
    std::printf("INFO %s [api_server.py] Starting vLLM API server on http://127.0.0.1:%d\n",
                smiTimestamp().c_str(), plan.port);
    std::fflush(stdout);
    Launcher launcher{HttpServer(plan.model, healthOf(plan.health)), -1, -1};
    if (!launcher.http.listenOn(plan.port))
        return 1;
    if (plan.checkFree && !memoryIsFree(plan))
        return 1;
    const int trackerPipe = plan.tracker ? startTracker() : -1;
    int ready[2];
    if (pipe2(ready, O_NONBLOCK | O_CLOEXEC) != 0)
        return 1;
    watchSignals(TermHabit::parse(plan.launcherTerm));
    launcher.engine = fork();
    if (launcher.engine == 0) {
        launcher.http.close();
        close(ready[0]);
        _exit(runEngine(plan, trackerPipe, ready[1]));
    }
    close(ready[1]);
    launcher.readyPipe = ready[0];
    return launch(plan, launcher);
}

int runTracker(const std::vector<std::string> &options)
{
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    const int fd = options.empty() ? 0 : int(numberOf(options.front(), 0));
    std::string text;
    char buffer[512];
    while (true) {
        const ssize_t count = read(fd, buffer, sizeof buffer);
        if (count > 0)
            text.append(buffer, static_cast<std::size_t>(count));
        else if (count == 0 || errno != EINTR)
            break;
    }
    std::vector<std::string> left;
    for (const std::string &line : splitAt(text, '\n')) {
        const auto words = splitAt(line, ':');
        if (words.size() < 2)
            continue;
        if (words[0] == "REGISTER")
            left.push_back(words[1]);
        else
            std::erase(left, words[1]);
    }
    for (const std::string &name : left)
        unlink(("/dev/shm" + name).c_str());
    return 0;
}

int simServer(const std::vector<std::string> &arguments)
{
    std::vector<std::string> options;
    std::vector<std::string> commandLine;
    std::string pidFile;
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
        else if (word == "--pid-file" && i + 1 < arguments.size())
            pidFile = arguments[++i];
        else if (word.find('=') != std::string::npos)
            options.push_back(word);
        else if (i + 1 < arguments.size())
            options.push_back(word + '=' + arguments[++i]);
    }
    if (commandLine.empty()) {
        std::fprintf(stderr, "usage: sim-server [--detach] [--gpus 0,1] [--mib N] [--load SEC] … -- "
                             "python3 -m vllm.entrypoints.openai.api_server --port 8000 …\n");
        return 2;
    }
    if (detach && fork() != 0)
        return 0;
    if (detach)
        setsid();
    if (!pidFile.empty())
        writeFile(pidFile, std::to_string(getpid()) + '\n');
    return becomeRole("server", commandLine, options);
}

} // namespace pilothouse::sim
