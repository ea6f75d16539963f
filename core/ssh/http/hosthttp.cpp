// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/http/hosthttp.h"

#include "core/ssh/http/httpexchange.h"

namespace pilothouse {

HostHttp::HostHttp(WayProvider &ways, QObject *parent)
    : QObject(parent)
    , m_ways(ways)
{
}

HostHttp::~HostHttp() = default;

void HostHttp::ask(quint64 id, const HttpRequest &request)
{
    auto exchange = std::make_unique<HttpExchange>(m_ways, request);
    connect(exchange.get(), &HttpExchange::done, this,
            [this, id](const HttpAnswer &answer, bool mayBeAskedThere) {
                const auto at = m_exchanges.find(id);
                at->second.release()->deleteLater(); // it is the sender
                m_exchanges.erase(at);
                emit answered(id, answer, mayBeAskedThere);
            });
    const auto [at, isNew] = m_exchanges.emplace(id, std::move(exchange));
    if (isNew)
        at->second->start();
}

} // namespace pilothouse

#include "moc_hosthttp.cpp"
