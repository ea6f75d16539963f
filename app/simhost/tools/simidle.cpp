// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "proctitle.h"
#include "role.h"
#include "statedir.h"
#include "tools.h"

#include <fcntl.h>
#include <unistd.h>

namespace pilothouse::sim {

/// The crowd of a real host: `sim-idle COUNT TITLE` leaves so many processes that do nothing.
int simIdle(const std::vector<std::string> &arguments)
{
    const long count = arguments.empty() ? 0 : numberOf(arguments[0], 0);
    const std::string title = arguments.size() > 1 ? arguments[1] : "kworker";
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (long i = 0; i < count && i < 10'000; ++i) {
        if (fork() == 0) {
            setsid();
            for (int fd = 0; fd < 3; ++fd)
                dup2(nothing, fd);
            resetSignals();
            setTitle(title);
            const std::string program = title.substr(0, title.find(' '));
            setComm(program.substr(program.rfind('/') + 1));
            while (true)
                pause();
        }
    }
    return 0;
}

} // namespace pilothouse::sim
