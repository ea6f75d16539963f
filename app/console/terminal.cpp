// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/terminal.h"

#include <QProcess>
#include <QStandardPaths>

#include <algorithm>
#include <array>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

struct Terminal
{
    const char16_t *program;
    const char16_t *before; ///< arguments before the command, separated by blanks
};

/// In order of preference. What each wants before the command is from its manual.
constexpr std::array terminals{
    Terminal{u"x-terminal-emulator", u"-e"},
    Terminal{u"gnome-terminal", u"--"},
    Terminal{u"kgx", u"--"},
    Terminal{u"ptyxis", u"--"},
    Terminal{u"konsole", u"-e"},
    Terminal{u"xfce4-terminal", u"-x"},
    Terminal{u"mate-terminal", u"-x"},
    Terminal{u"terminator", u"-x"},
    Terminal{u"kitty", u""},
    Terminal{u"foot", u""},
    Terminal{u"alacritty", u"-e"},
    Terminal{u"wezterm", u"start --"},
    Terminal{u"urxvt", u"-e"},
    Terminal{u"xterm", u"-e"},
};

QStringList argumentsBefore(const QString &program)
{
    const QString name = program.section(u'/', -1);
    const auto it = std::ranges::find_if(
        terminals, [&name](const Terminal &terminal) { return name == QStringView(terminal.program); });
    const QString before = it == terminals.end() ? u"-e"_s : QString::fromUtf16(it->before);
    return before.split(u' ', Qt::SkipEmptyParts);
}

} // namespace

Result<QStringList> terminalLine(const QStringList &command, const QString &preferred, const FindProgram &find)
{
    QStringList wanted = QProcess::splitCommand(preferred);
    if (!wanted.isEmpty()) {
        const QString program = find(wanted.takeFirst());
        if (!program.isEmpty())
            return QStringList{program} + wanted + argumentsBefore(program) + command;
    }
    for (const Terminal &terminal : terminals) {
        const QString program = find(QString::fromUtf16(terminal.program));
        if (!program.isEmpty())
            return QStringList{program} + argumentsBefore(QString::fromUtf16(terminal.program)) + command;
    }
    return fail(ErrorCode::LocalIo, u"No terminal program was found on this machine."_s,
                u"Install one, or name yours in the variable TERMINAL."_s);
}

Result<void> openTerminal(const QStringList &command)
{
    const auto find = [](const QString &name) { return QStandardPaths::findExecutable(name); };
    Result<QStringList> line = terminalLine(command, qEnvironmentVariable("TERMINAL"), find);
    if (!line)
        return fail(line.error());
    const QString program = line->takeFirst();
    if (!QProcess::startDetached(program, *line))
        return fail(ErrorCode::LocalIo, u"%1 could not be started."_s.arg(program));
    return {};
}

} // namespace pilothouse
