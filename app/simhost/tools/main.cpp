// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "proctitle.h"
#include "tools.h"

#include <cstdio>
#include <cstdlib>
#include <map>

namespace {

using Tool = int (*)(const std::vector<std::string> &);

const std::map<std::string, Tool> &tools()
{
    using namespace pilothouse::sim;
    static const std::map<std::string, Tool> all = {
        {"nvidia-smi", nvidiaSmi}, {"sim-server", simServer}, {"sim-hog", simHog},
        {"sim-idle", simIdle},     {"sim-boot", simBoot},     {"sim-pci", simPci},
        {"systemctl", systemctl},  {"journalctl", journalctl},
    };
    return all;
}

std::string baseName(const std::string &path) { return path.substr(path.rfind('/') + 1); }

} // namespace

int main(int argc, char **argv)
{
    if (argc < 1)
        return 2;
    pilothouse::sim::prepareTitle(argc, argv);
    if (std::getenv("PILOTHOUSE_SIM_ROLE"))
        return pilothouse::sim::continueInRole(argc, argv);
    std::vector<std::string> words(argv, argv + argc);
    if (!tools().contains(baseName(words.front())))
        words.erase(words.begin());
    const auto tool = words.empty() ? tools().end() : tools().find(baseName(words.front()));
    if (tool == tools().end()) {
        std::fputs("usage: pilothouse-simtools TOOL …, or call it by a tool's name; tools:", stderr);
        for (const auto &[name, function] : tools())
            std::fprintf(stderr, " %s", name.c_str());
        std::fputc('\n', stderr);
        return 2;
    }
    return tool->second({words.begin() + 1, words.end()});
}
