// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Notices when most connections vanish within seconds, which is this side's network and no forty hosts, and says who
// may try when: one host at a time until one is through, then the others spread out. Pure: told what happens, times
// included; lives in one thread.

#include <QList>
#include <QSet>
#include <QStringList>

#include <chrono>
#include <deque>
#include <optional>
#include <utility>

namespace pilothouse {

/// What a person is told; one for all hosts.
struct NetworkTrouble
{
    enum class State { None, Away, Returning };
    State state = State::None;
    int lost = 0;          ///< connections that vanished
    int of = 0;            ///< that there were
    std::chrono::milliseconds within{0};
    bool onTheWay = false; ///< all of them at a jump host
    QString trying;        ///< Away: the host whose turn it is
    int back = 0;          ///< Returning: of those lost

    friend bool operator==(const NetworkTrouble &, const NetworkTrouble &) = default;
};

class NetworkWatch final
{
public:
    using Time = std::chrono::milliseconds;
    struct Settings
    {
        Time window{15'000};    ///< a dead link is noticed by what it last had to say: not at the same moment
        int atLeast = 3;        ///< one of two hosts that goes away is that host
        Time firstProbe{1'000}; ///< until one host tries, doubling
        Time lastProbe{15'000};
        Time between{50};       ///< two hosts that come back
        Time spread{10'000};    ///< all of them
    };
    /// What the links have to do.
    struct Orders
    {
        QStringList hold;                     ///< try nothing by themselves
        QList<std::pair<QString, Time>> go;   ///< after so long, and from then on by themselves
    };

    NetworkWatch() : NetworkWatch(Settings{}) { }
    explicit NetworkWatch(const Settings &settings) : m_settings(settings) { }

    [[nodiscard]] Orders connected(const QString &host, Time now);
    /// A connection that stood. `retries`: the host would try again by itself.
    [[nodiscard]] Orders lost(const QString &host, Time now, bool retries = true, bool onTheWay = false);
    /// An attempt to connect.
    [[nodiscard]] Orders failed(const QString &host, Time now, bool retries = true);
    /// No longer of interest: closed, removed, connected anew by a person.
    [[nodiscard]] Orders left(const QString &host, Time now);
    /// At next().
    [[nodiscard]] Orders due(Time now);
    [[nodiscard]] std::optional<Time> next() const { return m_due; }
    [[nodiscard]] const NetworkTrouble &trouble() const { return m_trouble; }

private:
    struct Loss
    {
        QString host;
        Time at;
        bool retries;
        bool onTheWay;
    };

    void forgetOld(Time now);
    [[nodiscard]] Orders begin();
    void probeLater(Time now);
    void settle(const QString &host);

    Settings m_settings;
    NetworkTrouble m_trouble;
    QSet<QString> m_up;
    std::deque<Loss> m_losses;  ///< within the window; Away: of this trouble
    QSet<QString> m_gone;       ///< Returning: of this trouble
    std::deque<QString> m_held; ///< Away: in the order in which they try; Returning: not through yet
    Time m_wait{0};
    std::optional<Time> m_due;
};

} // namespace pilothouse
