// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "proctitle.h"

#include <algorithm>
#include <cstring>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

namespace pilothouse::sim {
namespace {

char *areaBegin = nullptr;
char *areaEnd = nullptr;

} // namespace

void prepareTitle(int argc, char **argv)
{
    areaBegin = argv[0];
    areaEnd = argv[argc - 1] + std::strlen(argv[argc - 1]) + 1;
    static std::vector<char *> moved;
    for (char **variable = environ; variable && *variable; ++variable) {
        if (*variable == areaEnd)
            areaEnd += std::strlen(*variable) + 1;
        moved.push_back(strdup(*variable));
    }
    moved.push_back(nullptr);
    environ = moved.data();
}

void setTitle(const std::string &title)
{
    const auto room = static_cast<std::size_t>(areaEnd - areaBegin);
    std::memset(areaBegin, 0, room);
    // A title longer than the arguments runs on into the environment's area, and the kernel shows it whole.
    std::memcpy(areaBegin, title.data(), std::min(title.size(), room - 1));
    setComm(title);
}

void setComm(const std::string &comm) { prctl(PR_SET_NAME, comm.substr(0, 15).c_str()); }

} // namespace pilothouse::sim
