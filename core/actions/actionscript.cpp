// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/actions/actionscript.h"

#include "core/actions/httptext.h"
#include "core/base/cleantext.h"
#include "core/base/quoting.h"
#include "core/probe/proberequest.h"
#include "resourcetexts.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestCommand = 4000;

bool consistsOf(QStringView text, QStringView allowed)
{
    return !text.isEmpty() && std::ranges::all_of(text, [&](QChar c) { return allowed.contains(c); });
}

/// One line of the console's or the host's own, as one word of a POSIX shell.
QByteArray word(const QString &text)
{
    return shellQuoted(cleanLine(text, 300)).toUtf8();
}

QByteArrayView bodyOf(ActionRequest::Kind kind)
{
    using Kind = ActionRequest::Kind;
    switch (kind) {
    case Kind::Begin:
        return resources::beginAction;
    case Kind::Look:
    case Kind::Terminate:
    case Kind::Kill:
        return resources::signalAction;
    case Kind::StopUnit:
    case Kind::StartUnit:
    case Kind::RestartUnit:
    case Kind::ResetFailedUnit:
    case Kind::EnableUnit:
    case Kind::DisableUnit:
    case Kind::ReloadDaemon:
    case Kind::LookAtUnit:
        return resources::unitAction;
    case Kind::UnitLog:
        return resources::unitLogAction;
    case Kind::CleanShm:
        return resources::shmAction;
    case Kind::End:
        return resources::endAction;
    case Kind::Evidence:
        return resources::evidenceAction;
    case Kind::AskPorts:
        return resources::askAction;
    case Kind::CatUnit:
        return resources::catAction;
    case Kind::AskHttp:
        return resources::httpAction;
    case Kind::Command:
        return resources::commandAction;
    case Kind::LookAtRoom:
        return resources::roomAction;
    }
    return {};
}

QByteArray verbOf(ActionRequest::Kind kind)
{
    using Kind = ActionRequest::Kind;
    switch (kind) {
    case Kind::StopUnit:
        return "stop";
    case Kind::StartUnit:
        return "start";
    case Kind::RestartUnit:
        return "restart";
    case Kind::ResetFailedUnit:
        return "reset-failed";
    case Kind::EnableUnit:
        return "enable";
    case Kind::DisableUnit:
        return "disable";
    case Kind::ReloadDaemon:
        return "daemon-reload";
    default:
        return "show";
    }
}

QByteArray signalOf(ActionRequest::Kind kind)
{
    using Kind = ActionRequest::Kind;
    return kind == Kind::Terminate ? "TERM" : kind == Kind::Kill ? "KILL" : "NONE";
}

Result<QByteArray> targetLines(const QList<SignalTarget> &targets)
{
    QByteArray lines = "targets() {\n:\n";
    for (const SignalTarget &target : targets) {
        if (target.identity.pid.value <= 1)
            return fail(ErrorCode::RefusedBySafety, u"PID %1 is never signalled."_s.arg(target.identity.pid.value));
        lines += "target " + QByteArray::number(target.identity.pid.value) + ' '
            + QByteArray::number(target.identity.start.value) + ' '
            + (target.uid ? QByteArray::number(*target.uid) : QByteArray("''")) + ' '
            // A name that had to be cleaned is not the host's any more, and is not compared.
            + (cleanLine(target.cgroup, 4096) == target.cgroup && !target.cgroup.contains(QChar::ReplacementCharacter)
                   ? shellQuoted(target.cgroup).toUtf8() : QByteArray("''"))
            + '\n';
    }
    return QByteArray(lines + "}\n");
}

Result<QByteArray> unitWord(const ActionRequest &request)
{
    if (!isUnitName(request.unit))
        return fail(ErrorCode::Usage, u"\"%1\" is no name of a systemd unit."_s.arg(cleanLine(request.unit, 80)));
    return QByteArray("UNIT=" + shellQuoted(request.unit).toUtf8() + "\nSCOPE=" + (request.userUnit ? "--user" : "") + '\n');
}

Result<QByteArray> httpArguments(const HttpRequest &request)
{
    if (const QString refusal = refusalOf(request); !refusal.isEmpty())
        return fail(ErrorCode::Usage, refusal);
    const auto quoted = [](const QByteArray &text) { return shellQuoted(QString::fromUtf8(text)).toUtf8(); };
    const auto seconds = std::max<qint64>(1, std::chrono::ceil<std::chrono::seconds>(request.limit).count());
    return QByteArray("CURL=" + quoted(curlConfiguration(request)) + "\nWGET=" + quoted(wgetConfiguration(request))
                      + "\nURL=" + quoted(urlOf(request)) + "\nLIMIT=" + QByteArray::number(seconds)
                      + "\nMOST=" + QByteArray::number(mostBytesOnHost(request)) + '\n');
}

Result<QByteArray> argumentsOf(const ActionRequest &request, const Actor &actor)
{
    static constexpr QStringView hex = u"0123456789abcdef-";
    using Kind = ActionRequest::Kind;
    if (request.kind == Kind::AskPorts) {
        static constexpr QStringView address = u"0123456789abcdefABCDEF.:";
        QByteArray words;
        for (const auto &[host, port] : request.ports) {
            if (!consistsOf(host, address))
                return fail(ErrorCode::Internal, u"\"%1\" is no numeric address."_s.arg(cleanLine(host, 80)));
            words += (words.isEmpty() ? "" : " ") + host.toLatin1() + ',' + QByteArray::number(port);
        }
        return QByteArray("PORTS='" + words + "'\n");
    }
    if (request.kind == Kind::CatUnit) {
        const auto unit = unitWord(request);
        return unit ? Result<QByteArray>(*unit + "PROPS=" + unitFactProperties().join(u',').toLatin1() + '\n') : unit;
    }
    if (request.kind == Kind::AskHttp)
        return httpArguments(request.http);
    if (request.kind == Kind::UnitLog) {
        const auto unit = unitWord(request);
        if (!unit)
            return unit;
        if (!request.invocation.isEmpty() && !consistsOf(request.invocation, hex))
            return fail(ErrorCode::Internal, u"The unit's invocation id is none."_s);
        return QByteArray(*unit + "INVOCATION=" + request.invocation.toLatin1() + "\nLINES=" + QByteArray::number(std::clamp(request.lines, 1, 5000)) + '\n');
    }
    if (request.kind == Kind::LookAtRoom)
        return QByteArray("MODEL=" + (request.path.startsWith(u'/') ? shellQuoted(request.path).toUtf8() : QByteArray()) + '\n');
    if (!consistsOf(request.bootId, hex) && request.kind != Kind::End)
        return fail(ErrorCode::RefusedBySafety, u"The host did not tell its boot id, without which no process is sure to be the same."_s);
    if (!consistsOf(actor.console, hex) && request.kind != Kind::Evidence) // it takes no lock
        return fail(ErrorCode::Internal, u"The console has no usable id."_s);
    QByteArray text = "CONSOLE=" + actor.console.toLatin1() + "\nPERSON=" + word(actor.person) + "\nWHAT=" + word(request.what)
        + "\nBOOT=" + request.bootId.toLatin1() + '\n';
    const auto body = bodyOf(request.kind);
    if (body == QByteArrayView(resources::signalAction)) {
        const auto targets = targetLines(request.targets);
        if (!targets)
            return fail(targets.error());
        text += "SIGNAL=" + signalOf(request.kind) + '\n' + *targets;
    } else if (request.kind == Kind::CleanShm) {
        text += "files() {\n:\n";
        for (const ShmTarget &file : request.files) {
            if (!isShmName(file.name))
                return fail(ErrorCode::RefusedBySafety, u"\"%1\" is no file of /dev/shm that may be removed."_s.arg(cleanLine(file.name, 80)));
            text += "file " + file.name.toLatin1() + ' ' + QByteArray::number(file.device) + ' ' + QByteArray::number(file.inode) + ' '
                + QByteArray::number(file.uid) + '\n';
        }
        text += "}\n";
    } else if (request.kind == Kind::Evidence) {
        const auto targets = targetLines(request.targets);
        if (!targets)
            return fail(targets.error());
        text += request.withDriver ? "DRIVER=1\n" : "DRIVER=\n";
        text += "UNIT=" + (isUnitName(request.unit) ? shellQuoted(request.unit).toUtf8() : QByteArray()) + '\n' + *targets;
    } else if (request.kind == Kind::Command) {
        if (request.command.trimmed().isEmpty() || request.command.size() > longestCommand || request.command.contains(QChar(0)))
            return fail(ErrorCode::Usage, u"The command is empty or too long."_s);
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(request.limit).count() - 5;
        text += "COMMAND=" + shellQuoted(request.command).toUtf8() + "\nSECONDS_LEFT=" + QByteArray::number(std::max<qint64>(1, seconds)) + '\n';
    } else if (body == QByteArrayView(resources::unitAction)) {
        const auto unit = unitWord(request);
        if (!unit)
            return unit;
        text += *unit + "VERB=" + verbOf(request.kind) + '\n';
    }
    return text;
}

} // namespace

QByteArray sharedScript()
{
    static const QByteArray shared = withoutComments(resources::actionScript);
    return shared;
}

Result<QByteArray> actionScript(const ActionRequest &request, const Actor &actor, const QByteArray &nonce)
{
    const auto arguments = argumentsOf(request, actor);
    if (!arguments)
        return arguments;
    return QByteArray("N=" + nonce + '\n' + *arguments + sharedScript() + withoutComments(bodyOf(request.kind)));
}

Result<QByteArray> actionExcerpt(const ActionRequest &request, const Actor &actor)
{
    const auto arguments = argumentsOf(request, actor);
    if (!arguments)
        return arguments;
    return QByteArray(*arguments + withoutComments(bodyOf(request.kind)));
}

} // namespace pilothouse
