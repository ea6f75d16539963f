// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis/diagnosis.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

QString nameOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Unknown: return u"unknown"_s;
    case Verdict::Serving: return u"serving"_s;
    case Verdict::Starting: return u"starting"_s;
    case Verdict::InUse: return u"in_use"_s;
    case Verdict::Leftover: return u"leftover"_s;
    case Verdict::Foreign: return u"foreign"_s;
    case Verdict::Helper: return u"helper"_s;
    case Verdict::Infrastructure: return u"infrastructure"_s;
    case Verdict::Exiting: return u"exiting"_s;
    case Verdict::Stuck: return u"stuck"_s;
    case Verdict::Gone: return u"gone"_s;
    }
    return {};
}

QString nameOf(ProposedAction action)
{
    switch (action) {
    case ProposedAction::None: return u"none"_s;
    case ProposedAction::Terminate: return u"terminate"_s;
    case ProposedAction::Kill: return u"kill"_s;
    case ProposedAction::StopUnit: return u"stop_unit"_s;
    case ProposedAction::StopContainer: return u"stop_container"_s;
    case ProposedAction::AskOwner: return u"ask_owner"_s;
    case ProposedAction::Wait: return u"wait"_s;
    case ProposedAction::Reboot: return u"reboot"_s;
    }
    return {};
}

QString nameOf(HostState state)
{
    switch (state) {
    case HostState::Stuck: return u"stuck"_s;
    case HostState::Leftover: return u"leftover"_s;
    case HostState::Releasing: return u"releasing"_s;
    case HostState::Starting: return u"starting"_s;
    case HostState::Serving: return u"serving"_s;
    case HostState::Busy: return u"busy"_s;
    case HostState::Free: return u"free"_s;
    case HostState::Unknown: return u"unknown"_s;
    }
    return {};
}

} // namespace pilothouse
