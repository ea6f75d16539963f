// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis/kinship.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr double oneLaunchS = 120; ///< workers of one launch start within it

/// Sets of rows that are joined step by step.
class Sets
{
public:
    explicit Sets(qsizetype size)
        : m_up(std::size_t(size))
    {
        std::iota(m_up.begin(), m_up.end(), qsizetype(0));
    }
    qsizetype of(qsizetype at)
    {
        while (m_up[std::size_t(at)] != at)
            at = m_up[std::size_t(at)] = m_up[std::size_t(m_up[std::size_t(at)])];
        return at;
    }
    bool join(qsizetype a, qsizetype b)
    {
        a = of(a);
        b = of(b);
        m_up[std::size_t(std::max(a, b))] = std::min(a, b);
        return a != b;
    }

private:
    std::vector<qsizetype> m_up;
};

struct Component
{
    QList<qsizetype> rows;
    QList<qsizetype> heads;
    QString engine;      ///< empty: helpers and nameless children only
    bool dependents = false;
};

class Joining
{
public:
    Joining(const Table &table, const Lineage &lineage)
        : m_table(table)
        , m_lineage(lineage)
        , m_sets(table.rows().size())
    {
    }

    QList<Kin> run()
    {
        byParent();
        byPipe();
        byMemory();
        byLaunch();
        return result();
    }

private:
    const Process &process(qsizetype at) const { return *m_table.row(at).process; }

    void tie(qsizetype a, qsizetype b, const QString &by)
    {
        if (!m_sets.join(a, b))
            return;
        for (const qsizetype at : {a, b}) {
            if (!m_tied.contains(at))
                m_tied.insert(at, by);
        }
    }

    void byParent()
    {
        for (qsizetype at = 0; at < m_table.rows().size(); ++at) {
            if (!m_table.row(at).hasFamily())
                continue;
            const qsizetype parent = m_table.find(process(at).ppid.valueOr(-1));
            if (parent < 0 || parent == at || !m_table.row(parent).hasFamily())
                continue;
            if (m_table.row(parent).start() > m_table.row(at).start())
                continue; // the number belongs to another process by now
            m_sets.join(parent, at);
            m_child.insert(at);
        }
    }

    void byPipe()
    {
        QHash<quint64, qsizetype> first;
        for (qsizetype at = 0; at < m_table.rows().size(); ++at) {
            if (!m_table.row(at).hasFamily() || !process(at).deep.trackerPipes)
                continue;
            for (const quint64 inode : *process(at).deep.trackerPipes) {
                const auto known = first.constFind(inode);
                if (known == first.cend())
                    first.insert(inode, at);
                else
                    tie(*known, at, u"the pipe of its resource tracker"_s);
            }
        }
    }

    void byMemory()
    {
        for (const RememberedFamily &family : m_lineage.families) {
            QList<qsizetype> alive;
            for (auto member = family.members.keyBegin(); member != family.members.keyEnd(); ++member) {
                const qsizetype at = m_table.find(member->pid.value);
                if (at >= 0 && m_table.row(at).hasFamily() && process(at).identity() == *member)
                    alive += at;
            }
            std::ranges::sort(alive);
            for (const qsizetype at : std::as_const(alive)) {
                m_remembered.insert(at, &family);
                tie(alive.first(), at, u"what was seen while its server lived"_s);
            }
        }
    }

    std::map<qsizetype, Component> components()
    {
        std::map<qsizetype, Component> all;
        for (qsizetype at = 0; at < m_table.rows().size(); ++at) {
            const TableRow &row = m_table.row(at);
            if (!row.hasFamily())
                continue;
            Component &component = all[m_sets.of(at)];
            component.rows += at;
            if (row.isHead())
                component.heads += at;
            const bool named = row.roleClass != RoleClass::Helper && row.roleClass != RoleClass::Spawned
                && row.roleClass != RoleClass::Other;
            if (named && (component.engine.isEmpty() || row.isHead()))
                component.engine = row.engine();
            component.dependents = component.dependents || row.isDependent() || row.roleClass == RoleClass::Helper;
        }
        return all;
    }

    bool sameHome(qsizetype a, qsizetype b) const
    {
        const Process &one = process(a);
        const Process &other = process(b);
        return one.cgroup == other.cgroup && !one.cgroup.isEmpty() && one.uid == other.uid && one.uid.isKnown();
    }
    bool sameSession(qsizetype a, qsizetype b) const
    {
        return process(a).sid.isKnown() && process(a).sid == process(b).sid && process(a).sid.value() > 1;
    }
    bool oneLaunch(qsizetype a, qsizetype b) const
    {
        const Quantity<double> &one = process(a).elapsedS;
        const Quantity<double> &other = process(b).elapsedS;
        return one.isKnown() && other.isKnown() && std::abs(one.value() - other.value()) <= oneLaunchS;
    }

    /// A group without a head of its own, against another group.
    bool belongs(const Component &group, const Component &other) const
    {
        const bool nameless = group.engine.isEmpty();
        if (!nameless && !other.engine.isEmpty() && group.engine != other.engine)
            return false;
        const qsizetype one = group.rows.first();
        if (!other.heads.isEmpty()) {
            // What started after the living server in its own home is of its run; what is older never is.
            const qsizetype head = other.heads.first();
            const auto since = [&](qsizetype at) { return m_table.row(at).start() >= m_table.row(head).start(); };
            if (!std::ranges::all_of(group.rows, since) || !m_table.row(one).process->startTicks.isKnown())
                return false;
            return sameHome(one, head) && (process(head).owner.kind != Owner::Kind::Session || sameSession(one, head));
        }
        const auto kin = [&](qsizetype at) {
            return sameHome(one, at) && ((nameless || other.engine.isEmpty())
                    ? sameSession(one, at) : (sameSession(one, at) || oneLaunch(one, at)));
        };
        return std::ranges::any_of(other.rows, kin);
    }

    void byLaunch()
    {
        const auto all = components();
        if (all.size() > mostGroups)
            return; // no host has so many servers; comparing all with all would take too long
        for (const auto &[key, group] : all) {
            if (!group.heads.isEmpty() || !group.dependents)
                continue;
            // A living server of its own run first, then others that have none.
            const Component *headed = nullptr;
            for (const auto &[other, candidate] : all) {
                if (other == key || candidate.heads.isEmpty() || !belongs(group, candidate))
                    continue;
                if (!headed || m_table.row(candidate.heads.first()).start() > m_table.row(headed->heads.first()).start())
                    headed = &candidate;
            }
            if (headed) {
                tie(group.rows.first(), headed->heads.first(), u"its control group, session and start"_s);
                continue;
            }
            for (const auto &[other, candidate] : all) {
                if (other != key && candidate.heads.isEmpty() && candidate.dependents && belongs(group, candidate))
                    tie(group.rows.first(), candidate.rows.first(), u"its control group, session and start"_s);
            }
        }
    }

    /// The topmost of several: a head that no other head of the family has started.
    qsizetype topOf(const QList<qsizetype> &heads) const
    {
        qsizetype top = -1;
        for (const qsizetype at : heads) {
            const bool child = m_child.contains(at) && heads.contains(m_table.find(process(at).ppid.valueOr(-1)));
            if (!child && (top < 0 || m_table.row(at).start() < m_table.row(top).start()))
                top = at;
        }
        return top < 0 && !heads.isEmpty() ? heads.first() : top;
    }

    QList<Kin> result()
    {
        QList<Kin> families;
        for (const auto &[key, component] : components()) {
            Kin kin;
            kin.rows = component.rows;
            // Siblings start within one tick: the first of them is the same in every snapshot all the same.
            std::ranges::sort(kin.rows, {}, [&](qsizetype at) {
                return std::pair(m_table.row(at).start(), m_table.row(at).process->pid.value);
            });
            kin.head = topOf(component.heads);
            QList<qsizetype> engines;
            QList<qsizetype> workers;
            for (const qsizetype at : std::as_const(kin.rows)) {
                const RoleClass roleClass = m_table.row(at).roleClass;
                if (roleClass == RoleClass::Engine)
                    engines += at;
                if (roleClass != RoleClass::Helper)
                    workers += at;
                if (!kin.remembered)
                    kin.remembered = m_remembered.value(at);
                const auto tied = m_tied.constFind(at);
                if (tied != m_tied.cend() && !m_child.contains(at))
                    kin.ties.insert(at, *tied);
            }
            kin.first = kin.head >= 0 ? kin.head
                : engines.size() == 1 ? engines.first()
                : workers.size() == 1 ? workers.first()
                                      : -1;
            families += kin;
        }
        return families;
    }

    static constexpr std::size_t mostGroups = 256;
    const Table &m_table;
    const Lineage &m_lineage;
    Sets m_sets;
    QSet<qsizetype> m_child;
    QHash<qsizetype, QString> m_tied;
    QHash<qsizetype, const RememberedFamily *> m_remembered;
};

} // namespace

QList<Kin> familiesOf(const Table &table, const Lineage &lineage)
{
    return Joining(table, lineage).run();
}

} // namespace pilothouse
