// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/proberequest.h"

#include "core/probe/commandrules.h"
#include "core/probe/parse/systemctl.h"
#include "resourcetexts.h"

#include <QCryptographicHash>
#include <QRandomGenerator>

#include <algorithm>
#include <array>

using namespace Qt::StringLiterals;

namespace pilothouse {

namespace {

constexpr qsizetype lineLimit = 32 * 1024;

bool isHex(const QByteArray &text)
{
    return !text.isEmpty() && std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    });
}

bool isFieldName(const QString &name)
{
    return !name.isEmpty() && std::ranges::all_of(name, [](QChar c) {
        return (c >= u'a' && c <= u'z') || (c >= u'0' && c <= u'9') || c == u'.' || c == u'_';
    });
}

void appendPids(QByteArray &line, const char *key, const QList<qint64> &pids)
{
    const char *before = key;
    for (const qint64 pid : pids) {
        if (pid > 0) {
            line.append(before).append(QByteArray::number(pid));
            before = ",";
        }
    }
}

void appendUnits(QByteArray &line, const char *key, const QStringList &units)
{
    for (const QString &unit : units) {
        if (isUnitName(unit))
            line.append(key).append(unit.toLatin1());
    }
}

bool appendFields(QByteArray &line, const char *key, const QStringList &fields)
{
    for (const QString &field : fields) {
        if (!isFieldName(field))
            return false;
        line.append(key).append(field.toLatin1());
    }
    return true;
}

} // namespace

QByteArray nameOf(ProbeRole role)
{
    switch (role) {
    case ProbeRole::Kernel:
        return "kernel";
    case ProbeRole::Driver:
        return "driver";
    case ProbeRole::Action:
        return "action";
    }
    return {};
}

QByteArray withoutComments(QByteArrayView script)
{
    QByteArray result;
    const QList<QByteArray> lines = script.toByteArray().split('\n');
    for (const QByteArray &line : lines) {
        if (line.isEmpty() || line.trimmed().startsWith('#'))
            continue;
        result.append(line);
        result.append('\n');
    }
    return result;
}

bool isUnitName(const QString &name)
{
    static constexpr std::array suffixes{u".service", u".scope",  u".slice",    u".socket",
                                         u".target",  u".timer",  u".mount",    u".path",
                                         u".swap",    u".device", u".automount"};
    if (name.size() > 255 || name.startsWith(u'-') || name.startsWith(u'.')
        || name.contains(u"@."_s))
        return false;
    const bool plain = std::ranges::all_of(name, [](QChar c) {
        return (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z') || (c >= u'0' && c <= u'9')
               || QStringView(u":_.\\@-").contains(c);
    });
    return plain && std::ranges::any_of(suffixes, [&name](const char16_t *suffix) {
               const QStringView end(suffix);
               return name.size() > end.size() && name.endsWith(end);
           });
}

QByteArray makeNonce()
{
    std::array<quint32, 4> words{};
    QRandomGenerator::system()->fillRange(words.data(), words.size());
    return QByteArray(reinterpret_cast<const char *>(words.data()), sizeof(words)).toHex();
}

ProbeMarker makeMarker(const QString &consoleId, const QString &host, const QString &target)
{
    const QString text = consoleId + u'\n' + host + u'\n' + target;
    return {QCryptographicHash::hash(text.toUtf8(), QCryptographicHash::Sha256).toHex().first(16),
            makeNonce().first(8)};
}

QByteArray sudoPrompt(const ProbeMarker &marker)
{
    return "[pilothouse " + marker.run + "] ";
}

QByteArray stageText(const QByteArray &nonce, const ProbeMarker &marker, ProbeRole role, RootWay way)
{
    // Put together by printf, so that something which merely echoes its input does not announce
    // itself.
    const auto announce = [](const QByteArray &word) {
        return QByteArray("printf \"\\n%s%s %s\\n\" @PH \" STAGE\" " + word + "; ");
    };
    const QByteArray shell =
        "/bin/sh -s pilothouse-probe " + marker.id + ' ' + marker.run + ' ' + nameOf(role);
    QByteArray start = "exec " + shell;
    if (way == RootWay::SudoUnasked)
        start =
            "if [ \"$(id -u)\" = 0 ]; then exec " + shell + "; else exec sudo -n " + shell + "; fi";
    if (way == RootWay::SudoWithPassword)
        start = "R='" + announce(marker.run) + "exec " + shell
                + "'; if [ \"$(id -u)\" = 0 ]; then exec /bin/sh -c \"$R\"; else exec sudo -S -p '"
                + sudoPrompt(marker) + "' /bin/sh -c \"$R\"; fi";
    return "\n\n\nLC_ALL=C; export LC_ALL; " + announce(nonce) + start + '\n';
}

QByteArray scriptText(const QByteArray &nonce)
{
    static const QByteArray body = withoutComments(resources::probeScript);
    // nvidia-smi is no rule: its processes are watched, for one that hangs.
    const QByteArray words = CommandRules::builtIn().words().join('\n') + "\nnvidia-smi";
    return "N=" + nonce + "\nPATS='" + words + "'\nPROPS=" + unitProperties().join(u',').toLatin1()
           + '\n' + body;
}

Result<QByteArray> requestLine(const ProbeRequest &request)
{
    if (!isHex(request.nonce))
        return fail(ErrorCode::Internal, u"A request has no usable nonce."_s);
    QByteArray line;
    line.reserve(1024);
    line += "ask n=" + request.nonce + " t=" + QByteArray::number(request.tick)
                      + (request.depth == Depth::Deep ? " d=deep" : " d=light") + " s="
                      + (request.kernel && request.driver ? "kernel,driver"
                         : request.kernel                 ? "kernel"
                                                          : "driver");
    line += " l=" + QByteArray::number(std::clamp(request.smiLimitS, 1, 300))
            + " m=" + QByteArray::number(std::clamp(request.matchLimit, 1, 4096));
    if (request.kernel) {
        appendUnits(line, " u=", request.units);
        appendUnits(line, " v=", request.userUnits);
    }
    if (request.driver) {
        if (!appendFields(line, " f=", request.gpuFields)
            || !appendFields(line, " a=", request.appFields))
            return fail(ErrorCode::Internal, u"A request asks for a field with a bad name."_s);
        appendPids(line, " k=", request.described);
        for (const qint64 pid : request.watched)
            appendPids(line, " x=", {pid});
    }
    if (line.size() > lineLimit)
        return fail(ErrorCode::Usage, u"Too many units are asked for on this host."_s);
    return QByteArray(line + '\n');
}

} // namespace pilothouse
