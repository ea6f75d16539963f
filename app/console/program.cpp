// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/program.h"

#include "app/console/console.h"
#include "core/base/programend.h"

#include <QApplication>

#include <cstdio>
#include <sys/prctl.h>

namespace pilothouse {

namespace {

int report(const Error &error)
{
    std::fprintf(stderr, "pilothouse: %s\n", qPrintable(sentenceOf(error)));
    return exitCodeOf(error.code);
}

bool hasDisplay()
{
    return !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY")
        || !qEnvironmentVariableIsEmpty("DISPLAY");
}

QtMessageHandler nextHandler = nullptr;

/// Qt's offscreen platform complains about each window that has a smallest size. Only this is left out.
void withoutSizeHints(QtMsgType type, const QMessageLogContext &context, const QString &text)
{
    if (text != QLatin1StringView("This plugin does not support propagateSizeHints()"))
        nextHandler(type, context, text);
}

} // namespace

int runProgram(int argc, char **argv, std::chrono::milliseconds threadLimit)
{
    // Passphrases pass through this process: no core dump, no debugger of another program of the same user.
    prctl(PR_SET_DUMPABLE, 0);
    QStringList arguments;
    for (int i = 0; i < argc; ++i)
        arguments << QString::fromLocal8Bit(argv[i]);
    Result<ConsoleOptions> options = parseConsoleOptions(arguments);
    if (!options)
        return report(options.error());
    if (!options->printAndExit.isEmpty()) {
        std::fputs(qPrintable(options->printAndExit), stdout);
        return 0;
    }
    if (options->offscreen)
        qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!hasDisplay()) {
        return report({ErrorCode::LocalIo, QStringLiteral("There is no display."),
                       QStringLiteral("Use pilothousectl, or --offscreen with --screenshot FILE.")});
    }
    nextHandler = qInstallMessageHandler(withoutSizeHints);
    QApplication app(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("pilothouse"));
    QCoreApplication::setApplicationVersion(QStringLiteral(PILOTHOUSE_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("pilothouse"));

    std::unique_ptr<SingleInstance> instance;
    if (options->screenshot.isEmpty() && !options->demo) {
        instance = std::make_unique<SingleInstance>(options->stateDir);
        const Result<bool> first = instance->claim();
        if (!first)
            return report(first.error());
        if (!*first) {
            const QString service = options->service.isEmpty() ? QString() : QString(u'/' + options->service);
            const Result<void> handed = instance->handOver(options->target + service);
            return handed ? 0 : report(handed.error());
        }
    }
    const auto end = std::make_shared<ProgramEnd>(threadLimit);
    options->fleet.end = end;
    int result = 0;
    {
        Console console(std::move(*options), std::move(instance));
        console.start();
        result = QApplication::exec();
    }
    return end->finish(result);
}

} // namespace pilothouse
