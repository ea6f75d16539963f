// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A simulated vLLM: the launcher keeps its command line, its child is VLLM::EngineCore, whose children are
// VLLM::Worker_TPn, one a GPU. One GPU alone: the engine holds it and has no workers, as in reality.

#include <string>
#include <vector>

namespace pilothouse::sim {

struct ServerPlan
{
    std::vector<int> gpus = {0};
    long mib = 96615;             ///< per GPU
    long loadMs = 1000;
    int port = 8000;
    std::string model;
    long releaseMs = 500;         ///< negative: never
    bool ramp = false;
    int utilization = 0;
    std::string launcherTerm = "default";
    std::string engineTerm = "default";
    std::string workerTerm = "default";
    std::string health = "ok";    ///< ok, lie, stall, 503
    std::string prefix = "VLLM";
    long failAfterMs = -1;
    bool deathPipe = true;        ///< workers leave when their engine is gone
    bool tracker = true;
    bool checkFree = true;
    bool sessions = false;        ///< each worker in a session of its own
};

/// In the child of the launcher. Returns its exit code.
int runEngine(const ServerPlan &plan, int trackerPipe, int readyPipe);

} // namespace pilothouse::sim
