// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/diagnosis/casefile.h"

#include "core/base/cleantext.h"
#include "core/probe/parse/cgroup.h"

#include <QRegularExpression>

#include <algorithm>

namespace pilothouse::test {

using namespace Qt::StringLiterals;

namespace {

const QDateTime noon(QDate(2026, 5, 1), QTime(12, 0), Qt::UTC);

/// Words divided by blanks; 'a b' is one; \n, \e, \uXXXX inside are what they say.
QStringList wordsOf(const QString &line)
{
    QStringList words;
    QString word;
    bool open = false;
    bool any = false;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar c = line.at(i);
        const QChar next = i + 1 < line.size() ? line.at(i + 1) : QChar();
        if (c == u'\\' && (next == u'n' || next == u'e' || next == u'u')) {
            word += next == u'n' ? QChar(u'\n') : next == u'e' ? QChar(0x1b) : QChar(line.mid(i + 2, 4).toUShort(nullptr, 16));
            i += next == u'u' ? 5 : 1;
            any = true;
        } else if (c == u'\'') {
            open = !open;
            any = true;
        } else if (c == u' ' && !open) {
            if (any)
                words += word;
            word.clear();
            any = false;
        } else {
            word += c;
            any = true;
        }
    }
    if (any)
        words += word;
    return words;
}

/// A line for each of "4242..4249", with % as the running number.
QStringList spread(const QString &line)
{
    static const QRegularExpression range(u"^(?:process|gpu) (\\d+)\\.\\.(\\d+)"_s);
    const auto found = range.match(line);
    if (!found.hasMatch())
        return {line};
    QStringList lines;
    for (int n = found.captured(1).toInt(); n <= found.captured(2).toInt(); ++n) {
        QString one = line;
        one.replace(found.capturedStart(1), found.capturedEnd(2) - found.capturedStart(1), QString::number(n));
        lines += one.replace(u'%', QString::number(n - found.captured(1).toInt()));
    }
    return lines;
}

QList<qint64> pidsOf(const QStringList &words)
{
    QList<qint64> pids;
    for (const QString &word : words) {
        const qint64 last = word.contains(u".."_s) ? word.section(u".."_s, 1).toLongLong() : word.toLongLong();
        for (qint64 pid = word.section(u".."_s, 0, 0).toLongLong(); pid <= last; ++pid)
            pids += pid;
    }
    return pids;
}

using Values = QHash<QString, QString>;

Values valuesOf(const QStringList &words)
{
    Values values;
    for (const QString &word : words)
        values.insert(word.section(u'=', 0, 0), word.section(u'=', 1));
    return values;
}

template <class T>
T *findIn(QList<T> &list, auto matches)
{
    const auto found = std::ranges::find_if(list, matches);
    return found == list.end() ? nullptr : &*found;
}

class Reader
{
public:
    Case run(const QByteArray &text)
    {
        m_case.now.depth = Depth::Deep;
        m_case.now.bootId = u"boot"_s;
        m_case.now.takenAt = noon;
        m_case.now.processes.emplace();
        m_case.now.units.emplace();
        m_case.now.gpus.emplace();
        m_case.now.listening.emplace();
        m_case.login = {u"root"_s, 0, true};
        m_case.now.system.root = true;
        QList<QPair<QString, bool>> lines;
        const QStringList all = QString::fromUtf8(text).split(u'\n');
        if (!all.first().startsWith("# composed"_L1))
            m_case.error = u"the first line does not say where the case comes from"_s;
        for (const QString &raw : all) {
            const QString line = raw.trimmed();
            if (!line.isEmpty() && !line.startsWith(u'#'))
                lines += qMakePair(line, line.startsWith("before "_L1));
        }
        for (const auto &[line, earlier] : lines) {
            if (!earlier)
                read(line, m_case.now);
        }
        m_case.before = m_case.now;
        m_case.before.takenAt = noon.addSecs(-m_watchedS);
        if (!m_case.before.processes)
            m_case.before.processes.emplace();
        for (Process &process : *m_case.before.processes) {
            if (process.elapsedS.isKnown())
                process.elapsedS = std::max(0.0, process.elapsedS.value() - m_watchedS);
        }
        for (const auto &[line, earlier] : lines) {
            if (earlier)
                read(line.mid(7), m_case.before);
        }
        sumUp(m_case.now);
        sumUp(m_case.before);
        return m_case;
    }

private:
    void read(const QString &line, Snapshot &into)
    {
        for (const QString &one : spread(line))
            readOne(one, into);
    }

    void readOne(const QString &line, Snapshot &into)
    {
        const QString head = line.section(u" : "_s, 0, 0);
        const QString tail = line.contains(u" : "_s) ? line.section(u" : "_s, 1) : QString();
        QStringList words = wordsOf(head);
        const QString kind = words.takeFirst();
        if (kind == "title"_L1)
            m_case.title = words.join(u' ');
        else if (kind == "process"_L1)
            process(words, tail, into);
        else if (kind == "without"_L1)
            into.processes->removeIf([&](const Process &p) { return pidsOf(words).contains(p.pid.value); });
        else if (kind == "gpu"_L1)
            gpu(words, into);
        else if (kind == "unit"_L1)
            unit(words, into);
        else if (kind == "port"_L1)
            port(words, into);
        else if (kind == "host"_L1)
            host(words, into);
        else if (kind == "login"_L1)
            m_case.login = {words.value(0), words.value(1).toLongLong(), words.value(2) != "plain"_L1};
        else if (kind == "service"_L1)
            m_case.services += WatchedService{words.value(0), valuesOf(words).value(u"unit"_s), numbers(valuesOf(words).value(u"gpus"_s))};
        else if (kind == "watched"_L1)
            m_watchedS = words.value(0).toInt();
        else if (kind == "ended"_L1)
            m_case.endedAt = noon.addSecs(-words.value(0).toInt());
        else if (kind == "session"_L1)
            session(words, into);
        else if (kind == "own"_L1)
            m_case.ownPids.insert(words.value(0).toLongLong());
        else if (kind == "expect"_L1 || kind == "cold"_L1 || kind == "warm"_L1)
            expect(kind, words, tail, line);
        else
            m_case.error = u"not understood: "_s + line;
    }

    static QList<int> numbers(const QString &text)
    {
        QList<int> all;
        for (const QString &part : text.split(u',', Qt::SkipEmptyParts))
            all += part.toInt();
        return all;
    }

    void session(const QStringList &words, Snapshot &into)
    {
        if (!into.system.sessions)
            into.system.sessions.emplace();
        if (!words.isEmpty())
            *into.system.sessions += LoginSession{words.value(0), words.value(1), {}};
    }

    void host(const QStringList &words, Snapshot &into)
    {
        for (const QString &word : words) {
            if (word == "light"_L1)
                into.depth = Depth::Light;
            else if (word == "hidepid"_L1)
                into.system.hidepid = true;
            else if (word == "container"_L1)
                into.system.container = true;
            else if (word == "no-gpus"_L1)
                into.gpus.reset();
            else if (word == "smi-hung"_L1)
                into.gpuSource.status = GpuSource::Status::Hung;
            else if (word == "no-ports"_L1)
                into.listening.reset();
            else if (word == "no-processes"_L1)
                into.processes.reset();
            else if (word.startsWith("problem="_L1))
                into.problems += Problem{word.mid(8), Problem::Severity::Warning, {}, word.mid(8) + u" happened."_s, {}};
            else
                m_case.error = u"not understood: host "_s + word;
        }
    }

    static Quantity<qint64> mibOf(const QString &text)
    {
        return text == "?"_L1 ? Quantity<qint64>::unknown(UnknownReason::NotSupported) : Quantity<qint64>(text.toLongLong());
    }

    void process(QStringList words, const QString &command, Snapshot &into)
    {
        const qint64 pid = words.takeFirst().toLongLong();
        Process *known = findIn(*into.processes, [&](const Process &p) { return p.pid.value == pid; });
        if (!known) {
            Process fresh;
            fresh.pid = Pid{pid};
            fresh.startTicks = quint64(pid) * 100;
            fresh.ppid = 1;
            fresh.pgid = fresh.sid = pid;
            fresh.uid = 0;
            fresh.user = u"root"_s;
            fresh.state = u'S';
            fresh.threads = 8;
            fresh.elapsedS = 5000;
            fresh.cgroup = u"/user.slice/user-0.slice/session-3.scope"_s;
            fresh.devices.emplace();
            if (into.depth == Depth::Deep)
                fresh.deep.peers.emplace();
            into.processes->append(fresh);
            known = &into.processes->last();
        }
        Process &p = *known;
        const Values values = valuesOf(words);
        for (auto value = values.cbegin(); value != values.cend(); ++value)
            set(p, value.key(), value.value());
        p.owner = p.owner.kind == Owner::Kind::Kernel ? p.owner : ownerOf(p.cgroup);
        if (!command.isEmpty()) {
            p.arguments.clear();
            for (const QString &word : wordsOf(command))
                p.arguments += cleanLine(QStringView(word));
            p.command = p.arguments.join(u' ');
            if (!values.contains(u"comm"_s))
                p.comm = p.arguments.first().section(u'/', -1).left(15);
        }
    }

    void set(Process &p, const QString &key, const QString &value)
    {
        if (key == "ppid"_L1)
            p.ppid = value.toLongLong();
        else if (key == "sid"_L1)
            p.sid = p.pgid = value.toLongLong();
        else if (key == "start"_L1)
            p.startTicks = value.toULongLong();
        else if (key == "user"_L1) {
            p.user = value.section(u':', 0, 0);
            p.uid = value.section(u':', 1).toLongLong();
        } else if (key == "state"_L1)
            p.state = value.at(0);
        else if (key == "gone"_L1 || key == "closed"_L1) {
            const UnknownReason why = key == "gone"_L1 ? UnknownReason::Absent : UnknownReason::NoPermission;
            p.state.reset();
            p.startTicks = Quantity<quint64>::unknown(why);
            p.ppid = p.sid = p.pgid = p.uid = Quantity<qint64>::unknown(why);
            p.elapsedS = Quantity<double>::unknown(why);
            p.user.clear();
            p.cgroup.clear();
            p.devices.reset();
            p.deep.peers.reset();
        } else if (key == "threads"_L1)
            p.threads = value.toInt();
        else if (key == "age"_L1)
            p.elapsedS = value.toDouble();
        else if (key == "cg"_L1)
            p.cgroup = value;
        else if (key == "no-uid"_L1) {
            p.uid = Quantity<qint64>();
            p.user.clear();
        } else if (key == "comm"_L1)
            p.comm = value;
        else if (key == "rss"_L1)
            p.rssKib = value.toLongLong() * 1024 * 1024;
        else if (key == "cpu"_L1)
            p.cpuS = value.toDouble();
        else if (key == "exiting"_L1)
            p.exiting = true;
        else if (key == "kernel"_L1)
            p.owner.kind = Owner::Kind::Kernel;
        else if (key == "parent"_L1)
            p.deep.parentName = value;
        else if (key == "peers"_L1 && value == "?"_L1)
            p.deep.peers.reset();
        else if (key == "peers"_L1)
            p.deep.peers = value.split(u',', Qt::SkipEmptyParts);
        else if (key == "kill-pending"_L1)
            p.deep.killPending = true;
        else if (key == "not-killed"_L1)
            p.deep.killPending = false;
        else if (key == "wchan"_L1)
            p.deep.waitsIn = value;
        else if (key == "locked"_L1)
            p.deep.lockedKib = value.toLongLong() * 1024 * 1024;
        else if (key == "pipe"_L1) {
            p.deep.trackerPipes.emplace();
            for (const QString &inode : value.split(u','))
                *p.deep.trackerPipes += inode.toULongLong();
        } else if (key == "blind"_L1) {
            p.devices.reset();
            p.devicesUnknown = UnknownReason::NoPermission;
            p.deep.peers.reset();
        } else if (key == "dev"_L1) {
            p.devices.emplace();
            for (const QString &device : value.split(u','))
                *p.devices += u"/dev/"_s + device;
        } else if (key == "mem"_L1) {
            p.gpuMemory.clear();
            for (const QString &part : value.split(u',', Qt::SkipEmptyParts)) {
                const int gpu = part.section(u':', 0, 0).toInt();
                p.gpuMemory += ProcessGpuMemory{gpu, u"GPU-%1"_s.arg(gpu), mibOf(part.section(u':', 1))};
            }
        } else
            m_case.error = u"not understood: process "_s + key;
    }

    void gpu(QStringList words, Snapshot &into)
    {
        const int index = words.takeFirst().toInt();
        Gpu *known = findIn(*into.gpus, [&](const Gpu &g) { return g.index == index; });
        if (!known) {
            Gpu fresh;
            fresh.index = index;
            fresh.uuid = u"GPU-%1"_s.arg(index);
            fresh.memoryTotalMib = 97887;
            fresh.memoryUsedMib = 4;
            fresh.utilizationPct = 0.0;
            into.gpus->append(fresh);
            known = &into.gpus->last();
        }
        const Values values = valuesOf(words);
        for (auto value = values.cbegin(); value != values.cend(); ++value) {
            if (value.key() == "used"_L1)
                known->memoryUsedMib = mibOf(value.value());
            else if (value.key() == "util"_L1)
                known->utilizationPct = value.value() == "?"_L1 ? Quantity<double>() : Quantity<double>(value.value().toDouble());
            else if (value.key() == "fault"_L1)
                known->fault = value.value();
            else if (value.key() == "recovery"_L1)
                known->recoveryAction = value.value();
            else if (value.key() == "unified"_L1)
                known->unifiedMemory = true;
            else
                m_case.error = u"not understood: gpu "_s + value.key();
        }
    }

    void unit(QStringList words, Snapshot &into)
    {
        const QString name = words.takeFirst();
        Unit *known = findIn(*into.units, [&](const Unit &u) { return u.name == name; });
        if (!known) {
            into.units->append(Unit());
            known = &into.units->last();
            known->name = name;
            known->load = u"loaded"_s;
            known->killMode = u"control-group"_s;
        }
        known->active = words.takeFirst();
        known->sub = words.takeFirst();
        const Values values = valuesOf(words);
        if (values.contains(u"main"_s))
            known->mainPid = values.value(u"main"_s).toLongLong();
        if (known->active == "failed"_L1 || known->active == "inactive"_L1)
            known->mainPid = {};
        if (values.contains(u"user"_s))
            known->userName = values.value(u"user"_s);
        known->user = known->user || values.contains(u"of-user"_s);
        if (values.contains(u"restarts"_s))
            known->restarts = values.value(u"restarts"_s).toInt();
        if (values.contains(u"signal"_s)) {
            known->execMainCode = 2;
            known->execMainStatus = values.value(u"signal"_s).toInt();
            known->result = u"signal"_s;
        }
        if (values.contains(u"since"_s))
            known->hostSince = noon.addSecs(-values.value(u"since"_s).toInt());
    }

    void port(const QStringList &words, Snapshot &into)
    {
        const quint16 number = quint16(words.value(0).toInt());
        into.listening->append(ListeningPort{u"0.0.0.0"_s, number, words.value(1).toLongLong()});
        if (words.value(2) == "answers"_L1)
            m_case.ports.insert(number, PortAnswer::Answers);
        else if (words.value(2) == "silent"_L1)
            m_case.ports.insert(number, PortAnswer::Silent);
    }

    void expect(const QString &when, QStringList words, const QString &tail, const QString &line)
    {
        if (when != "warm"_L1)
            expectIn(m_case.cold, words, tail, line);
        if (when != "cold"_L1)
            expectIn(m_case.warm, words, tail, line);
    }

    void expectIn(Expected &into, QStringList words, const QString &tail, const QString &line)
    {
        const QString kind = words.takeFirst();
        if (kind == "host"_L1) {
            into.state = words.takeFirst();
            const Values values = valuesOf(words);
            into.heldMib = values.value(u"held"_s);
            into.reclaimableMib = values.value(u"reclaim"_s);
            into.since = values.value(u"since"_s);
            into.causes = values.value(u"causes"_s).split(u',', Qt::SkipEmptyParts);
            into.says = tail;
        } else if (kind == "gpu"_L1) {
            into.gpus.insert(words.value(0).toInt(), words.mid(1));
        } else if (kind == "family"_L1) {
            ExpectedFamily family;
            family.head = words.takeFirst();
            family.verdict = words.takeFirst();
            const Values values = valuesOf(words);
            family.members = pidsOf(values.value(u"members"_s).split(u',', Qt::SkipEmptyParts));
            family.service = values.value(u"service"_s);
            family.causes = values.value(u"causes"_s).split(u',', Qt::SkipEmptyParts);
            family.modifiers = values.value(u"because"_s).split(u',', Qt::SkipEmptyParts);
            family.story = tail;
            family.line = line;
            into.families += family;
        } else {
            ExpectedProcess one;
            one.verdict = words.value(0);
            one.action = words.value(1);
            one.rule = words.value(2);
            one.says = tail;
            one.line = line;
            for (const qint64 pid : pidsOf({kind})) {
                one.pid = pid;
                into.processes += one;
            }
        }
    }

    /// As the probe books the driver's rows on the cards.
    static void sumUp(Snapshot &snapshot)
    {
        if (!snapshot.gpus || !snapshot.processes)
            return;
        for (Gpu &gpu : *snapshot.gpus) {
            Quantity<qint64> sum = 0;
            for (const Process &process : *snapshot.processes) {
                for (const ProcessGpuMemory &memory : process.gpuMemory) {
                    if (memory.gpu == gpu.index && sum.isKnown())
                        sum = memory.mib.isKnown() ? Quantity<qint64>(sum.value() + memory.mib.value()) : memory.mib;
                }
            }
            gpu.attributedMib = sum;
            gpu.unattributedMib = sum;
            if (sum.isKnown()) {
                gpu.unattributedMib = gpu.memoryUsedMib.isKnown()
                    ? Quantity<qint64>(std::max<qint64>(0, gpu.memoryUsedMib.value() - sum.value())) : gpu.memoryUsedMib;
            }
        }
    }

    Case m_case;
    int m_watchedS = 10;
};

} // namespace

Case parseCase(const QByteArray &text)
{
    return Reader().run(text);
}

} // namespace pilothouse::test
