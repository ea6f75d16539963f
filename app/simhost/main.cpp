// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "options.h"
#include "simulation.h"

#include <QCoreApplication>

#include <csignal>
#include <cstdio>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

using namespace pilothouse;

namespace {

/// In every thread that follows; the descriptor tells when one came.
int blockSignals()
{
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGTERM, SIGINT, SIGHUP})
        sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

/// Until standard input ends or a signal asks to stop. Input itself is read and dropped.
void waitForEnd(int signalFd, bool watchInput)
{
    pollfd waits[] = {{signalFd, POLLIN, 0}, {watchInput ? STDIN_FILENO : -1, POLLIN, 0}};
    while (true) {
        poll(waits, 2, -1);
        if (waits[0].revents != 0)
            return;
        char dropped[4096];
        if (waits[1].revents != 0 && read(STDIN_FILENO, dropped, sizeof dropped) <= 0)
            return;
    }
}

int report(const Error &error)
{
    std::fprintf(stderr, "pilothouse-simhost: %s\n", qPrintable(sentenceOf(error)));
    return exitCodeOf(error.code);
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("pilothouse-simhost"));
    QCoreApplication::setApplicationVersion(QStringLiteral(PILOTHOUSE_VERSION));
    const int signalFd = blockSignals();
    auto options = parseOptions(QCoreApplication::arguments());
    if (!options)
        return report(options.error());
    if (!options->printAndExit.isEmpty()) {
        std::fputs(qPrintable(options->printAndExit), stdout);
        return 0;
    }
    auto simulation = Simulation::start(options->simulation);
    if (!simulation && options->mayFallBack) {
        // Some machines let nobody make namespaces. Answers from memory touch nothing, so they are safe everywhere.
        std::fprintf(stderr, "pilothouse-simhost: %s The hosts are answered from memory instead.\n",
                     qPrintable(sentenceOf(simulation.error())));
        options->simulation.inMemory = true;
        simulation = Simulation::start(options->simulation);
    }
    if (!simulation)
        return report(simulation.error());
    std::printf("%s\n", (*simulation)->readyLine().constData());
    std::fflush(stdout);
    waitForEnd(signalFd, options->watchInput);
    return 0;
}
