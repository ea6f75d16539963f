// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/servingwatch.h"

#include <QStringList>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Figure = Quantity<double> ServingMetrics::*;
constexpr Figure counters[] = {&ServingMetrics::generated, &ServingMetrics::prompts, &ServingMetrics::finished};

bool hasCounter(const ServingMetrics &metrics)
{
    return metrics.generated.isKnown() || metrics.prompts.isKnown() || metrics.finished.isKnown();
}

} // namespace

bool ServingWatch::advanced(const ServingMetrics &metrics, bool &restarted) const
{
    bool grew = false;
    for (const Figure counter : counters) {
        const Quantity<double> &before = (*m_last).*counter;
        const Quantity<double> &now = metrics.*counter;
        if (!before.isKnown() || !now.isKnown())
            continue;
        grew = grew || now.value() > before.value();
        restarted = restarted || now.value() < before.value(); // it counts from zero again
    }
    return grew;
}

ServingWatch::State ServingWatch::take(const ServingMetrics &metrics, qint64 nowMs, qint64 tookMs)
{
    // Without the queue's length the running ones still tell.
    const Quantity<double> atWork = metrics.atWork().isKnown() ? metrics.atWork() : metrics.running;
    if (!atWork.isKnown() || !hasCounter(metrics)) {
        miss(nowMs);
        if (atWork.isKnown() && atWork.value() == 0)
            m_state = State::Idle;
        return m_state;
    }
    bool restarted = false;
    const bool follows = m_last && nowMs - m_lastAt <= longestGapMs;
    const bool grew = follows && advanced(metrics, restarted);
    m_rate = {};
    if (grew && !restarted && nowMs > m_lastAt && m_last->generated.isKnown() && metrics.generated.isKnown())
        m_rate = (metrics.generated.value() - m_last->generated.value()) * 1000.0 / double(nowMs - m_lastAt);
    if (atWork.value() == 0) {
        m_frozenSince.reset();
        m_state = State::Idle;
    } else {
        // What runs at one reading alone may have begun just then: it counts from there.
        if (!follows || grew || restarted || !m_frozenSince)
            m_frozenSince = nowMs;
        const bool slow = tookMs > slowMs || metrics.waiting.valueOr(0) > 0;
        m_state = nowMs - *m_frozenSince >= stuckAfterMs ? State::Stuck : slow ? State::Busy : State::Serving;
    }
    m_frozenMs = m_frozenSince ? nowMs - *m_frozenSince : 0;
    m_last = metrics;
    m_lastAt = nowMs;
    return m_state;
}

ServingWatch::State ServingWatch::miss(qint64)
{
    // What was frozen has to be seen frozen: a reading that is missing breaks no chain that the next one can hold
    // together, but nothing is said meanwhile.
    m_rate = {};
    m_state = State::Unknown;
    return m_state;
}

QString ServingWatch::words() const
{
    if (m_state == State::Unknown || !m_last)
        return u"its figures cannot be read"_s;
    const auto figure = [](const Quantity<double> &quantity) {
        return quantity.isKnown() ? QString::number(quantity.value(), 'f', 0) : u"unknown"_s;
    };
    QString words = u"%1 running, %2 waiting"_s.arg(figure(m_last->running), figure(m_last->waiting));
    if (m_state == State::Idle)
        return words;
    if (m_frozenMs >= 1000)
        words += u"; no counter has advanced for %1 s"_s.arg(m_frozenMs / 1000);
    else if (m_rate.isKnown())
        words += u"; %1 tokens/s"_s.arg(m_rate.value(), 0, 'f', m_rate.value() < 10 ? 1 : 0);
    return words;
}

QString nameOf(ServingWatch::State state)
{
    switch (state) {
    case ServingWatch::State::Unknown:
        break;
    case ServingWatch::State::Idle:
        return u"idle"_s;
    case ServingWatch::State::Serving:
        return u"serving"_s;
    case ServingWatch::State::Busy:
        return u"busy"_s;
    case ServingWatch::State::Stuck:
        return u"stuck"_s;
    }
    return u"unknown"_s;
}

} // namespace pilothouse
