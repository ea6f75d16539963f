// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/actions/action.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

bool changesHost(ActionRequest::Kind kind)
{
    using Kind = ActionRequest::Kind;
    return kind == Kind::Terminate || kind == Kind::Kill || (kind >= Kind::StopUnit && kind < Kind::LookAtUnit) || kind == Kind::CleanShm
        || kind == Kind::Command;
}

QString nameOf(ActionRequest::Kind kind)
{
    using Kind = ActionRequest::Kind;
    switch (kind) {
    case Kind::Begin:
        return u"lock.take"_s;
    case Kind::Look:
        return u"look.processes"_s;
    case Kind::Terminate:
        return u"signal.term"_s;
    case Kind::Kill:
        return u"signal.kill"_s;
    case Kind::StopUnit:
        return u"unit.stop"_s;
    case Kind::StartUnit:
        return u"unit.start"_s;
    case Kind::RestartUnit:
        return u"unit.restart"_s;
    case Kind::ResetFailedUnit:
        return u"unit.reset_failed"_s;
    case Kind::EnableUnit:
        return u"unit.enable"_s;
    case Kind::DisableUnit:
        return u"unit.disable"_s;
    case Kind::ReloadDaemon:
        return u"unit.daemon_reload"_s;
    case Kind::UnitLog:
        return u"look.log"_s;
    case Kind::LookAtUnit:
        return u"look.unit"_s;
    case Kind::CleanShm:
        return u"shm.clean"_s;
    case Kind::End:
        return u"lock.drop"_s;
    case Kind::Evidence:
        return u"look.evidence"_s;
    case Kind::AskPorts:
        return u"look.ports"_s;
    case Kind::CatUnit:
        return u"look.unitfile"_s;
    case Kind::AskHttp:
        return u"look.http"_s;
    case Kind::Command:
        return u"command.run"_s;
    case Kind::LookAtRoom:
        return u"look.room"_s;
    }
    return {};
}

QString wordsOf(ProcessOutcome::What what)
{
    using What = ProcessOutcome::What;
    switch (what) {
    case What::Signalled:
        return u"signalled"_s;
    case What::Gone:
        return u"already gone"_s;
    case What::Other:
        return u"gone; another process has its number now, which was not touched"_s;
    case What::Changed:
        return u"not touched: its user or control group has changed since it was looked at"_s;
    case What::Refused:
        return u"refused: it is never touched"_s;
    case What::Denied:
        return u"no permission"_s;
    case What::Alive:
        return u"still there"_s;
    case What::Unlocked:
        return u"not touched: another console took the lock"_s;
    case What::Untold:
        return u"not told by the host"_s;
    }
    return {};
}

Unit UnitOutcome::asUnit(const QString &name, bool user) const
{
    const auto known = [](const auto &value) {
        using T = typename std::decay_t<decltype(value)>::value_type;
        return value ? Quantity<T>(*value) : Quantity<T>::unknown(UnknownReason::Absent);
    };
    Unit unit;
    unit.name = name;
    unit.user = user;
    unit.load = load;
    unit.loadError = loadError;
    unit.active = active;
    unit.sub = sub;
    unit.result = result;
    unit.type = type;
    unit.killMode = killMode;
    unit.restart = restart;
    unit.unitFileState = unitFileState;
    unit.statusText = statusText;
    unit.needDaemonReload = needDaemonReload;
    unit.mainPid = known(mainPid);
    unit.restarts = known(restarts);
    unit.execMainCode = known(execMainCode);
    unit.execMainStatus = known(execMainStatus);
    return unit;
}

bool isShmName(QStringView name)
{
    return !name.isEmpty() && name.size() <= 255 && name.front() != u'.' && std::ranges::all_of(name, [](QChar c) {
        return (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z') || (c >= u'0' && c <= u'9') || QStringView(u"._+-").contains(c);
    });
}

QString wordsOf(ShmOutcome::What what)
{
    using What = ShmOutcome::What;
    switch (what) {
    case What::Removed:
        return u"removed"_s;
    case What::Used:
        return u"still used"_s;
    case What::Gone:
        return u"already gone"_s;
    case What::Other:
        return u"not touched: another file has its name now"_s;
    case What::Refused:
        return u"refused"_s;
    case What::Unproved:
        return u"not touched: only root can prove that nobody uses it"_s;
    case What::Denied:
        return u"no permission"_s;
    case What::Untold:
        return u"not told by the host"_s;
    }
    return {};
}

} // namespace pilothouse
