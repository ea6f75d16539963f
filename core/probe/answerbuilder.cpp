// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/answerbuilder.h"

#include "core/base/cleantext.h"
#include "core/probe/commandrules.h"

#include <QSet>

#include <algorithm>
#include <initializer_list>

using namespace Qt::StringLiterals;

namespace pilothouse {

namespace {

// The script cuts these lists there; a list cut short is no list.
constexpr qsizetype shmLimit = 1'000'000 - 1;
constexpr qsizetype mapsLimit = 2'000'000 - 1;

RawSection sectionOf(const Frame *frame)
{
    RawSection section;
    section.asked = true;
    if (!frame) {
        section.trouble = u"The host's answer does not hold this part."_s;
        return section;
    }
    section.complete = true;
    section.exitStatus = frame->status;
    section.startedAt = frame->startedAt;
    section.endedAt = frame->endedAt;
    section.output = frame->output;
    section.errors = frame->errors;
    return section;
}

/// One grep reads several files; every line of its begins with the file's name.
struct LinesOf
{
    QByteArrayView file;
    RawSection &part;
};
void sortLines(const RawSection &section, std::initializer_list<LinesOf> parts)
{
    for (const LinesOf &of : parts) {
        of.part = section;
        of.part.output.clear();
        if (section.complete)
            of.part.exitStatus = 0; // of grep, which complains about files that this kernel lacks
    }
    QByteArrayView rest = section.output;
    while (!rest.isEmpty()) {
        const qsizetype feed = rest.indexOf('\n');
        const QByteArrayView line = feed < 0 ? rest : rest.first(feed);
        rest = feed < 0 ? QByteArrayView() : rest.sliced(feed + 1);
        for (const LinesOf &of : parts) {
            const qsizetype length = of.file.size();
            if (line.size() > length && line[length] == ':' && line.startsWith(of.file))
                of.part.output.append(line.sliced(length + 1)).append('\n');
        }
    }
}

/// The files of one channel's processes: `name`, `name`-slow.
Result<ProcessFilesByPid> filesOf(const ProbeAnswer &answer, const QByteArray &name, Encoding encoding)
{
    ProcessFilesByPid files;
    if (const Frame *fast = answer.find(name)) {
        const auto raw = decodeBytes(fast->output, encoding);
        if (!raw)
            return fail(raw.error());
        auto read = readPrefixedFiles(*raw);
        if (!read)
            return fail(read.error());
        files = *std::move(read);
    }
    if (const Frame *slow = answer.find(QByteArray(name + "-slow"))) {
        const auto raw = decodeBytes(slow->output, encoding);
        if (!raw)
            return fail(raw.error());
        if (const auto read = readFramedFiles(*raw, answer.nonce, files); !read)
            return fail(read.error());
    }
    return files;
}

/// Their owners. The kernel's channel reads these and the host's figures in one go.
QHash<qint64, qint64> uidsOf(const ProbeAnswer &answer, const QByteArray &name)
{
    QHash<qint64, qint64> uids;
    for (const QByteArray &section : {QByteArray(name + "-uids"), QByteArray("host")}) {
        if (const Frame *frame = answer.find(section))
            uids.insert(readUids(frame->output));
    }
    return uids;
}

/// `before`: what stood under that number, where it is remembered.
RawProcess processOf(qint64 pid, const ProcessFiles &files, const RawProcess *before = nullptr)
{
    RawProcess process;
    process.pid = pid;
    process.stat = files.stat;
    process.cmdline = files.cmdline;
    process.cmdlineCut = files.cmdlineCut;
    process.cgroup = files.cgroup;
    process.ruleMatch = before && before->cmdline == files.cmdline
        ? before->ruleMatch
        : CommandRules::builtIn().match(files.cmdline) != nullptr;
    return process;
}

/// The processes that the kernel's channel describes.
Result<QList<AnswerMemo::Described>> describedOf(const ProbeAnswer &kernel, Encoding encoding, AnswerMemo &memo)
{
    const Frame *records = kernel.find("procs");
    const bool whole = records && !kernel.find("procs-slow"); // these hold the request's nonce
    if (whole && memo.encoding == encoding && memo.records == records->output)
        return memo.described;
    const auto files = filesOf(kernel, "procs", encoding);
    if (!files)
        return fail(files.error());
    QHash<qint64, const RawProcess *> before;
    for (const AnswerMemo::Described &each : std::as_const(memo.described))
        before.insert(each.process.pid, &each.process);
    QList<AnswerMemo::Described> described;
    described.reserve(files->size());
    for (auto it = files->begin(); it != files->end(); ++it) {
        described.append({processOf(it.key(), it.value(), before.value(it.key())),
                          readStatHead(it.value().stat)});
    }
    memo.encoding = whole ? std::optional(encoding) : std::nullopt;
    memo.records = whole ? records->output : QByteArray();
    memo.described = whole ? described : QList<AnswerMemo::Described>();
    return described;
}

class Builder
{
public:
    Builder(const HostFacts &facts, const TickAnswers &tick, AnswerMemo &memo)
        : m_facts(facts), m_tick(tick), m_memo(memo)
    { }

    BuiltTick build(QHash<qint64, QString> &users)
    {
        const ProbeAnswer &kernel = *m_tick.kernel;
        fillHost(kernel);
        fillUnits(kernel);
        if (m_answer.depth == Depth::Deep)
            fillDeep(kernel);
        fillProcesses(kernel);
        const ProbeAnswer *driver = m_tick.driver           ? &*m_tick.driver
                                    : m_tick.request.driver ? &kernel
                                                            : nullptr;
        fillSmi(driver);
        if (driver)
            mergeDriverProcesses(*driver);
        if (m_tick.driver) {
            m_answer.bytes += m_tick.driver->bytes;
            if (m_tick.driver->complete) {
                m_answer.uptimeBefore =
                    std::min(m_answer.uptimeBefore, m_tick.driver->uptimeBefore);
                m_answer.uptimeAfter = std::max(m_answer.uptimeAfter, m_tick.driver->uptimeAfter);
            }
        }
        if (const Frame *frame = kernel.find("users"))
            users.insert(readUsers(frame->output));
        if (const Frame *frame = driver ? driver->find("gpuusers") : nullptr)
            users.insert(readUsers(frame->output));
        m_answer.users = users;
        return {std::move(m_answer), std::move(m_described), std::move(m_suspects)};
    }

private:
    void fillHost(const ProbeAnswer &kernel)
    {
        m_answer.tick = m_tick.request.tick;
        m_answer.depth = m_tick.request.depth;
        m_answer.bootId = m_facts.bootId;
        m_answer.kernel = m_facts.kernel;
        m_answer.clockTicks = m_facts.clockTicks;
        m_answer.pageKib = m_facts.pageKib;
        m_answer.uptimeBefore = kernel.uptimeBefore;
        m_answer.uptimeAfter = kernel.complete || kernel.frames.isEmpty()
                                   ? kernel.uptimeAfter
                                   : kernel.frames.last().endedAt;
        m_answer.root = m_facts.uid == 0;
        m_answer.container = m_facts.container;
        m_answer.hidepid = m_facts.hidepid;
        m_answer.systemd = m_facts.systemd;
        m_answer.systemctl = m_facts.systemctl;
        m_answer.bytes = kernel.bytes;
        sortLines(sectionOf(kernel.find("host")), {{"meminfo", m_answer.meminfo},
                                                   {"loadavg", m_answer.loadavg},
                                                   {"vmstat", m_answer.vmstat}});
        const Frame *pci = kernel.find("pci");
        m_answer.pci = pci ? sectionOf(pci) : m_facts.pci;
    }

    void fillUnits(const ProbeAnswer &kernel)
    {
        if (std::ranges::any_of(m_tick.request.units, isUnitName))
            m_answer.units = sectionOf(kernel.find("units"));
        if (std::ranges::any_of(m_tick.request.userUnits, isUnitName))
            m_answer.userUnits = sectionOf(kernel.find("uunits"));
        if (const Frame *members = kernel.find("members")) {
            const QList<qint64> pids = readPids(members->output);
            m_members = QSet<qint64>(pids.begin(), pids.end());
            m_answer.matchLimitHit = members->status == 1;
        }
    }

    void fillDeep(const ProbeAnswer &kernel)
    {
        m_answer.tcp = sectionOf(kernel.find("tcp"));
        m_answer.kernelLog = sectionOf(kernel.find("kernel"));
        QHash<QByteArray, QList<qint64>> openers;
        const Frame *links = kernel.find("fds");
        m_linksComplete = links && links->status == 0;
        m_linksRead = links != nullptr;
        if (links) {
            const QList<HeldLink> held = readLinks(links->output);
            for (const HeldLink &link : held)
                takeLink(link, openers);
            m_answer.socketOwnersComplete = m_linksComplete;
        }
        m_answer.descriptorsFailed = !m_linksRead;
        if (const Frame *blind = kernel.find("blind")) {
            const QList<qint64> pids = readPids(blind->output);
            m_blind = QSet<qint64>(pids.begin(), pids.end());
        }
        const Frame *connections = kernel.find("connections");
        const Frame *figures = kernel.find("host"); // read by the same grep
        if (connections && connections->status == 0 && figures) {
            Networks networks = readNetworks(QByteArray(connections->output + figures->output));
            m_answer.connections = std::move(networks.tables);
            m_networks = std::move(networks.of);
        }
        if (const Frame *sessions = kernel.find("sessions"))
            m_answer.sessions = sectionOf(sessions);
        if (figures)
            m_status = readStatusLines(figures->output);
        if (const Frame *parents = kernel.find("parents")) {
            const QHash<qint64, QByteArray> lines = readStatusLines(parents->output);
            for (auto line = lines.cbegin(); line != lines.cend(); ++line) {
                if (line->startsWith("Name:\t"))
                    m_answer.names.insert(line.key(), line->sliced(6).trimmed());
            }
        }
        fillShm(kernel, openers);
    }

    /// "socket:[INODE]" or "pipe:[INODE]".
    static std::optional<RawDescriptor> endOf(const HeldLink &link)
    {
        const bool pipe = link.target.startsWith("pipe:[");
        if ((!pipe && !link.target.startsWith("socket:[")) || !link.target.endsWith(']'))
            return std::nullopt;
        bool ok = false;
        const quint64 inode = link.target.sliced(pipe ? 6 : 8).chopped(1).toULongLong(&ok);
        return ok ? std::optional(RawDescriptor{link.fd, pipe, inode}) : std::nullopt;
    }

    void takeLink(const HeldLink &link, QHash<QByteArray, QList<qint64>> &openers)
    {
        if (link.target.startsWith("/dev/nvidia")) {
            QList<QByteArray> &devices = m_devices[link.pid];
            if (!devices.contains(link.target))
                devices.append(link.target);
        } else if (const auto end = endOf(link)) {
            m_ends[link.pid].append(*end);
            if (!end->pipe && !m_answer.socketOwners.contains(end->inode))
                m_answer.socketOwners.insert(end->inode, link.pid);
        } else {
            QList<qint64> &pids = openers[link.target];
            if (!pids.contains(link.pid))
                pids.append(link.pid);
        }
    }

    void fillShm(const ProbeAnswer &kernel, const QHash<QByteArray, QList<qint64>> &openers)
    {
        const Frame *shm = kernel.find("shm");
        if (!shm || shm->status != 0 || shm->output.size() >= shmLimit)
            return;
        QList<RawShmFile> files = readShmFiles(shm->output);
        const Frame *maps = kernel.find("maps");
        const QHash<quint64, QList<qint64>> mappings =
            maps ? readMappings(maps->output) : QHash<quint64, QList<qint64>>();
        const bool mapsRead = maps && maps->status == 0 && maps->output.size() < mapsLimit;
        for (RawShmFile &file : files) {
            if (!mapsRead || !m_linksRead)
                file.mappedByUnknown = UnknownReason::Failed;
            if (!mapsRead || !m_linksComplete)
                continue;
            QList<qint64> pids = mappings.value(file.inode);
            const QList<qint64> others = openers.value(file.path);
            for (const qint64 pid : others) {
                if (!pids.contains(pid))
                    pids.append(pid);
            }
            std::ranges::sort(pids);
            file.mappedBy = pids;
        }
        m_answer.shm = files;
    }

    void fillProcesses(const ProbeAnswer &kernel)
    {
        const Frame *match = kernel.find("match");
        if (!match || match->status != 0) {
            m_answer.processTrouble =
                u"The command lines of the host's processes could not be searched."_s;
            return;
        }
        m_answer.matchLimitHit = m_answer.matchLimitHit || match->output.startsWith("limit=1");
        const auto described = describedOf(kernel, m_facts.encoding, m_memo);
        if (!described) {
            m_answer.processTrouble = described.error().detail;
            return;
        }
        const QHash<qint64, qint64> uids = uidsOf(kernel, "procs");
        m_answer.processes = QList<RawProcess>();
        QSet<qint64> seen;
        for (const AnswerMemo::Described &each : *described) {
            if (m_facts.hidepid)
                seen.insert(each.process.pid);
            if (!each.head)
                continue;
            RawProcess process = each.process;
            process.uid = uids.value(process.pid, -1);
            process.unitMember = m_members.contains(process.pid);
            noteSuspect(*each.head, kernel.uptimeBefore);
            m_described.append(process.pid);
            m_starts.insert(process.pid, each.head->startTicks);
            if (m_answer.depth == Depth::Deep)
                m_answer.names.insert(process.pid, each.head->comm);
            add(std::move(process));
        }
        if (m_facts.hidepid) {
            for (const qint64 pid : std::as_const(m_members)) {
                if (seen.contains(pid))
                    continue;
                RawProcess process;
                process.pid = pid;
                process.unitMember = true;
                process.readable = false;
                add(std::move(process));
            }
        }
    }

    void noteSuspect(const StatHead &head, double uptime)
    {
        const double age = uptime - static_cast<double>(head.startTicks) / m_facts.clockTicks;
        if (head.comm.startsWith("nvidia-smi"_L1) && (head.state == 'D' || age > 2))
            m_suspects.append(head.pid);
    }

    void add(RawProcess process)
    {
        const auto devices = m_devices.constFind(process.pid);
        const bool holds = devices != m_devices.constEnd();
        if (m_linksRead) {
            if (holds)
                process.devices = devices.value();
            else if (m_blind.contains(process.pid) || !process.readable)
                process.descriptorsDenied = true;
            else
                process.devices = QList<QByteArray>();
        }
        // Where its network may be seen, so may its descriptors, and they were looked for.
        process.network = m_networks.value(process.pid);
        if (m_linksRead && !process.network.isEmpty() && !process.descriptorsDenied)
            process.ends = m_ends.value(process.pid);
        process.status = m_status.value(process.pid);
        m_all.insert(process.pid, process);
        if (process.unitMember || process.ruleMatch || holds)
            m_answer.processes->append(std::move(process));
    }

    void fillSmi(const ProbeAnswer *driver)
    {
        SmiRun &smi = m_answer.smi;
        smi.askedFields = m_tick.request.gpuFields;
        const Frame *state = driver ? driver->find("smi") : nullptr;
        const Frame *gpus = driver ? driver->find("gpus") : nullptr;
        const Frame *apps = driver ? driver->find("apps") : nullptr;
        if (gpus)
            smi.gpus = sectionOf(gpus);
        if (apps)
            smi.apps = sectionOf(apps);
        if (driver && driver->find("mig"))
            smi.mig = sectionOf(driver->find("mig"));
        if (!state) {
            smi.status =
                m_tick.driverTimedOut ? GpuSource::Status::Timeout : GpuSource::Status::Failed;
            noteMissing(smi.gpus);
            noteMissing(smi.apps);
            return;
        }
        if (m_memo.smi.isEmpty() || m_memo.smi != state->output) {
            m_memo.smi = state->output;
            m_memo.smiSaid = readSettings(state->output);
            const QByteArray fields = m_memo.smiSaid.value("fields");
            m_memo.smiFields = fields.isEmpty() ? QStringList() : cleanLine(fields, 4096).split(u',');
        }
        const QHash<QByteArray, QByteArray> &said = m_memo.smiSaid;
        const QByteArray status = said.value("status");
        if (!m_memo.smiFields.isEmpty())
            smi.askedFields = m_memo.smiFields;
        if (status == "absent") {
            smi.status = GpuSource::Status::Absent;
        } else if (status == "hung") {
            smi.status = GpuSource::Status::Hung;
            const QList<qint64> numbers = readPids(said.value("stuck"));
            if (numbers.size() == 2) {
                smi.stuckPid = numbers[0];
                smi.stuckSinceUptime = static_cast<double>(numbers[1]) / m_facts.clockTicks;
            }
        } else if (status == "long" && !gpus) {
            smi.status = GpuSource::Status::Failed;
            smi.tooLong = true;
        } else {
            smi.status = statusOf(smi.gpus);
            if (status == "long")
                smi.apps.trouble = u"nvidia-smi's answer is far too long"_s;
            if (smi.status == GpuSource::Status::Ok && !apps)
                noteMissing(smi.apps);
            else if (smi.status == GpuSource::Status::Ok && timedOut(smi.apps))
                smi.status = GpuSource::Status::Timeout;
        }
    }

    void noteMissing(RawSection &section) const
    {
        section.asked = true;
        if (!section.complete && section.trouble.isEmpty())
            section.trouble = m_tick.driverTrouble.isEmpty()
                                  ? u"The host's answer does not hold this part."_s
                                  : m_tick.driverTrouble;
    }

    [[nodiscard]] bool timedOut(const RawSection &run) const
    {
        const bool killed = run.exitStatus == 143 || run.exitStatus == 137 || run.exitStatus == 271
                            || run.exitStatus == 265;
        const double limit = static_cast<double>(m_tick.smiLimit.count()) / 1000;
        return killed && run.endedAt - run.startedAt >= limit - 0.5;
    }

    [[nodiscard]] GpuSource::Status statusOf(const RawSection &run) const
    {
        if (!run.complete)
            return m_tick.driverTimedOut ? GpuSource::Status::Timeout : GpuSource::Status::Failed;
        if (timedOut(run))
            return GpuSource::Status::Timeout;
        if (run.exitStatus == 0)
            return GpuSource::Status::Ok;
        // A code that speaks for one card stands beside good rows of the others.
        const QList<QByteArray> lines = run.output.split('\n');
        const bool rows = std::ranges::any_of(lines, [this](const QByteArray &line) {
            return line.count(',') + 1 >= m_answer.smi.askedFields.size()
                   && m_answer.smi.askedFields.size() > 2;
        });
        return rows ? GpuSource::Status::Ok : GpuSource::Status::Failed;
    }

    void mergeDriverProcesses(const ProbeAnswer &driver)
    {
        if (!m_answer.processes)
            return;
        if (const Frame *ids = driver.find("gpuids"))
            confirm(readPids(ids->output));
        const auto files = filesOf(driver, "gpuprocs", m_facts.encoding);
        if (!files) {
            m_answer.processes.reset();
            m_answer.processTrouble = files.error().detail;
            return;
        }
        const QHash<qint64, qint64> uids =
            files->isEmpty() ? QHash<qint64, qint64>() : uidsOf(driver, "gpuprocs");
        for (auto it = files->begin(); it != files->end(); ++it) {
            const auto mine = readStatHead(it.value().stat);
            const auto theirs = m_starts.constFind(it.key());
            if (mine && theirs != m_starts.cend() && mine->startTicks == theirs.value()) {
                if (!isListed(it.key()))
                    m_answer.processes->append(m_all.value(it.key()));
                continue;
            }
            // Not seen by the kernel's channel, or the PID was given to another process in between.
            m_answer.processes->removeIf(
                [&it](const RawProcess &process) { return process.pid == it.key(); });
            RawProcess process = processOf(it.key(), it.value());
            process.uid = uids.value(it.key(), -1);
            m_answer.processes->append(std::move(process));
        }
    }

    /// Pairs of PID and start time (the state between them is no number): GPU processes that the
    /// kernel's answer describes. One that was replaced meanwhile is dropped, so that it is not
    /// taken for the holder.
    void confirm(const QList<qint64> &pairs)
    {
        for (qsizetype i = 0; i + 1 < pairs.size(); i += 2) {
            const qint64 pid = pairs[i];
            const auto start = m_starts.constFind(pid);
            if (start == m_starts.cend())
                continue;
            const bool same = start.value() == static_cast<quint64>(pairs[i + 1]);
            const bool listed = isListed(pid);
            if (same && !listed)
                m_answer.processes->append(m_all.value(pid));
            else if (!same)
                m_answer.processes->removeIf(
                    [pid](const RawProcess &process) { return process.pid == pid; });
        }
    }

    [[nodiscard]] bool isListed(qint64 pid) const
    {
        return std::ranges::any_of(*m_answer.processes,
                                   [pid](const RawProcess &process) { return process.pid == pid; });
    }

    const HostFacts &m_facts;
    const TickAnswers &m_tick;
    AnswerMemo &m_memo;
    HostAnswer m_answer;
    QSet<qint64> m_members;
    QSet<qint64> m_blind;
    QHash<qint64, QList<RawDescriptor>> m_ends;
    QHash<qint64, QByteArray> m_networks;
    QHash<qint64, QByteArray> m_status;
    QHash<qint64, QList<QByteArray>> m_devices;
    QHash<qint64, RawProcess> m_all;
    QHash<qint64, quint64> m_starts; ///< of those in m_all that could be read
    QList<qint64> m_described;
    QList<qint64> m_suspects;
    bool m_linksRead = false;
    bool m_linksComplete = false;
};

} // namespace

Result<HostFacts> readFacts(const ProbeAnswer &ready)
{
    const Frame *frame = ready.find("facts");
    if (!frame)
        return fail(ErrorCode::AnswerMalformed, u"The host's shell did not say what it found."_s);
    const QHash<QByteArray, QByteArray> said = readSettings(frame->output);
    if (said.value("protocol") != "1" || said.value("boot").isEmpty())
        return fail(ErrorCode::AnswerMalformed, u"The host has no usable /proc file system."_s);
    HostFacts facts;
    facts.bootId = cleanLine(said.value("boot"), 64);
    facts.kernel = cleanLine(said.value("kernel"), 128);
    facts.clockTicks = std::clamp(said.value("hz").toInt(), 1, 100'000);
    facts.pageKib = std::clamp(said.value("page_kib").toInt(), 1, 4096);
    bool ok = false;
    const qint64 uid = said.value("uid").toLongLong(&ok);
    facts.uid = ok ? uid : -1;
    facts.container = said.value("container") == "1";
    facts.hidepid = said.value("hidepid") == "1";
    facts.systemd = said.value("systemd") != "0";
    facts.systemctl = said.value("systemctl") != "0";
    facts.encoding = said.value("enc") == "od" ? Encoding::Hex : Encoding::Base64;
    facts.pci = sectionOf(ready.find("pci"));
    return facts;
}

Result<BuiltTick> buildAnswer(const HostFacts &facts, const TickAnswers &tick,
                              QHash<qint64, QString> &users, AnswerMemo &memo)
{
    if (!tick.kernel)
        return fail(ErrorCode::AnswerMalformed,
                    u"The host's answer holds nothing of its processes."_s);
    return Builder(facts, tick, memo).build(users);
}

} // namespace pilothouse
