// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/hostlink.h"

#include "core/fleet/linkworker.h"

namespace pilothouse {

class HostLink::Private
{
public:
    Private(HostLink &link, HostSpec hostSpec)
        : q(link)
        , spec(std::move(hostSpec))
        , port(std::make_shared<LinkPort>())
        , events([this](LinkEvent event) { receive(std::move(event)); })
    {
    }

    void receive(LinkEvent event)
    {
        if (event.epoch != epoch) // from before the last open() or close()
            return;
        std::visit([this](auto &&what) { take(std::move(what)); }, std::move(event.what));
    }

    // A slot may destroy the link: nothing is touched after an emit.
    void take(LinkState &&newState)
    {
        state = std::move(newState);
        if (state.phase != LinkState::Phase::Waiting)
            asked.reset();
        const LinkState copy = state;
        emit q.stateChanged(copy);
    }
    void take(AskedQuestion &&question)
    {
        // The session counts its own questions, and a new session begins anew: one count for the link.
        asked = Asked{++questions, question.attempt, question.question.id};
        question.question.id = asked->id;
        emit q.questionAsked(question.question);
    }
    void take(SnapshotPtr &&snapshot)
    {
        latest = snapshot;
        emit q.snapshotArrived(snapshot);
    }
    void take(FailedRequest &&failed) { emit q.snapshotFailed(failed.error); }
    void take(EndedAction &&action) { emit q.acted(action.id, action.result); }
    void take(EndedHttp &&http) { emit q.answered(http.id, http.answer); }

    struct Asked
    {
        quint64 id = 0;
        quint64 attempt = 0;
        quint64 sessionId = 0;
    };

    HostLink &q;
    HostSpec spec;
    LinkState state;
    SnapshotPtr latest;
    quint64 epoch = 0;
    quint64 questions = 0;
    quint64 actions = 0;
    quint64 requests = 0;
    std::optional<Asked> asked;
    std::shared_ptr<LinkPort> port;
    std::shared_ptr<LinkThreads> threads;
    Handoff<LinkEvent> events;
};

HostLink::HostLink(HostSpec spec, ConnectionSettings settings, ProbeSettings probe, LinkEnvironment environment,
                   QObject *parent)
    : QObject(parent)
    , d(std::make_unique<Private>(*this, std::move(spec)))
{
    d->threads = std::exchange(environment.threads, {}); // belongs to this thread
    LinkSetup setup{std::move(settings), std::move(probe), std::move(environment), d->port, d->events.sender()};
    d->threads->start(std::make_unique<LinkThread>(std::move(setup)));
}

HostLink::~HostLink()
{
    d->port->post(QuitLink{});
}

const HostSpec &HostLink::spec() const
{
    return d->spec;
}

const LinkState &HostLink::state() const
{
    return d->state;
}

SnapshotPtr HostLink::latest() const
{
    return d->latest;
}

void HostLink::open()
{
    if (d->state.phase == LinkState::Phase::Idle)
        d->port->post(OpenLink{++d->epoch});
}

void HostLink::close()
{
    d->port->post(CloseLink{++d->epoch});
}

void HostLink::retryNow()
{
    d->port->post(RetryLink{});
}

void HostLink::resume()
{
    d->port->post(ResumeLink{});
}

void HostLink::hold()
{
    d->port->post(HoldLink{});
}

void HostLink::release(std::chrono::milliseconds wait)
{
    d->port->post(ReleaseLink{wait});
}

void HostLink::renew()
{
    d->port->post(RenewLink{});
}

void HostLink::answer(const Answer &answer)
{
    if (!d->asked || d->asked->id != answer.questionId)
        return;
    Answer forwarded = answer;
    forwarded.questionId = d->asked->sessionId;
    d->port->post(AnswerLink{d->asked->attempt, std::move(forwarded)});
    d->asked.reset();
}

void HostLink::setCadence(std::chrono::milliseconds cadence, Depth depth)
{
    d->port->post(SetLinkCadence{cadence, depth});
}

void HostLink::setDeepThreshold(int mib)
{
    d->port->post(SetDeepThreshold{mib});
}

void HostLink::setSpec(const HostSpec &spec, const ProbeSettings &probe)
{
    d->spec = spec;
    d->port->post(SetLinkProbe{probe});
    setDeepThreshold(spec.thresholdMib);
}

void HostLink::watchToo(const QList<ServiceSpec> &services)
{
    ProbeSettings probe;
    probe.expectedGpus = d->spec.expectedGpus;
    watchUnitsOf(d->spec.services, probe);
    watchUnitsOf(services, probe);
    d->port->post(SetLinkProbe{probe});
}

void HostLink::requestSnapshot(Depth depth)
{
    d->port->post(TakeSnapshot{depth});
}

quint64 HostLink::act(const ActionRequest &request, const Actor &actor)
{
    d->port->post(RunAction{++d->actions, request, actor});
    return d->actions;
}

quint64 HostLink::ask(const HttpRequest &request)
{
    d->port->post(AskHttp{++d->requests, request});
    return d->requests;
}

} // namespace pilothouse
