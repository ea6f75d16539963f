// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/ownertext.h"

#include "ui/text/formatter.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

struct Tr
{
    Q_DECLARE_TR_FUNCTIONS(Process)
};

QString sessionName(const QString &name)
{
    QString number = name;
    number.remove(u"session-"_s).remove(u".scope"_s);
    return Tr::tr("session %1").arg(number);
}

} // namespace

QString textOf(const Owner &owner)
{
    switch (owner.kind) {
    case Owner::Kind::Unit: return owner.name;
    case Owner::Kind::UserUnit: return Tr::tr("%1 (user)").arg(owner.name);
    case Owner::Kind::Session: return sessionName(owner.name);
    case Owner::Kind::Container: return Tr::tr("container %1").arg(owner.name);
    case Owner::Kind::Pod: return Tr::tr("pod %1").arg(owner.name);
    case Owner::Kind::Slurm: return Tr::tr("Slurm %1").arg(owner.name);
    case Owner::Kind::Kernel: return Tr::tr("kernel");
    case Owner::Kind::Unknown: break;
    }
    return owner.name.isEmpty() ? format::unknownMark() : owner.name;
}

namespace {

/// What an interpreter runs where its own name says nothing: `python3 -c "from a.resource_tracker import main;main(4)"`
/// is a resource_tracker.
QString importedName(const Process &process)
{
    static const QRegularExpression code(u"^from ([A-Za-z0-9_.]+) import ([A-Za-z0-9_]+)"_s);
    if (!process.comm.startsWith(u"python"_s) && process.comm != u"pt_main_thread")
        return {};
    const qsizetype at = process.arguments.indexOf(u"-c"_s);
    const QRegularExpressionMatch match = code.match(at < 0 ? QString() : process.arguments.value(at + 1));
    const QString name = match.captured(2);
    return name == u"main" ? match.captured(1).section(u'.', -1) : name;
}

} // namespace

QString shortNameOf(const Process &process)
{
    if (process.rowsUnreadable)
        return Tr::tr("(PIDs hidden by the driver)");
    const qsizetype slash = process.command.isEmpty() ? -1 : process.arguments.value(0).lastIndexOf(u'/');
    const QString program = process.arguments.value(0).mid(slash + 1);
    const QString title = program.isEmpty() ? process.command.section(u' ', 0, 0) : program;
    constexpr qsizetype commLimit = 15;
    if (process.comm.size() >= commLimit && title.startsWith(process.comm))
        return title;
    if (const QString imported = importedName(process); !imported.isEmpty())
        return imported;
    if (!process.comm.isEmpty())
        return process.comm;
    if (!title.isEmpty())
        return title;
    if (process.driverName.isEmpty() && process.pid.value > 0)
        return Tr::tr("PID %1").arg(process.pid.value);
    return process.driverName.isEmpty() ? format::unknownMark() : process.driverName;
}

namespace {

/// A dead main thread may have living ones, which hold what it held; a whole zombie is its parent's to fetch.
QString zombieText(const Process &process)
{
    const int others = process.threads.valueOr(1) - 1;
    if (others > 0)
        return Tr::tr("main thread exited, %n still running", nullptr, others);
    return process.ppid.isKnown() ? Tr::tr("zombie (parent %1)").arg(process.ppid.value()) : Tr::tr("zombie");
}

} // namespace

QString stateTextOf(const Process &process)
{
    if (process.rowsUnreadable)
        return format::unknownMark();
    if (!process.state)
        return Tr::tr("not on the host");
    if (process.exiting)
        return Tr::tr("exiting");
    switch (process.state->unicode()) {
    case u'R': return Tr::tr("running");
    case u'S': return Tr::tr("sleeping");
    case u'I': return Tr::tr("idle");
    case u'D': return Tr::tr("stuck in the kernel (D)");
    case u'Z': return zombieText(process);
    case u'T':
    case u't': return Tr::tr("stopped");
    case u'X': return Tr::tr("dead");
    default: break;
    }
    return QString(*process.state);
}

} // namespace pilothouse
