// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One SSH connection: resolve, connect, check the host key, sign in, open shells and ways, notice a dead link.
// Lives in one thread with an event loop (never the GUI's); everything here is called and emitted in that thread.
// One use: after ended() make a new one (reconnecting is the business of core/fleet).

#include "core/ssh/connectionsettings.h"
#include "core/ssh/hostway.h"
#include "core/ssh/question.h"
#include "core/ssh/remoteshell.h"

#include <QObject>

#include <memory>

namespace pilothouse {

class SshSession final : public QObject, public ShellProvider, public WayProvider
{
    Q_OBJECT
public:
    enum class State { Idle, Resolving, Connecting, KeyExchange, CheckingHostKey, SigningIn, Ready, Closing, Ended };
    Q_ENUM(State)

    explicit SshSession(ConnectionSettings settings, QObject *parent = nullptr);
    ~SshSession() override;

    void open();
    /// Orderly end; ended() with Cancelled follows.
    void close();
    /// The person's answer to asked(); an answer to an older question is ignored.
    void answer(Answer answer);

    [[nodiscard]] State state() const;
    /// user@address:port of the peer, once connected.
    [[nodiscard]] QString peer() const;
    /// A person had to answer or touch something in order to sign in here (the jump hosts see to their own sign-ins).
    [[nodiscard]] bool neededPerson() const;
    /// It was a jump host on the way that failed.
    [[nodiscard]] bool endedOnTheWay() const;
    [[nodiscard]] std::unique_ptr<RemoteShell> openShell() override;
    void openWay(const WayTarget &target, OwnedDescriptor near, WayListener listener) override;

signals:
    /// States only move forward. `words` say what is going on now, for a person: "waiting for the agent".
    void stateChanged(pilothouse::SshSession::State state, const QString &words);
    void asked(const pilothouse::Question &question);
    /// True while it waits with no limit of time of its own: for what many share, a jump host and its turn there, or
    /// for an agent that waits for a person.
    void waitsForOthers(bool waits);
    /// Exactly once, after the last signal of every shell; nothing follows.
    void ended(const pilothouse::Error &error);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace pilothouse
