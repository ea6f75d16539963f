// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/cgroup.h"

#include "core/base/cleantext.h"
#include "core/probe/parse/bytes.h"

#include <algorithm>
#include <optional>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype idSize = 64;

bool isHex(QStringView text)
{
    return std::all_of(text.begin(), text.end(), [](QChar c) {
        return (c >= u'0' && c <= u'9') || (c >= u'a' && c <= u'f');
    });
}

bool isContainerId(QStringView text)
{
    return text.size() == idSize && isHex(text);
}

/// The first twelve digits, as the engines' own tools show an id.
QString shortId(QStringView id)
{
    return id.first(12).toString();
}

QString engineName(QStringView prefix)
{
    if (prefix == u"libpod")
        return u"podman"_s;
    if (prefix == u"cri-containerd")
        return u"containerd"_s;
    return prefix.toString();
}

struct ScopeName
{
    QString engine;
    QString id;
    bool monitor = false; ///< conmon: carries the id, is not the container
};

/// "docker-ID.scope", "crio-conmon-ID.scope", "kubelet-…:cri-containerd:ID"
std::optional<ScopeName> containerScope(QStringView part)
{
    if (part.endsWith(u".scope"))
        part.chop(6);
    const QChar separator = part.contains(u':') ? u':' : u'-';
    const qsizetype cut = part.lastIndexOf(separator);
    if (cut < 1 || !isContainerId(part.sliced(cut + 1)))
        return std::nullopt;
    const QString id = shortId(part.sliced(cut + 1));
    QStringView prefix = part.first(cut);
    if (separator == u':')
        prefix = prefix.sliced(prefix.lastIndexOf(u':') + 1);
    const bool monitor = prefix.endsWith(u"-conmon");
    if (monitor)
        prefix.chop(7);
    return ScopeName{engineName(prefix), id, monitor};
}

/// The uid in "pod1234abcd-…", "kubepods-besteffort-pod1234abcd_….slice".
QString podUid(QStringView part)
{
    qsizetype at = part.lastIndexOf(u"pod");
    if (at < 0 || (at > 0 && part.at(at - 1) != u'-'))
        return {};
    QStringView rest = part.sliced(at + 3);
    const qsizetype end = std::find_if(rest.begin(), rest.end(), [](QChar c) {
        return !((c >= u'0' && c <= u'9') || (c >= u'a' && c <= u'f') || c == u'-' || c == u'_');
    }) - rest.begin();
    const QString uid = rest.first(end).toString().replace(u'_', u'-');
    return uid.size() == 36 || uid.size() == 32 ? uid : QString();
}

QString unescaped(const QString &name)
{
    QString text = name;
    return text.replace(u"\\x2d"_s, u"-"_s);
}

std::optional<Owner> podOwner(const QStringList &parts)
{
    const auto isPods = [](const QString &part) { return part.contains(u"kubepods"_s); };
    const auto first = std::find_if(parts.begin(), parts.end(), isPods);
    if (first == parts.end())
        return std::nullopt;
    QString pod;
    QString container;
    bool monitor = false;
    for (auto part = first; part != parts.end(); ++part) {
        if (pod.isEmpty())
            pod = podUid(part->section(u':', 0, 0));
        if (isContainerId(*part))
            container = shortId(*part);
        else if (const auto scope = containerScope(*part)) {
            container = scope->id;
            monitor = scope->monitor;
        }
        if (!container.isEmpty())
            break;
    }
    if (pod.isEmpty() && container.isEmpty())
        return std::nullopt;
    QString name = pod.isEmpty() ? u"pod"_s : u"pod "_s + pod;
    if (monitor)
        name += u" (monitor)"_s;
    else if (!container.isEmpty())
        name += u'/' + container;
    return Owner{Owner::Kind::Pod, name};
}

std::optional<Owner> slurmOwner(const QStringList &parts)
{
    bool slurm = false;
    for (const QString &part : parts) {
        slurm = slurm || part.contains(u"slurm"_s);
        const QString id = part.mid(4);
        const bool digits = !id.isEmpty()
            && std::all_of(id.begin(), id.end(), [](QChar c) { return c >= u'0' && c <= u'9'; });
        if (slurm && part.startsWith(u"job_"_s) && digits)
            return Owner{Owner::Kind::Slurm, u"job "_s + id};
    }
    return std::nullopt;
}

/// nspawn, LXC and virtual machines.
std::optional<Owner> machineOwner(const QStringList &parts, qsizetype at)
{
    const QString &part = parts.at(at);
    const QString next = parts.value(at + 1);
    const auto container = [](const QString &name) { return Owner{Owner::Kind::Container, name}; };
    if (part.startsWith(u"lxc.payload."_s))
        return container(u"lxc "_s + part.mid(12));
    if ((part == "lxc"_L1 || part == "lxc.payload"_L1) && !next.isEmpty())
        return container(u"lxc "_s + next);
    if (part.startsWith(u"lxc.monitor."_s))
        return Owner{Owner::Kind::Unknown, u"monitor of lxc "_s + part.mid(12)};
    if (part.startsWith(u"systemd-nspawn@"_s) && part.endsWith(u".service"_s) && next == "payload"_L1)
        return container(u"nspawn "_s + part.mid(15, part.size() - 23));
    if (parts.first() == "machine.slice"_L1 && part.startsWith(u"machine-"_s) && part.endsWith(u".scope"_s))
        return container(u"machine "_s + unescaped(part.mid(8, part.size() - 14)));
    if (at == 0 && next == "payload"_L1 && !part.contains(u'.'))
        return container(u"nspawn "_s + part);
    return std::nullopt;
}

std::optional<Owner> containerOwner(const QStringList &parts)
{
    for (qsizetype i = 0; i < parts.size(); ++i) {
        const QString &part = parts.at(i);
        if (isContainerId(part)) {
            const QString before = i > 0 ? parts.at(i - 1) : QString();
            const bool named = before == "docker"_L1 || before == "podman"_L1 || before == "ecs"_L1;
            return Owner{Owner::Kind::Container, (named ? before : u"container"_s) + u' ' + shortId(part)};
        }
        if (part == "docker"_L1 && parts.value(i + 1) == "buildx"_L1)
            return Owner{Owner::Kind::Container, u"docker buildx"_s};
        if (const auto scope = containerScope(part)) {
            if (scope->monitor)
                return std::nullopt; // an ordinary scope of the host
            return Owner{Owner::Kind::Container, scope->engine + u' ' + scope->id};
        }
        if (auto machine = machineOwner(parts, i))
            return machine;
    }
    return std::nullopt;
}

bool isUnitName(QStringView part)
{
    static constexpr QStringView suffixes[] = {u".service", u".scope", u".socket", u".mount", u".swap"};
    return std::any_of(std::begin(suffixes), std::end(suffixes),
        [&](QStringView suffix) { return part.endsWith(suffix) && part.size() > suffix.size(); });
}

/// As systemd names cgroups: slices, then the unit; a leading '_' only keeps it apart from kernel files.
QString unitAfterSlices(const QStringList &parts, qsizetype &at)
{
    while (at < parts.size() && parts.at(at).endsWith(u".slice"_s))
        ++at;
    if (at >= parts.size())
        return {};
    const QString &part = parts.at(at++);
    const QString name = part.startsWith(u'_') ? part.mid(1) : part;
    return isUnitName(name) ? name : QString();
}

Owner unitOwner(const QStringList &parts)
{
    qsizetype at = 0;
    const QString unit = unitAfterSlices(parts, at);
    if (unit.isEmpty())
        return {};
    if (unit == "init.scope"_L1)
        return {Owner::Kind::Unknown, unit};
    if (unit.startsWith(u"user@"_s) && unit.endsWith(u".service"_s)) {
        const QString own = unitAfterSlices(parts, at);
        return own.isEmpty() ? Owner{Owner::Kind::Unknown, unit} : Owner{Owner::Kind::UserUnit, own};
    }
    const bool session = unit.startsWith(u"session-"_s) && unit.endsWith(u".scope"_s)
        && parts.first() == "user.slice"_L1;
    return {session ? Owner::Kind::Session : Owner::Kind::Unit, unit};
}

} // namespace

QString cgroupPathOf(QByteArrayView cgroupFile)
{
    QByteArrayView unified;
    QByteArrayView named;
    QByteArrayView other;
    for (const QByteArrayView line : linesOf(cgroupFile)) {
        const qsizetype first = line.indexOf(':');
        const qsizetype second = first < 0 ? -1 : line.indexOf(':', first + 1);
        if (second < 0 || !toUnsigned(line.first(first)))
            continue;
        const QByteArrayView controllers = line.sliced(first + 1, second - first - 1);
        const QByteArrayView path = line.sliced(second + 1);
        if (!path.startsWith('/'))
            continue;
        if (controllers.isEmpty() && unified.isEmpty())
            unified = path;
        else if (controllers == "name=systemd" && named.isEmpty())
            named = path;
        else if (path.size() > 1 && other.isEmpty())
            other = path;
    }
    for (const QByteArrayView path : {unified, named, other}) {
        if (path.size() > 1)
            return cleanLine(path, 1024);
    }
    return unified.isEmpty() && named.isEmpty() ? QString() : u"/"_s;
}

Owner ownerOf(const QString &cgroupPath)
{
    QString path = cgroupPath;
    if (path.endsWith(u" (deleted)"_s))
        path.chop(10);
    const QStringList parts = path.split(u'/', Qt::SkipEmptyParts);
    if (parts.isEmpty() || parts.contains(u".."_s))
        return {};
    // Outermost boundary first: what stands below it, the container says of itself.
    const auto container = containerOwner(parts);
    if (auto pod = podOwner(parts); pod && (!container || container->kind == Owner::Kind::Container)) {
        // kind and k3d run a kubelet inside a docker container: then docker's is the boundary.
        const auto pods =
            std::find_if(parts.begin(), parts.end(), [](const QString &p) { return p.contains(u"kubepods"_s); });
        const auto outer = containerOwner(QStringList(parts.begin(), pods));
        return outer ? *outer : *pod;
    }
    if (container)
        return *container;
    if (const auto job = slurmOwner(parts))
        return *job;
    return unitOwner(parts);
}

} // namespace pilothouse
