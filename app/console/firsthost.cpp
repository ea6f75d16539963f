// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/firsthost.h"

#include "app/console/fleetbinding.h"
#include "ui/host/hostsummary.h"
#include "ui/window/mainwindow.h"

#include <QCoreApplication>
#include <QEvent>

#include <algorithm>
#include <utility>

namespace pilothouse {

using namespace std::chrono_literals;

namespace {

constexpr auto step = 200ms;
constexpr int mostLooks = 200;   ///< a host that is silent so long keeps nobody waiting
constexpr int verdictLooks = 100; ///< after the first snapshots: a leftover is told by a deeper look

Severity needOf(const HostData &host, const HostStore &store)
{
    const Severity severity = summaryOf(host, store.now()).severity;
    return severity < Severity::Warning ? Severity::Quiet : severity;
}

} // namespace

QString mostInNeed(const HostStore &store)
{
    const QStringList names = store.names();
    const auto weight = [&store](const QString &name) {
        const HostData &host = *store.find(name);
        return std::pair(needOf(host, store), host.snapshot ? memoryOf(*host.snapshot).usedMib : 0);
    };
    const auto worst = std::ranges::max_element(names, {}, weight);
    return worst == names.end() ? QString() : *worst;
}

FirstHost::FirstHost(MainWindow &window, const FleetBinding &binding, QObject *parent)
    : QObject(parent)
    , m_window(window)
    , m_binding(binding)
{
    connect(&m_timer, &QTimer::timeout, this, &FirstHost::look);
    m_timer.start(step);
    QCoreApplication::instance()->installEventFilter(this);
}

bool FirstHost::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::MouseButtonPress || event->type() == QEvent::KeyPress)
        end(); // the window is in hand
    return QObject::eventFilter(watched, event);
}

void FirstHost::look()
{
    ++m_looks;
    if (!m_settled && !m_binding.isSettled() && m_looks < mostLooks)
        return;
    if (!std::exchange(m_settled, true))
        m_looks = 0;
    const HostStore &store = m_window.store();
    const QString name = mostInNeed(store);
    const HostData *host = store.find(name);
    if (host && needOf(*host, store) >= Severity::Warning)
        m_window.openHost(name);
    else if (m_looks < verdictLooks)
        return;
    end();
}

void FirstHost::end()
{
    m_timer.stop();
    QCoreApplication::instance()->removeEventFilter(this);
}

} // namespace pilothouse
