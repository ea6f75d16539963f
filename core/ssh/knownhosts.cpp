// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/knownhosts.h"

#include "core/base/cleantext.h"
#include "core/ssh/knownhostsline.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Kind = KnownHostsVerdict::Kind;

struct Match
{
    KnownHostsEntry entry;
    KnownHostsLine::Marker marker = KnownHostsLine::Marker::None;
};

struct Matches
{
    QList<Match> lines;
    int unreadable = 0;
};

/// The lines of all files that stand for `name`, in order.
Matches matchesOf(const QList<KnownHostsFile> &files, const QString &name)
{
    Matches matches;
    for (const KnownHostsFile &file : files) {
        int number = 0;
        qsizetype from = 0;
        while (from < file.content.size()) {
            qsizetype to = file.content.indexOf('\n', from);
            if (to < 0)
                to = file.content.size();
            ++number;
            const QByteArrayView text = QByteArrayView(file.content).sliced(from, to - from);
            from = to + 1;
            const KnownHostsLine line = KnownHostsLine::split(text);
            if (line.kind == KnownHostsLine::Kind::Empty)
                continue;
            if (line.kind == KnownHostsLine::Kind::Invalid) {
                ++matches.unreadable;
                continue;
            }
            if (!line.matches(name))
                continue;
            if (std::optional<HostKey> key = line.key())
                matches.lines += Match{{std::move(*key), file.path, number}, line.marker};
            else
                ++matches.unreadable;
        }
    }
    return matches;
}

QList<KnownHostsEntry> plainKeys(const Matches &matches)
{
    QList<KnownHostsEntry> keys;
    for (const Match &match : matches.lines) {
        if (match.marker == KnownHostsLine::Marker::None)
            keys += match.entry;
    }
    return keys;
}

const KnownHostsEntry *revocationOf(const Matches &matches, const HostKey &key)
{
    for (const Match &match : matches.lines) {
        if (match.marker == KnownHostsLine::Marker::Revoked && match.entry.key == key)
            return &match.entry;
    }
    return nullptr;
}

/// The same question without a port; empty when it would be the same name.
std::optional<KnownHostsName> withoutPort(const KnownHostsName &name)
{
    if (!name.alias.isEmpty() || name.port == 22)
        return {};
    return KnownHostsName{name.host, 22, {}};
}

QString placeOf(const QString &file, int line)
{
    return u"%1, line %2"_s.arg(cleanLine(QStringView(file), 512), QString::number(line));
}

void decide(KnownHostsVerdict &verdict, Kind kind, const KnownHostsEntry &by)
{
    verdict.kind = kind;
    verdict.file = by.file;
    verdict.line = by.line;
}

} // namespace

KnownHostsVerdict checkHostKey(const QList<KnownHostsFile> &files, const KnownHostsName &name,
                               const HostKey &key)
{
    const Matches matches = matchesOf(files, name.text());
    Matches plain;
    if (const auto bare = withoutPort(name))
        plain = matchesOf(files, bare->text());

    KnownHostsVerdict verdict;
    verdict.unreadableLines = matches.unreadable;
    verdict.known = plainKeys(matches);
    const KnownHostsEntry *revoked = revocationOf(matches, key);
    if (!revoked)
        revoked = revocationOf(plain, key);
    if (revoked) {
        decide(verdict, Kind::Revoked, *revoked);
        return verdict;
    }
    const auto same = std::find_if(verdict.known.cbegin(), verdict.known.cend(),
                                   [&](const KnownHostsEntry &e) { return e.key == key; });
    if (same != verdict.known.cend()) {
        decide(verdict, Kind::Known, *same);
        return verdict;
    }
    const auto sameType =
        std::find_if(verdict.known.cbegin(), verdict.known.cend(),
                     [&](const KnownHostsEntry &e) { return e.key.type == key.type; });
    if (sameType != verdict.known.cend()) {
        decide(verdict, Kind::Changed, *sameType);
        return verdict;
    }
    if (!verdict.known.isEmpty()) {
        decide(verdict, Kind::OtherTypes, verdict.known.constFirst());
        return verdict;
    }
    // OpenSSH takes a line without port for any port, but only when it names this very key.
    for (const KnownHostsEntry &entry : plainKeys(plain)) {
        if (entry.key == key) {
            decide(verdict, Kind::Known, entry);
            verdict.known = {entry};
            verdict.matchedWithoutPort = true;
            return verdict;
        }
    }
    verdict.certAuthorityOnly =
        std::any_of(matches.lines.cbegin(), matches.lines.cend(), [](const Match &match) {
            return match.marker == KnownHostsLine::Marker::CertAuthority;
        });
    return verdict;
}

QStringList knownKeyTypes(const QList<KnownHostsFile> &files, const KnownHostsName &name)
{
    Matches matches = matchesOf(files, name.text());
    if (const auto bare = withoutPort(name); bare && plainKeys(matches).isEmpty())
        matches = matchesOf(files, bare->text());
    QStringList types;
    for (const KnownHostsEntry &entry : plainKeys(matches)) {
        if (!types.contains(entry.key.type) && !revocationOf(matches, entry.key))
            types += entry.key.type;
    }
    return types;
}

QStringList hostKeyAlgorithmOrder(const QString &allowed, const QStringList &knownTypes)
{
    QStringList first;
    QStringList rest;
    for (const QString &algorithm : allowed.split(u',', Qt::SkipEmptyParts)) {
        if (algorithm.contains("-cert-v0"_L1))
            continue;
        const bool rsaSignature = algorithm.startsWith("rsa-sha2-"_L1);
        const bool known = knownTypes.contains(rsaSignature ? u"ssh-rsa"_s : algorithm);
        (known ? first : rest) += algorithm;
    }
    return first + rest;
}

std::optional<Error> hostKeyRefusal(const KnownHostsVerdict &verdict, const HostKey &offered,
                                    const QString &shownName)
{
    const QString host = cleanLine(QStringView(shownName), 256);
    const QString place = placeOf(verdict.file, verdict.line);
    const QString now = u"%1 %2"_s.arg(offered.typeName(), offered.fingerprint());
    switch (verdict.kind) {
    case Kind::Known:
    case Kind::Unknown:
        return {};
    case Kind::Revoked:
        return Error{ErrorCode::HostKeyRevoked,
                     u"%1 offers the key %2, which is revoked in %3."_s.arg(host, now, place),
                     {}};
    case Kind::Changed:
    case Kind::OtherTypes:
        break;
    }
    QStringList recorded;
    for (const KnownHostsEntry &entry : verdict.known) {
        if (verdict.kind == Kind::OtherTypes || entry.key.type == offered.type)
            recorded += u"%1 %2 (%3)"_s.arg(entry.key.typeName(), entry.key.fingerprint(),
                                            placeOf(entry.file, entry.line));
    }
    const QString words = verdict.kind == Kind::Changed
                              ? u"%1 offers the key %2, but known is %3."_s
                              : u"%1 offers a key of another type, %2, but known is %3."_s;
    return Error{
        ErrorCode::HostKeyChanged, words.arg(host, now, recorded.mid(0, 4).join(", "_L1)), {}};
}

QString hostKeyNote(const KnownHostsVerdict &verdict)
{
    if (verdict.kind != Kind::Unknown)
        return {};
    QStringList notes;
    if (verdict.certAuthorityOnly)
        notes +=
            u"Known hosts names a certificate authority for this host; certified keys are not supported."_s;
    if (verdict.unreadableLines > 0)
        notes += u"Lines of the known hosts files that cannot be read: %1."_s.arg(
            verdict.unreadableLines);
    return notes.join(u' ');
}

} // namespace pilothouse
