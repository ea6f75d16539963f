// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "proctitle.h"
#include "statedir.h"
#include "tools.h"

#include <csignal>
#include <unistd.h>

namespace pilothouse::sim {

/// The crowd of a real host: `sim-idle COUNT TITLE` leaves so many processes that do nothing.
int simIdle(const std::vector<std::string> &arguments)
{
    const long count = arguments.empty() ? 0 : numberOf(arguments[0], 0);
    const std::string title = arguments.size() > 1 ? arguments[1] : "kworker";
    for (long i = 0; i < count && i < 10'000; ++i) {
        if (fork() == 0) {
            setsid();
            sigset_t none;
            sigemptyset(&none);
            sigprocmask(SIG_SETMASK, &none, nullptr);
            for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGPIPE})
                std::signal(number, SIG_DFL);
            setTitle(title);
            setComm(title.substr(0, title.find(' ')).substr(title.substr(0, title.find(' ')).rfind('/') + 1));
            while (true)
                pause();
        }
    }
    return 0;
}

} // namespace pilothouse::sim
