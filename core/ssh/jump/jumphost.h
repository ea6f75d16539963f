// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One jump host: its session, and all who ride through it. Signs in once for all of them, asks one of them what only a
// person can answer, lets a few at a time begin their own handshake. Lives in the jump hosts' thread; owned by
// JumpWorker. One use: after ended() it is of no use to anybody.

#include "core/ssh/jump/jumphosts.h"
#include "core/ssh/jump/jumpmessages.h"
#include "core/ssh/sessioncore.h"

#include <QObject>
#include <QTimer>

#include <vector>

namespace pilothouse {

class JumpHost final : public QObject
{
    Q_OBJECT
public:
    JumpHost(const Ride &first, const JumpSettings &settings, std::shared_ptr<JumpPort> port);
    ~JumpHost() override;

    void join(Ride ride);
    void leave(quint64 ride);
    void answer(quint64 ride, Answer answer);
    void settle(quint64 ride);
    /// The gate has a place: for a ride, or for the jump host's own handshake (0).
    void gateOpened(quint64 ride);

    /// Too late to join.
    [[nodiscard]] bool isEnding() const { return m_core->state() >= SessionCore::State::Closing; }
    [[nodiscard]] bool isUsed() const { return !m_riders.empty(); }
    /// Of the one that it was begun for.
    [[nodiscard]] bool asksPerson() const { return m_asksPerson; }
    [[nodiscard]] bool wasReady() const { return m_wasReady; }
    [[nodiscard]] bool neededPerson() const { return m_core->neededPerson(); }

signals:
    /// Once, after all riders were told. The error names the jump host.
    void ended(const pilothouse::Error &error);
    void becameReady();

private:
    enum class Stage { Waiting, AtGate, Opening, Open, Failed };
    struct Rider
    {
        Ride ride;
        Stage stage = Stage::Waiting;
        bool holdsPlace = false;
        std::unique_ptr<HandshakeGate::Ticket> ticket;
        std::shared_ptr<ForwardChannel> channel;
    };

    [[nodiscard]] Rider *find(quint64 ride);
    [[nodiscard]] Error named(Error error) const;
    void stateChanged(SessionCore::State state, const QString &words);
    void coreEnded(const Error &error);
    void askSomebody();
    void admit();
    void opened(quint64 ride, Result<OwnedDescriptor> descriptor);
    void say(const Rider &rider) const;

    const QString m_key;
    const QString m_name;
    const bool m_asksPerson;
    const JumpSettings m_settings;
    std::shared_ptr<JumpPort> m_port;
    std::shared_ptr<SessionCore> m_core;
    std::unique_ptr<HandshakeGate::Ticket> m_ticket;
    std::vector<Rider> m_riders; ///< in order of their coming
    int m_places = 0;
    QString m_words;
    bool m_wasReady = false;
    std::optional<Question> m_question; ///< open
    quint64 m_asked = 0;                ///< the ride that has it
    bool m_nobodyToAsk = false;         ///< whoever could answer has left
    QTimer m_linger;
};

} // namespace pilothouse
