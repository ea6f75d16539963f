// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/ownertext.h"

#include "ui/text/formatter.h"

#include <QCoreApplication>

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
    if (!process.comm.isEmpty())
        return process.comm;
    if (!title.isEmpty())
        return title;
    return process.driverName.isEmpty() ? format::unknownMark() : process.driverName;
}

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
    case u'Z': return Tr::tr("zombie");
    case u'T':
    case u't': return Tr::tr("stopped");
    case u'X': return Tr::tr("dead");
    default: break;
    }
    return QString(*process.state);
}

} // namespace pilothouse
