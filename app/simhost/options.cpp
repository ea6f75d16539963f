// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "options.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QFileInfo>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

void declare(QCommandLineParser &parser)
{
    parser.setApplicationDescription(
        u"Simulated GPU hosts behind an SSH server on this machine's loopback.\n"
        "Prints one line of JSON when they are up, and ends with standard input or SIGTERM."_s);
    parser.addOptions({
        {u"dir"_s, u"Folder for ssh_config, known_hosts, identity and hosts.toml."_s, u"DIR"_s},
        {u"scenario"_s, u"demo, faults, plain, or a folder of hosts."_s, u"NAME"_s, u"demo"_s},
        {u"hosts"_s, u"N hosts, every second one serving, instead of a scenario."_s, u"N"_s},
        {u"processes"_s, u"Processes more on each of the N hosts."_s, u"N"_s, u"0"_s},
        {u"fast"_s, u"Answers from memory: no shell, no namespaces."_s},
        {u"or-fast"_s, u"The same, but only where namespaces are not to be had."_s},
        {u"max-sessions"_s, u"Session channels a connection."_s, u"N"_s, u"10"_s},
        {u"bind"_s, u"Loopback address to listen on."_s, u"ADDRESS"_s, u"127.0.0.1"_s},
        {u"tools"_s, u"pilothouse-simtools, if not beside this program."_s, u"FILE"_s},
        {u"keep"_s, u"Run on when standard input ends."_s},
        {{u"h"_s, u"help"_s}, u"This text."_s},
        {u"version"_s, u"The version."_s},
    });
}

Result<int> numberOf(const QCommandLineParser &parser, const QString &name, int least, int most)
{
    bool good = false;
    const int number = parser.value(name).toInt(&good);
    if (good && number >= least && number <= most)
        return number;
    return fail(ErrorCode::Usage, u"--%1 wants a number from %2 to %3."_s.arg(name, QString::number(least),
                                                                             QString::number(most)));
}

QString toolsPathOf(const QCommandLineParser &parser)
{
    if (parser.isSet(u"tools"_s))
        return QFileInfo(parser.value(u"tools"_s)).absoluteFilePath();
    const QString here = QCoreApplication::applicationDirPath();
    for (const QString &place : {u""_s, u"/../libexec/pilothouse"_s, u"/../lib/pilothouse"_s}) {
        const QString path = here + place + u"/pilothouse-simtools"_s;
        if (QFileInfo(path).isExecutable())
            return path;
    }
    return {};
}

Result<QString> folderOf(const QString &asked)
{
    if (asked.isEmpty())
        return fail(ErrorCode::Usage, u"--dir DIR says where to put the files of the console."_s);
    return QFileInfo(asked).absoluteFilePath();
}

Result<QList<ScenarioHost>> hostsOf(const QCommandLineParser &parser)
{
    if (parser.isSet(u"hosts"_s)) {
        const auto count = numberOf(parser, u"hosts"_s, 1, 2000);
        const auto processes = numberOf(parser, u"processes"_s, 0, 5000);
        if (!count || !processes)
            return fail(count ? processes.error() : count.error());
        return manyHosts(*count, *processes);
    }
    const QString name = parser.value(u"scenario"_s);
    return name.contains(u'/') ? readScenario(name) : presetHosts(name);
}

} // namespace

Result<SimhostOptions> parseOptions(const QStringList &arguments)
{
    QCommandLineParser parser;
    declare(parser);
    if (!parser.parse(arguments))
        return fail(ErrorCode::Usage, parser.errorText() + u'.');
    if (!parser.positionalArguments().isEmpty())
        return fail(ErrorCode::Usage, u"“%1” is not expected."_s.arg(parser.positionalArguments().first()));
    SimhostOptions options;
    if (parser.isSet(u"help"_s)) {
        options.printAndExit = parser.helpText();
        return options;
    }
    if (parser.isSet(u"version"_s)) {
        options.printAndExit = u"pilothouse-simhost %1\n"_s.arg(QCoreApplication::applicationVersion());
        return options;
    }
    const auto hosts = hostsOf(parser);
    const auto sessions = numberOf(parser, u"max-sessions"_s, 0, 1000);
    if (!hosts || !sessions)
        return fail(hosts ? sessions.error() : hosts.error());
    const auto folder = folderOf(parser.value(u"dir"_s));
    if (!folder)
        return fail(folder.error());
    options.simulation.hosts = *hosts;
    options.simulation.folder = *folder;
    options.simulation.toolsPath = toolsPathOf(parser);
    options.simulation.address = parser.value(u"bind"_s);
    options.simulation.inMemory = parser.isSet(u"fast"_s);
    options.simulation.limits.maxSessions = *sessions;
    if (parser.isSet(u"processes"_s)) {
        const auto processes = numberOf(parser, u"processes"_s, 0, 5000);
        if (!processes)
            return fail(processes.error());
        options.simulation.processes = *processes;
    }
    options.mayFallBack = parser.isSet(u"or-fast"_s) && !options.simulation.inMemory;
    options.watchInput = !parser.isSet(u"keep"_s);
    if (!options.simulation.inMemory && options.simulation.toolsPath.isEmpty())
        return fail(ErrorCode::LocalIo, u"pilothouse-simtools is not beside this program; --tools FILE names it."_s);
    return options;
}

} // namespace pilothouse
