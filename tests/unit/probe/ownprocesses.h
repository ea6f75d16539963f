// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A test program that sees no process but its own: a probe looks at the whole machine, and what
// other tests run there (an nvidia-smi that hangs on purpose) would change its answers. Root only;
// others run among everybody.

#include "tests/support/testmain.h"

#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

namespace pilothouse::test {

/// Starts the program again in a PID namespace of its own and does not come back, or comes back
/// where it is one.
inline void enterOwnProcesses(int argc, char **argv)
{
    if (geteuid() != 0 || std::getenv("PILOTHOUSE_OWN_PROCESSES"))
        return;
    if (std::system("unshare --mount --pid --fork --mount-proc true 2>/dev/null") != 0)
        return;
    setenv("PILOTHOUSE_OWN_PROCESSES", "1", 1);
    // bash stays as the namespace's first process and reaps what nobody waits for.
    std::vector<std::string> words{"unshare", "--mount",      "--pid",
                                   "--fork",  "--mount-proc", "--kill-child",
                                   "bash",    "-c",           "\"$0\" \"$@\"; exit $?"};
    words.insert(words.end(), argv, argv + argc);
    words[9] = "/proc/self/exe";
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length > 0)
        words[9] = std::string(path, static_cast<std::size_t>(length));
    std::vector<char *> pointers;
    for (std::string &word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execvp("unshare", pointers.data());
}

} // namespace pilothouse::test

#define PILOTHOUSE_PROBE_TEST_MAIN(Test)                                                           \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        pilothouse::test::enterOwnProcesses(argc, argv);                                           \
        pilothouse::test::prepare();                                                               \
        QCoreApplication app(argc, argv);                                                          \
        Test test;                                                                                 \
        return QTest::qExec(&test, argc, argv);                                                    \
    }
