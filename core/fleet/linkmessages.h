// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What crosses between a HostLink and the worker in its thread, both ways, always through a Handoff. Values.

#include "core/actions/action.h"
#include "core/base/earlyport.h"
#include "core/fleet/hostlink.h"

#include <variant>

namespace pilothouse {

// To the worker. `epoch` counts open() and close(): what was caused by an older one is stale.
struct OpenLink { quint64 epoch = 0; };
struct CloseLink { quint64 epoch = 0; };
struct RetryLink {};
struct ResumeLink {}; ///< the jump host that it waits for may be there again
struct RenewLink {};  ///< the connection that stands is given up for a new one
struct HoldLink {};   ///< no tries until it is released
struct ReleaseLink { std::chrono::milliseconds wait{0}; };
struct AnswerLink { quint64 attempt = 0; Answer answer; };
struct SetLinkCadence { std::chrono::milliseconds cadence{0}; Depth depth = Depth::Light; };
struct SetDeepThreshold { int mib = 0; };
struct SetLinkProbe { ProbeSettings probe; };
struct TakeSnapshot { Depth depth = Depth::Light; };
struct RunAction { quint64 id = 0; ActionRequest request; Actor actor; };
struct AskHttp { quint64 id = 0; HttpRequest request; };
struct EnterGate { quint64 attempt = 0; };
struct QuitLink {};
using LinkCommand =
    std::variant<OpenLink, CloseLink, RetryLink, ResumeLink, RenewLink, HoldLink, ReleaseLink, AnswerLink,
                 SetLinkCadence, SetDeepThreshold, SetLinkProbe, TakeSnapshot, RunAction, AskHttp, EnterGate, QuitLink>;

// From the worker.
struct AskedQuestion { quint64 attempt = 0; Question question; };
struct FailedRequest { Error error; };
struct EndedAction { quint64 id = 0; ActionResult result; };
struct EndedHttp { quint64 id = 0; HttpAnswer answer; };
struct LinkEvent
{
    quint64 epoch = 0;
    std::variant<LinkState, AskedQuestion, SnapshotPtr, FailedRequest, EndedAction, EndedHttp> what;
};

/// The way to a worker whose thread may not have started yet. Any thread.
using LinkPort = EarlyPort<LinkCommand>;

} // namespace pilothouse
