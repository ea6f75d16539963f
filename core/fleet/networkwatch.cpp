// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/networkwatch.h"

#include <algorithm>

namespace pilothouse {

using State = NetworkTrouble::State;

void NetworkWatch::forgetOld(Time now)
{
    while (!m_losses.empty() && now - m_losses.front().at > m_settings.window)
        m_losses.pop_front();
}

NetworkWatch::Orders NetworkWatch::connected(const QString &host, Time now)
{
    m_up.insert(host);
    if (m_trouble.state != State::Away) // it was away and is back: no sign any more
        std::erase_if(m_losses, [&](const Loss &loss) { return loss.host == host; });
    if (m_trouble.state == State::None)
        return {};
    Orders orders;
    if (m_trouble.state == State::Away) {
        m_trouble.state = State::Returning;
        m_trouble.trying.clear();
        for (const Loss &loss : m_losses)
            m_gone.insert(loss.host);
        for (const QString &each : m_held)
            m_gone.insert(each);
        m_losses.clear(); // from here on they count anew
        std::erase(m_held, host);
        const Time step =
            m_held.empty() ? Time(0) : std::min<Time>(m_settings.between, m_settings.spread / qint64(m_held.size()));
        Time wait{0};
        for (const QString &each : m_held)
            orders.go += {each, wait += step};
        m_due = now + m_settings.spread + m_settings.lastProbe; // who is not back then is away for a reason of its own
    }
    if (m_gone.remove(host))
        ++m_trouble.back;
    settle(host);
    return orders;
}

NetworkWatch::Orders NetworkWatch::lost(const QString &host, Time now, bool retries, bool onTheWay)
{
    m_up.remove(host);
    if (m_trouble.state != State::Away)
        forgetOld(now);
    m_losses.push_back({host, now, retries, onTheWay});
    const int lost = int(m_losses.size());
    if (m_trouble.state == State::Away) {
        ++m_trouble.lost;
        m_trouble.within = now - m_losses.front().at;
        m_trouble.onTheWay = m_trouble.onTheWay && onTheWay;
        if (retries)
            m_held.push_back(host);
        return {retries ? QStringList{host} : QStringList(), {}};
    }
    if (lost < m_settings.atLeast || lost <= m_up.size())
        return {};
    Orders orders = begin();
    if (!m_held.empty())
        probeLater(now);
    return orders;
}

NetworkWatch::Orders NetworkWatch::begin()
{
    m_trouble = {};
    m_trouble.within = m_losses.back().at - m_losses.front().at;
    m_trouble.onTheWay = std::ranges::all_of(m_losses, &Loss::onTheWay);
    m_wait = Time(0);
    m_gone.clear();
    for (const Loss &loss : m_losses) {
        if (loss.retries && std::ranges::find(m_held, loss.host) == m_held.end())
            m_held.push_back(loss.host);
    }
    m_trouble.lost = int(std::max(m_losses.size(), m_held.size()));
    m_trouble.of = m_trouble.lost + int(m_up.size());
    Orders orders;
    orders.hold = QStringList(m_held.begin(), m_held.end()); // those that were still to return as well
    if (m_held.empty()) // each of them waits for a person and says so
        m_losses.clear();
    else
        m_trouble.state = State::Away;
    return orders;
}

void NetworkWatch::probeLater(Time now)
{
    m_wait = std::clamp(m_wait * 2, m_settings.firstProbe, m_settings.lastProbe);
    m_due = now + m_wait;
    m_trouble.trying.clear();
}

NetworkWatch::Orders NetworkWatch::due(Time now)
{
    if (!m_due || now < *m_due)
        return {};
    m_due.reset();
    if (m_trouble.state == State::Returning) {
        m_held.clear();
        settle({});
        return {};
    }
    const QString host = m_held.front(); // the next one has its turn if this one fails
    m_held.pop_front();
    m_held.push_back(host);
    m_trouble.trying = host;
    return {{}, {{host, Time(0)}}};
}

NetworkWatch::Orders NetworkWatch::failed(const QString &host, Time now, bool retries)
{
    if (std::ranges::find(m_held, host) == m_held.end())
        return {};
    if (m_trouble.state == State::Returning) {
        settle(host);
        return {};
    }
    if (!retries)
        return left(host, now);
    if (host == m_trouble.trying)
        probeLater(now);
    return {{host}, {}};
}

NetworkWatch::Orders NetworkWatch::left(const QString &host, Time now)
{
    m_up.remove(host);
    const bool wasTrying = m_trouble.state == State::Away && host == m_trouble.trying;
    m_gone.remove(host);
    std::erase_if(m_losses, [&](const Loss &loss) { return loss.host == host; });
    settle(host);
    if (wasTrying && m_trouble.state == State::Away)
        probeLater(now);
    return {};
}

/// `host` needs nothing more; with the last one all is over.
void NetworkWatch::settle(const QString &host)
{
    std::erase(m_held, host);
    if (m_trouble.state == State::None || !m_held.empty())
        return;
    m_trouble = {};
    m_losses.clear();
    m_gone.clear();
    m_due.reset();
}

} // namespace pilothouse
