// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshsession.h"

#include "core/ssh/sessioncore.h"

namespace pilothouse {

class SshSession::Private
{
public:
    std::shared_ptr<SessionCore> core;
};

SshSession::SshSession(ConnectionSettings settings, QObject *parent)
    : QObject(parent)
    , d(std::make_unique<Private>())
{
    d->core = std::make_shared<SessionCore>(
        std::move(settings), SessionSeams::real(),
        SessionCore::Listener{[this](State state, const QString &words) { emit stateChanged(state, words); },
                              [this](const Question &question) { emit asked(question); },
                              [this](const Error &error) { emit ended(error); },
                              [this](bool waits) { emit waitsForOthers(waits); }});
}

SshSession::~SshSession()
{
    d->core->abandon();
}

void SshSession::open()
{
    d->core->open();
}

void SshSession::close()
{
    d->core->close();
}

void SshSession::answer(Answer answer)
{
    d->core->answer(std::move(answer));
}

SshSession::State SshSession::state() const
{
    return d->core->state();
}

QString SshSession::peer() const
{
    return d->core->peer();
}

bool SshSession::neededPerson() const
{
    return d->core->neededPerson();
}

bool SshSession::endedOnTheWay() const
{
    return d->core->endedOnTheWay();
}

std::unique_ptr<RemoteShell> SshSession::openShell()
{
    return d->core->openShell();
}

void SshSession::openWay(const WayTarget &target, OwnedDescriptor near, WayListener listener)
{
    // The session keeps the channel; the end of `near` ends it.
    (void)d->core->openForward(target, std::move(near),
                         ForwardChannel::Listener{
                             .opened = [tell = std::move(listener.opened)](const Result<OwnedDescriptor> &opened) {
                                 if (tell)
                                     tell(opened ? std::nullopt : std::optional(opened.error()));
                             },
                             .lost = std::move(listener.lost),
                             .came = std::move(listener.came),
                         });
}

} // namespace pilothouse
