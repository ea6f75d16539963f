// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis/facts.h"

#include "core/diagnosis/evidence.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr double loadingS = 900;      ///< a server may take so long to load
constexpr double surelyYoungS = 120;  ///< nobody can tell growth from one look
constexpr qint64 growthMib = 64;
constexpr qint64 growthKib = 256 * 1024;
constexpr qint64 heirMib = 500;       ///< unattributed beyond it is worth an explanation

bool atRest(const Unit &unit)
{
    return unit.active == "inactive"_L1 || unit.active == "failed"_L1;
}

/// No other host takes part in what these do; of all others some do.
bool staysOnOneHost(const QString &engine)
{
    static const QSet<QString> alone{u"comfyui"_s, u"llamacpp"_s, u"ollama"_s, u"tgi"_s, u"triton"_s};
    return alone.contains(engine);
}

class Finder
{
public:
    Finder(const Kin &kin, const Ground &ground)
        : m_kin(kin)
        , m_ground(ground)
        , m_table(ground.table)
        , m_snapshot(ground.input.snapshot)
        , m_lineage(ground.input.lineage)
    {
    }

    FamilyFacts run()
    {
        findHome();
        findHoldings();
        findPorts();
        findLife();
        findPeers();
        findWork();
        findPurpose();
        findProof();
        findOwner();
        findRespawn();
        return m_found;
    }

private:
    const TableRow &row(qsizetype at) const { return m_table.row(at); }
    const Process &process(qsizetype at) const { return *row(at).process; }
    void add(const QString &name, const QString &one = {}, const QString &two = {}) { m_found.facts += Fact{name, one, two}; }
    bool has(RoleClass roleClass) const
    {
        return std::ranges::any_of(m_kin.rows, [&](qsizetype at) { return row(at).roleClass == roleClass; });
    }
    /// Its life is an engine's: a server, or what a server leaves.
    bool isEngine() const
    {
        const auto dependent = [&](qsizetype at) { return row(at).isDependent() || row(at).roleClass == RoleClass::Helper; };
        return m_kin.head >= 0 ? row(m_kin.head).roleClass == RoleClass::Server
                               : std::ranges::any_of(m_kin.rows, dependent);
    }
    qsizetype face() const { return m_kin.first >= 0 ? m_kin.first : m_kin.rows.first(); }

    void findHome()
    {
        for (const qsizetype at : m_kin.rows) {
            const Unit *unit = m_ground.unitOf(process(at).owner, process(at));
            if (unit && !m_found.unit)
                m_found.unit = unit;
        }
        if (!m_found.unit && m_kin.remembered)
            m_found.unit = m_ground.unitOf(m_kin.remembered->owner, process(face()));
        const Owner &owner = process(face()).owner;
        const bool unitOwned = owner.kind == Owner::Kind::Unit || owner.kind == Owner::Kind::UserUnit;
        m_found.unitName = m_found.unit ? m_found.unit->name : unitOwned ? owner.name : QString();
        if (m_found.unit && !atRest(*m_found.unit)) {
            const qsizetype main = m_table.find(m_found.unit->mainPid.valueOr(-1));
            m_found.unitSupervises = main >= 0 && m_kin.rows.contains(main);
        }
        const auto inHome = [&](Owner::Kind kind) { return owner.kind == kind; };
        if (inHome(Owner::Kind::Container) || inHome(Owner::Kind::Pod))
            add(u"CONTAINER"_s, owner.name);
        else if (inHome(Owner::Kind::Slurm))
            add(u"SLURM"_s, owner.name);
        else if (inHome(Owner::Kind::Session))
            add(u"SESSION"_s, owner.name, sessionWords(owner.name));
        else if (!m_found.unitName.isEmpty())
            add(u"IN_UNIT"_s, m_found.unitName);
        if (m_found.unit && m_found.unit->active == "deactivating"_L1)
            add(u"STOPPING"_s, m_found.unitName);
    }

    QString sessionWords(const QString &name) const
    {
        const auto &sessions = m_snapshot.system.sessions;
        if (!sessions)
            return {};
        const bool open = std::ranges::any_of(*sessions, [&](const LoginSession &session) { return session.name == name; });
        return open ? u", which is still open"_s : u", which has ended"_s;
    }

    void findHoldings()
    {
        qint64 locked = 0;
        for (const qsizetype at : m_kin.rows) {
            m_holds = m_holds || row(at).holds;
            locked += std::max<qint64>(0, process(at).deep.lockedKib.value_or(0));
            m_blind = m_blind || (!process(at).devices && !row(at).listed);
            for (const ProcessGpuMemory &memory : process(at).gpuMemory) {
                if (memory.gpu >= 0 && !m_found.gpus.contains(memory.gpu))
                    m_found.gpus += memory.gpu;
            }
        }
        std::ranges::sort(m_found.gpus);
        const double gib = double(locked) / (1024.0 * 1024.0);
        if (gib >= 1)
            add(u"PINNED"_s, QString::number(gib, 'f', 0), QString::number(10 + 0.15 * gib, 'f', 0));
        for (const Gpu &gpu : m_snapshot.gpus.value_or(QList<Gpu>())) {
            const bool asksReset = gpu.recoveryAction.isKnown() && gpu.recoveryAction.value().compare("none"_L1, Qt::CaseInsensitive) != 0;
            if (m_found.gpus.contains(gpu.index) && (!gpu.fault.isEmpty() || asksReset))
                add(u"FAULT"_s, QString::number(gpu.index), gpu.fault.isEmpty() ? gpu.recoveryAction.value() : gpu.fault);
        }
    }

    void findPorts()
    {
        QStringList unasked;
        for (const qsizetype at : m_kin.rows) {
            for (const quint16 port : m_ground.ports.value(process(at).pid.value)) {
                const PortAnswer answer = m_ground.input.ports.value(port, PortAnswer::Unasked);
                if (answer == PortAnswer::Answers && !m_found.find(u"SERVED"))
                    add(u"SERVED"_s, QString::number(port));
                else if (answer == PortAnswer::Unasked && !unasked.contains(QString::number(port)))
                    unasked += QString::number(port);
            }
        }
        if (!unasked.isEmpty())
            add(u"UNASKED"_s, unasked.join(u", "_s));
    }

    QString growth(qsizetype at, const HostMoment &before) const
    {
        const auto identity = process(at).identity();
        const auto known = identity ? before.processes.constFind(*identity) : before.processes.cend();
        if (known == before.processes.cend())
            return {};
        const Quantity<qint64> now = heldBy(process(at));
        if (now.isKnown() && known->mib && now.value() - *known->mib > growthMib)
            return u"its GPU memory grows"_s;
        const Quantity<qint64> &rss = process(at).rssKib;
        if (rss.isKnown() && known->rssKib && rss.value() - *known->rssKib > growthKib)
            return u"its host memory grows"_s;
        return {};
    }

    /// Young and growing; from a single look, very young.
    void findLife()
    {
        if (has(RoleClass::Runtime) || (has(RoleClass::RayWorker) && m_ground.rayLives))
            add(u"RAY"_s);
        if (!isEngine())
            return;
        double youngest = -1;
        for (const qsizetype at : m_kin.rows) {
            const Quantity<double> &age = process(at).elapsedS;
            if (age.isKnown() && row(at).roleClass != RoleClass::Helper && (youngest < 0 || age.value() < youngest))
                youngest = age.value();
        }
        const auto young = [&](const QString &why) { add(u"LOADING"_s, QString::number(youngest, 'f', 0), why); };
        if (m_found.unit && m_found.unit->active == "activating"_L1 && m_found.unitSupervises)
            return young(u"its unit is starting"_s);
        if (youngest < 0 || youngest > loadingS)
            return;
        const HostMoment *before = m_ground.before();
        if (m_kin.head >= 0)
            return young(u"its server does not answer yet"_s);
        if (before) {
            for (const qsizetype at : m_kin.rows) {
                const QString how = growth(at, *before);
                if (!how.isEmpty())
                    return young(how);
            }
        }
        if (youngest < surelyYoungS && !(before && before->at.msecsTo(m_snapshot.takenAt) >= 10'000))
            young(u"its growth cannot be told from one look"_s);
    }

    bool sharesCard(int gpu) const
    {
        const auto holders = m_ground.cardHolders.value(gpu);
        return std::ranges::any_of(holders, [&](qsizetype at) { return !m_kin.rows.contains(at); });
    }

    /// Where nobody could look and its server is gone, it may be a rank of a server that lives on elsewhere.
    void findPeers()
    {
        QStringList peers;
        bool asked = true;
        bool mayBeRank = false;
        for (const qsizetype at : m_kin.rows) {
            const std::optional<QStringList> &known = process(at).deep.peers;
            peers += known.value_or(QStringList());
            if (known || row(at).roleClass == RoleClass::Helper || process(at).exiting)
                continue;
            asked = false;
            mayBeRank = mayBeRank || !staysOnOneHost(row(at).engine());
        }
        if (!peers.isEmpty())
            return add(u"PEERS"_s, peers.first() + (peers.size() > 1 ? u" and others"_s : QString()));
        if (asked)
            return;
        add(u"NO_PEERS"_s);
        if (mayBeRank && m_kin.head < 0 && m_holds && isEngine() && m_snapshot.depth == Depth::Deep)
            add(u"UNPROVED"_s, u"It may be a rank of a server that spans several hosts"_s);
    }

    /// The load of its cards, now and in the last minute; cards of its own tell more than shared ones.
    void findWork()
    {
        const QList<Gpu> gpus = m_snapshot.gpus.value_or(QList<Gpu>());
        QList<Gpu> own;
        for (const Gpu &gpu : gpus) {
            if (m_found.gpus.contains(gpu.index) && !sharesCard(gpu.index))
                own += gpu;
        }
        if (own.isEmpty()) {
            std::ranges::copy_if(gpus, std::back_inserter(own), [&](const Gpu &gpu) { return m_found.gpus.contains(gpu.index); });
        }
        bool known = !own.isEmpty();
        for (const Gpu &gpu : std::as_const(own)) {
            double most = gpu.utilizationPct.valueOr(-1);
            known = known && gpu.utilizationPct.isKnown();
            for (const HostMoment &moment : m_ground.minute)
                most = std::max(most, moment.loadPct.value(gpu.uuid, -1));
            if (most > 0) {
                return add(u"WORKED"_s, u"GPU %1 was busy to %2 %"_s.arg(QString::number(gpu.index), QString::number(most, 'f', 0)));
            }
        }
        if (!known && !m_found.gpus.isEmpty() && !workedByClock())
            add(u"NO_LOAD"_s);
    }

    /// Where the driver tells no load, the time that its holders spent on a processor.
    bool workedByClock()
    {
        const HostMoment *before = m_ground.before();
        if (!before)
            return false;
        const double passed = double(before->at.msecsTo(m_snapshot.takenAt)) / 1000;
        for (const qsizetype at : m_kin.rows) {
            const auto identity = process(at).identity();
            if (!identity || !row(at).holds || !process(at).cpuS.isKnown() || passed < 1)
                continue;
            const auto known = before->processes.constFind(*identity);
            if (known == before->processes.cend() || !known->cpuS)
                continue;
            if ((process(at).cpuS.value() - *known->cpuS) / passed > 0.5) {
                add(u"WORKED"_s, u"PID %1 used a processor"_s.arg(process(at).pid.value));
                return true;
            }
        }
        return false;
    }

    void findPurpose()
    {
        QString span;
        for (const qsizetype at : m_kin.rows) {
            if (span.isEmpty())
                span = spanOf(process(at).arguments);
        }
        if (span.isEmpty() && m_kin.remembered)
            span = spanOf(m_kin.remembered->headCommand.split(u' '));
        if (!span.isEmpty() && isEngine())
            add(u"MULTINODE"_s, span);
        if (!m_holds && isEngine() && !m_blind)
            add(u"NO_HOLDER"_s, row(face()).role);
        findHeir();
        if (m_kin.head < 0) {
            if (!isEngine())
                add(u"UNPROVED"_s, u"What it is, nobody here knows"_s);
            return;
        }
        switch (row(m_kin.head).roleClass) {
        case RoleClass::Notebook: return add(u"HUMAN"_s, u"It is a notebook"_s);
        case RoleClass::Training: return add(u"HUMAN"_s, u"It is a training run"_s);
        case RoleClass::App: return add(u"HUMAN"_s, u"It is a program of its own (%1)"_s.arg(row(m_kin.head).role));
        case RoleClass::Importer: return add(u"IMPORTER"_s);
        default: break;
        }
        if (row(m_kin.head).role == "ollama.server"_L1)
            add(u"KEEPALIVE"_s);
    }

    /// A descriptor without a row in the driver's list, while a card holds memory that nobody accounts for.
    void findHeir()
    {
        if (!m_holds || std::ranges::any_of(m_kin.rows, [&](qsizetype at) { return row(at).listed; }))
            return;
        const auto orphaned = [&](qsizetype at) { return parentIsGone(at); };
        const bool alone = std::ranges::all_of(m_kin.rows, [&](qsizetype at) {
            return m_kin.rows.contains(m_table.find(process(at).ppid.valueOr(-1))) || orphaned(at);
        });
        const auto unexplained = [&](const Gpu &gpu) {
            return gpu.unattributedMib.valueOr(0) - m_lineage.idleMib.value(gpu.uuid, 0) > heirMib;
        };
        const QList<Gpu> gpus = m_snapshot.gpus.value_or(QList<Gpu>());
        const auto ghost = [](const TableRow &r) { return !r.present && r.listed && !r.process->rowsUnreadable; };
        if (alone && (std::ranges::any_of(gpus, unexplained) || std::ranges::any_of(m_table.rows(), ghost)))
            add(u"HEIR"_s);
    }

    /// Whoever started it has ended: init or another reaper has it now, or it was seen to change parents.
    bool parentIsGone(qsizetype at) const
    {
        const Process &child = process(at);
        if (!child.ppid.isKnown())
            return false;
        const qint64 ppid = child.ppid.value();
        if (ppid <= 1)
            return true;
        const auto identity = child.identity();
        if (m_kin.remembered && identity) {
            const auto known = m_kin.remembered->members.constFind(*identity);
            if (known != m_kin.remembered->members.cend() && known->ppid > 0 && known->ppid != ppid)
                return true;
        }
        const qsizetype parent = m_table.find(ppid);
        if (parent >= 0)
            return row(parent).roleClass == RoleClass::System || !row(parent).running || row(parent).start() > row(at).start();
        return child.deep.parentName && isReaper(*child.deep.parentName);
    }

    void findProof()
    {
        if (!isEngine())
            return;
        if (m_found.unit && atRest(*m_found.unit))
            add(u"UNIT_STOPPED"_s, m_found.unitName, m_found.unit->active);
        if (m_kin.remembered && m_kin.head < 0 && !m_table.isAlive(m_kin.remembered->head)) {
            add(u"REMEMBERED"_s, u"Its server, PID %1,"_s.arg(m_kin.remembered->head.pid.value),
                clockOf(m_kin.remembered->healthyAt));
        }
        if (m_kin.head >= 0) {
            add(u"SILENT"_s);
            return;
        }
        bool gone = true;
        for (const qsizetype at : m_kin.rows) {
            const qint64 ppid = process(at).ppid.valueOr(0);
            const qsizetype parent = m_table.find(ppid);
            const bool inFamily = parent >= 0 && parent != at && m_kin.rows.contains(parent);
            if (inFamily || row(at).roleClass == RoleClass::Helper || parentIsGone(at))
                continue;
            gone = false;
            if (parent >= 0)
                add(u"PARENT_ALIVE"_s, QString::number(ppid), process(parent).comm);
            else if (process(at).deep.parentName)
                add(u"PARENT_ALIVE"_s, QString::number(ppid), *process(at).deep.parentName);
            else
                add(u"PARENT_UNSEEN"_s, ppid > 0 ? QString::number(ppid) : u"unknown"_s);
            break;
        }
        if (gone)
            add(u"ORPHAN"_s, endOf());
    }

    /// How the server ended, where the unit tells.
    QString endOf() const
    {
        const Unit *unit = m_found.unit;
        if (!unit || !atRest(*unit) || !unit->execMainCode.isKnown() || unit->execMainCode.value() < 2)
            return {};
        return u" (ended by signal %1)"_s.arg(unit->execMainStatus.valueOr(0));
    }

    void findOwner()
    {
        const LoginRights &login = m_ground.input.login;
        QSet<QString> known;
        for (const Unit &unit : m_snapshot.units.value_or(QList<Unit>()))
            known.insert(unit.userName.isEmpty() && !unit.user ? u"root"_s : unit.userName);
        // A worker may run as somebody else than its server; a server of a stranger excuses nobody.
        const auto headUser = [&] { return m_kin.remembered->members.value(m_kin.remembered->head).user; };
        const bool ownRun = m_kin.remembered
            && (known.contains(headUser()) || (!login.user.isEmpty() && headUser() == login.user));
        QStringList others;
        bool unsure = false;
        bool rights = true;
        for (const qsizetype at : m_kin.rows) {
            const Process &one = process(at);
            const bool own = (one.uid.isKnown() && login.uid.isKnown() && one.uid == login.uid)
                || (!login.user.isEmpty() && one.user == login.user);
            const QString name = one.user.isEmpty() && one.uid.isKnown() ? u"uid %1"_s.arg(one.uid.value()) : one.user;
            if (!one.uid.isKnown() && one.user.isEmpty()) {
                unsure = true;
                continue;
            }
            rights = rights && (own || login.everything);
            const auto identity = one.identity();
            const bool remembered = identity && ownRun && m_kin.remembered->members.contains(*identity);
            if (!own && !known.contains(name) && !remembered && !others.contains(name))
                others += name;
            if (!rights && m_other.isEmpty())
                m_other = name;
        }
        if (!others.isEmpty())
            add(u"FOREIGN_UID"_s, others.join(u", "_s));
        else if (unsure)
            add(u"UNKNOWN_UID"_s);
        else if (!rights)
            add(u"NO_RIGHTS"_s, m_other);
        if (m_blind)
            add(u"HIDDEN"_s);
        if (m_snapshot.depth == Depth::Light)
            add(u"UNPROVED"_s, u"Only a deep look tells enough to end it"_s);
        else if (!m_snapshot.gpus)
            add(u"UNPROVED"_s, u"The GPUs' figures could not be read, so nothing would show that memory came back"_s);
        else if (!m_snapshot.listening)
            add(u"UNPROVED"_s, u"Listening ports could not be read"_s);
        if (has(RoleClass::RayWorker))
            add(u"UNPROVED"_s, u"It is a Ray worker: \"ray stop\" ends it in order"_s);
        for (const qsizetype at : m_kin.rows) {
            const RoleClass roleClass = row(at).roleClass;
            const bool own = roleClass == RoleClass::Training || roleClass == RoleClass::Notebook
                || roleClass == RoleClass::Runtime || roleClass == RoleClass::Mpi || roleClass == RoleClass::Importer;
            if (own && at != m_kin.head)
                return add(u"UNPROVED"_s, u"It has something of its own inside: "_s + nameOf(process(at)));
        }
    }

    void findRespawn()
    {
        const qsizetype at = face();
        const Quantity<double> &age = process(at).elapsedS;
        const QDateTime &ended = m_ground.input.endedAt;
        const bool afterKill = ended.isValid() && age.isKnown()
            && m_snapshot.takenAt.addMSecs(-qint64(age.value() * 1000)) > ended;
        const bool counted = m_found.unit && m_found.unitSupervises && m_found.unit->restarts.isKnown()
            && m_found.unit->restarts.value() > m_lineage.restarts.value(m_found.unitName, m_found.unit->restarts.value());
        if (afterKill || counted)
            add(u"RESPAWNED"_s, m_found.unitName.isEmpty() ? process(at).owner.name : m_found.unitName);
    }

    const Kin &m_kin;
    const Ground &m_ground;
    const Table &m_table;
    const Snapshot &m_snapshot;
    const Lineage &m_lineage;
    FamilyFacts m_found;
    bool m_holds = false;
    bool m_blind = false; ///< somebody's descriptors are not known
    QString m_other;
};

} // namespace

const Fact *FamilyFacts::find(QStringView name) const
{
    const auto found = std::ranges::find_if(facts, [&](const Fact &fact) { return fact.name == name; });
    return found == facts.end() ? nullptr : &*found;
}

const HostMoment *Ground::before() const
{
    const auto found = std::ranges::find_if(minute, &HostMoment::whole);
    return found == minute.end() ? nullptr : &*found;
}

Ground::Ground(const DiagnosisInput &in, const Table &rows)
    : input(in)
    , table(rows)
{
    std::ranges::copy_if(in.lineage.minute, std::back_inserter(minute), [&](const HostMoment &moment) {
        const qint64 ago = moment.at.msecsTo(in.snapshot.takenAt);
        return ago >= 0 && ago <= 60'000;
    });
    if (in.snapshot.listening) {
        for (const ListeningPort &port : *in.snapshot.listening) {
            if (port.pid.isKnown() && !ports[port.pid.value()].contains(port.port))
                ports[port.pid.value()] += port.port;
        }
    }
    for (qsizetype at = 0; at < table.rows().size(); ++at) {
        const TableRow &row = table.row(at);
        rayLives = rayLives || (row.roleClass == RoleClass::Runtime && row.running);
        if (!row.listed)
            continue;
        for (const ProcessGpuMemory &memory : row.process->gpuMemory)
            cardHolders[memory.gpu].insert(at);
    }
}

const Unit *Ground::unitOf(const Owner &owner, const Process &process) const
{
    const bool ofUser = owner.kind == Owner::Kind::UserUnit;
    if ((owner.kind != Owner::Kind::Unit && !ofUser) || !input.snapshot.units)
        return nullptr;
    if (ofUser && (!process.uid.isKnown() || process.uid != input.login.uid))
        return nullptr; // only this login's manager was asked
    const auto found = std::ranges::find_if(*input.snapshot.units,
        [&](const Unit &unit) { return unit.name == owner.name && unit.user == ofUser; });
    return found == input.snapshot.units->end() ? nullptr : &*found;
}

FamilyFacts factsOf(const Kin &kin, const Ground &ground)
{
    return Finder(kin, ground).run();
}

} // namespace pilothouse
