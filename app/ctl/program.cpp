// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/program.h"

#include "app/ctl/command.h"
#include "app/ctl/commandtable.h"
#include "app/ctl/help.h"
#include "app/ctl/interrupts.h"
#include "app/ctl/options.h"
#include "app/ctl/output.h"
#include "core/base/error.h"
#include "core/base/programend.h"

#include <QCoreApplication>

#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <langinfo.h>
#include <sys/prctl.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace pilothouse {

namespace {

/// A closed standard stream is a place for the next thing that is opened, a connection perhaps, and what is printed
/// would go there. What takes the place here can only fail to be read or written.
void occupyStandardStreams()
{
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

/// Before Qt: no core file or debugger shows what a person typed, a reader that leaves is no death, and a locale
/// without UTF-8 brings no warning of Qt's onto standard error.
void prepareProcess()
{
#ifndef __SANITIZE_ADDRESS__ // the leak checker attaches to its own process
    ::prctl(PR_SET_DUMPABLE, 0);
#endif
    occupyStandardStreams();
    std::signal(SIGPIPE, SIG_IGN);
    std::setlocale(LC_CTYPE, "");
    if (std::strcmp(::nl_langinfo(CODESET), "UTF-8") != 0)
        qputenv("LC_ALL", "C.UTF-8");
}

int afterOutput(Output &output, int exitCode)
{
    if (output.state() != Output::State::Failed)
        return exitCode;
    output.problem(output.trouble());
    return exitCodeOf(ErrorCode::LocalIo);
}

int runCommand(const CommandRow &row, const CommandContext &context)
{
    const std::unique_ptr<Command> command = row.make(context);
    int result = 0;
    bool over = false;
    QObject::connect(command.get(), &Command::finished, command.get(), [&](int exitCode) {
        result = exitCode;
        over = true;
        QCoreApplication::quit();
    });
    command->start();
    if (!over)
        QCoreApplication::exec();
    return result;
}

} // namespace

int runProgram(int argc, char **argv, std::chrono::milliseconds threadLimit)
{
    prepareProcess();
    QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(u"pilothousectl"_s);
    QCoreApplication::setApplicationVersion(QStringLiteral(PILOTHOUSE_VERSION));

    const auto options = parseOptions(QCoreApplication::arguments().mid(1));
    Output output(options ? options->color : ColorMode::Auto);
    if (!options) {
        output.problem(sentenceOf(options.error()));
        return exitCodeOf(options.error().code);
    }
    if (options->version) {
        output.data(u"pilothousectl %1\n"_s.arg(QCoreApplication::applicationVersion()));
        return afterOutput(output, 0);
    }
    const CommandRow *row = findCommand(options->command);
    if (row && !row->make) {
        output.problem(u"The command %1 is not in this version."_s.arg(options->command));
        return exitCodeOf(ErrorCode::Usage);
    }
    if (options->help) {
        output.data(row ? helpFor(*row) : generalHelp());
        return afterOutput(output, 0);
    }
    const auto end = std::make_shared<ProgramEnd>(threadLimit);
    int result = 0;
    {
        Interrupts interrupts; // ends first: it gives the terminal back
        result = runCommand(*row, CommandContext{*options, output, interrupts, end});
    }
    return end->finish(afterOutput(output, result));
}

} // namespace pilothouse
