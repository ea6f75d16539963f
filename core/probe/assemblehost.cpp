// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/cleantext.h"
#include "core/probe/assembleparts.h"
#include "core/probe/parse/kernellog.h"
#include "core/probe/parse/procfiles.h"
#include "core/probe/parse/procnet.h"
#include "core/probe/parse/systemctl.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

bool problemIsNamed(const AssembleContext &c, const QString &code)
{
    return std::any_of(c.snapshot.problems.begin(), c.snapshot.problems.end(),
                       [&](const Problem &problem) { return problem.code == code; });
}

/// Reads `section` or names why it cannot be; `read` gets the output.
template <class Read>
void section(AssembleContext &c, const RawSection &raw, const QString &code, const QString &what, Read read)
{
    if (!raw.asked)
        return;
    if (raw.complete)
        read(raw.output);
    else
        c.add(code, what + u" could not be read: "_s
                        + sentence(raw.trouble.isEmpty() ? u"the answer is incomplete"_s : raw.trouble));
}

void nameView(AssembleContext &c)
{
    const HostAnswer &answer = c.answer;
    if (answer.container)
        c.add(u"host.container"_s, u"The shell is inside a container."_s);
    if (answer.hidepid)
        c.add(u"host.hidepid"_s, u"Processes of other users are hidden from this account (hidepid)."_s);
    if (!answer.sudoTrouble.isEmpty())
        c.add(answer.sudoProblem, answer.sudoTrouble + u" Without it, this is what the account sees by itself."_s);
    if (answer.depth == Depth::Deep && !answer.root) {
        c.add(
            u"host.not_root"_s,
            u"An ordinary user cannot see the device descriptors, ports and shared memory of other users' processes."_s);
    }
}

/// Nobody answers for units: why.
void nameNoUnits(AssembleContext &c, const UnitBlocks &read, bool user)
{
    const bool absent = !c.answer.systemd || read.noSystemd;
    const bool forbidden = read.message.contains(u"permission denied"_s, Qt::CaseInsensitive);
    QString text = u"systemd cannot be reached"_s;
    if (!c.answer.systemd)
        text = u"This host does not run systemd"_s;
    else if (read.noSystemd)
        text = c.answer.systemctl ? u"This host does not run systemd"_s : u"This account finds no systemctl"_s;
    else if (user)
        text = u"User services cannot be reached: no user session for this account"_s;
    const QString words = c.answer.systemd ? u" ("_s + read.message + u")."_s : u"."_s;
    const QString unreachable = user ? u"systemd.user_unreachable"_s : u"systemd.unreachable"_s;
    const QString code = absent ? u"systemd.absent"_s : unreachable;
    if (!problemIsNamed(c, code)) // system and user units: said once
        c.add(code, text + words);
    if (user)
        return;
    c.snapshot.unknown.insert(u"units"_s, !absent ? UnknownReason::Failed
                                  : forbidden && c.answer.systemd ? UnknownReason::NoPermission
                                                                  : UnknownReason::Absent);
}

/// One section of units; false when nothing could be read.
bool readUnits(AssembleContext &c, const RawSection &raw, const QStringList &asked, bool user, QList<Unit> &units)
{
    const QString code = user ? u"section.user_units"_s : u"section.units"_s;
    const QString what = user ? u"User units"_s : u"Units"_s;
    if (!raw.complete) {
        c.add(code, what + u" could not be read: "_s
                        + sentence(raw.trouble.isEmpty() ? u"the answer is incomplete"_s : raw.trouble));
        return false;
    }
    const UnitBlocks read = parseUnits(asked, raw.output, raw.errors, {c.takenAt, c.answer.uptimeAfter}, user);
    units += read.units;
    if (read.units.isEmpty() && (read.noSystemd || read.noBus || !c.answer.systemd)) {
        nameNoUnits(c, read, user);
        return false;
    }
    for (const QString &name : read.unanswered) {
        c.add(u"unit.unanswered"_s, u"systemd says nothing about "_s + name
                + (read.message.isEmpty() ? u"."_s : u": "_s + sentence(read.message)));
    }
    return !read.units.isEmpty() || asked.isEmpty();
}

/// Names that no script can be given are refused one by one; when all are, nothing is asked.
void nameUnasked(AssembleContext &c, const RawSection &raw, const QStringList &names)
{
    if (raw.asked)
        return;
    for (const QString &name : names)
        c.add(u"unit.unanswered"_s, cleanLine(QStringView(name), 120) + u" was not asked for: it is no unit name."_s);
}

const char16_t *adviceFor(XidWeight weight)
{
    switch (weight) {
    case XidWeight::Note:
        return u"";
    case XidWeight::Application:
        return u"Restart the application; look closer if it happens again.";
    case XidWeight::Warning:
        return u"Look into the kernel log around it.";
    case XidWeight::Reset:
        return u"End what uses this GPU and reset it before new work starts there.";
    case XidWeight::Reboot:
        return u"Reboot or power-cycle the host.";
    }
    return u"";
}

Problem::Severity severityOf(XidWeight weight)
{
    switch (weight) {
    case XidWeight::Note:
        return Problem::Severity::Notice;
    case XidWeight::Application:
    case XidWeight::Warning:
        return Problem::Severity::Warning;
    case XidWeight::Reset:
    case XidWeight::Reboot:
        return Problem::Severity::Critical;
    }
    return Problem::Severity::Warning;
}

int indexAt(const Snapshot &snapshot, const QString &busId)
{
    for (const Gpu &gpu : snapshot.gpus.value_or(QList<Gpu>())) {
        if (!busId.isEmpty() && gpu.busId == busId)
            return gpu.index;
    }
    return -1;
}

void nameKernelEvent(AssembleContext &c, const KernelEvent &event, int times)
{
    const int gpu = indexAt(c.snapshot, event.busId);
    const QString often = times > 1 ? u", "_s + QString::number(times) + u" times"_s : QString();
    const QString at = event.busId.isEmpty() ? QString() : u" at "_s + event.busId;
    const QString last = u" (last "_s + event.when + often + u"): "_s + sentence(event.text);
    switch (event.kind) {
    case KernelEvent::Kind::Xid: {
        const XidMeaning meaning = meaningOfXid(event.number);
        const QString words = meaning.text.isEmpty() ? QString() : u", "_s + meaning.text;
        c.add(u"gpu.xid"_s, u"Xid "_s + QString::number(event.number) + words + at + last, gpu,
              severityOf(meaning.weight));
        c.snapshot.problems.last().advice = QString::fromUtf16(adviceFor(meaning.weight));
        break;
    }
    case KernelEvent::Kind::SXid:
        c.add(u"gpu.sxid"_s, u"NVSwitch error "_s + QString::number(event.number) + at + last);
        break;
    case KernelEvent::Kind::OffTheBus:
        c.add(u"gpu.off_the_bus"_s, u"A GPU has fallen off the bus"_s + at + last, gpu);
        break;
    case KernelEvent::Kind::OomKill:
        c.add(u"host.oom_kill"_s, u"The kernel ended "_s + event.name + u" (PID "_s + QString::number(event.pid)
                + u") for lack of host memory"_s + last);
        break;
    case KernelEvent::Kind::HungTask:
        c.add(u"host.hung_task"_s,
              event.name + u" (PID "_s + QString::number(event.pid) + u") hangs in the kernel"_s + last);
        break;
    }
}

void nameKernelEvents(AssembleContext &c, const QList<KernelEvent> &events)
{
    struct Group
    {
        KernelEvent last;
        int times;
    };
    QList<Group> groups;
    for (const KernelEvent &event : events) {
        const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group &group) {
            const bool perCard = event.kind == KernelEvent::Kind::Xid || event.kind == KernelEvent::Kind::SXid
                || event.kind == KernelEvent::Kind::OffTheBus;
            return group.last.kind == event.kind && group.last.number == event.number
                && (perCard ? group.last.busId == event.busId : group.last.name == event.name);
        });
        if (same == groups.end() && groups.size() < 64)
            groups += Group{event, 1};
        else if (same != groups.end())
            *same = {event, same->times + 1};
    }
    for (const Group &group : std::as_const(groups))
        nameKernelEvent(c, group.last, group.times);
}

void readListening(AssembleContext &c, QByteArrayView text)
{
    QList<ListeningPort> ports;
    for (const ListeningSocket &socket : parseListening(text)) {
        ListeningPort port{socket.address, socket.port, {}};
        const auto owner = c.answer.socketOwners.constFind(socket.inode);
        if (owner != c.answer.socketOwners.cend())
            port.pid = *owner;
        else if (!c.answer.socketOwnersComplete)
            port.pid = Quantity<qint64>::unknown(c.answer.descriptorsFailed ? UnknownReason::Failed
                                                                            : UnknownReason::NoPermission);
        if (!ports.contains(port))
            ports += port;
    }
    std::sort(ports.begin(), ports.end(), [](const ListeningPort &a, const ListeningPort &b) {
        return std::tie(a.port, a.address) < std::tie(b.port, b.address);
    });
    c.snapshot.listening = ports;
}

void readShm(AssembleContext &c)
{
    if (!c.answer.shm) {
        c.add(u"section.shm"_s, u"Shared memory files could not be read."_s);
        return;
    }
    QList<ShmFile> files;
    for (const RawShmFile &raw : *c.answer.shm) {
        files += ShmFile{cleanLine(raw.path, 512), (std::max<qint64>(0, raw.bytes) + 1023) / 1024, raw.uid, raw.device,
            raw.inode, raw.mappedBy, raw.mappedByUnknown};
    }
    c.snapshot.shm = files;
}

} // namespace

void assembleSystem(AssembleContext &c)
{
    const HostAnswer &answer = c.answer;
    SystemFacts &system = c.snapshot.system;
    system.container = answer.container;
    system.hidepid = answer.hidepid;
    system.root = answer.root;
    const auto failed = Quantity<qint64>::unknown(UnknownReason::Failed);
    if (answer.meminfo.asked)
        system.memoryTotalKib = system.memoryAvailableKib = failed;
    if (answer.vmstat.asked)
        system.oomKills = failed;
    if (answer.loadavg.asked)
        system.load1 = Quantity<double>::unknown(UnknownReason::Failed);
    if (answer.pci.asked)
        system.pciGpus = Quantity<int>::unknown(UnknownReason::Failed);
    section(c, answer.meminfo, u"section.memory"_s, u"The host's memory"_s, [&](QByteArrayView text) {
        const HostMemory memory = parseMeminfo(text);
        system.memoryTotalKib = memory.totalKib;
        system.memoryAvailableKib = memory.availableKib;
    });
    section(c, answer.loadavg, u"section.load"_s, u"The load"_s,
            [&](QByteArrayView text) { system.load1 = parseLoad1(text); });
    section(c, answer.vmstat, u"section.oom"_s, u"The count of OOM kills"_s,
        [&](QByteArrayView text) { system.oomKills = parseOomKills(text); });
    section(c, answer.pci, u"section.pci"_s, u"The PCI bus"_s, [&](QByteArrayView text) {
        ReadMemo &memo = c.memory.read;
        if (memo.pci != answer.pci.output) {
            memo.pci = answer.pci.output;
            memo.pciBusIds = parsePciGpus(text);
        }
        system.pciBusIds = memo.pciBusIds;
        system.pciGpus = int(system.pciBusIds.size());
    });
    nameView(c);
}

void assembleUnits(AssembleContext &c)
{
    const HostAnswer &answer = c.answer;
    QList<Unit> units;
    nameUnasked(c, answer.units, c.settings.units);
    nameUnasked(c, answer.userUnits, c.settings.userUnits);
    if (!answer.units.asked && !answer.userUnits.asked && !(answer.systemd && answer.systemctl)) {
        c.snapshot.unknown.insert(u"units"_s, UnknownReason::Absent); // nobody could have said "none"
        return;
    }
    bool systemRead = true;
    if (answer.units.asked)
        systemRead = readUnits(c, answer.units, c.settings.units, false, units);
    bool userRead = true;
    if (answer.userUnits.asked)
        userRead = readUnits(c, answer.userUnits, c.settings.userUnits, true, units);
    if (systemRead && (userRead || answer.units.asked)) {
        c.snapshot.units = units;
        c.snapshot.unknown.remove(u"units"_s);
        return;
    }
    if (!units.isEmpty())
        c.snapshot.units = units; // what was read counts; the rest is a named problem
    else if (!c.snapshot.unknown.contains(u"units"_s))
        c.snapshot.unknown.insert(u"units"_s, UnknownReason::Failed);
}

namespace {

/// Why the kernel log is silent, from the last line of what the tools said; the one before it is often a hint.
QString kernelLogTrouble(const QByteArray &errors)
{
    const QList<QByteArray> lines = errors.trimmed().split('\n');
    const QByteArray last = lines.last().trimmed();
    const QByteArray lower = last.toLower();
    const bool noTool = lower.contains("not found") || lower.contains("permission denied");
    if (lower.contains("journalctl: ") && noTool) // the shell's word
        return u"dmesg does not give it to this account, and there is no journalctl to ask"_s;
    return cleanLine(last, 200);
}

} // namespace

void assembleDeep(AssembleContext &c)
{
    const HostAnswer &answer = c.answer;
    if (answer.depth != Depth::Deep)
        return; // a light one does not look: no value and no reason
    section(c, answer.tcp, u"section.listening"_s, u"Listening ports"_s,
            [&](QByteArrayView text) { readListening(c, text); });
    readShm(c);
    if (answer.sessions.usable())
        c.snapshot.system.sessions = parseSessions(answer.sessions.output);
    RawSection log = answer.kernelLog;
    if (log.complete && log.exitStatus != 0 && log.output.trimmed().isEmpty()) { // silent is not the same as well
        log.complete = false;
        log.trouble = kernelLogTrouble(log.errors);
    }
    section(c, log, u"section.kernel_log"_s, u"The kernel log"_s,
        [&](QByteArrayView text) { nameKernelEvents(c, parseKernelLog(text)); });
    if (!c.snapshot.listening)
        c.snapshot.unknown.insert(u"listening"_s, UnknownReason::Failed);
    if (!c.snapshot.shm)
        c.snapshot.unknown.insert(u"shm"_s, UnknownReason::Failed);
}

} // namespace pilothouse
