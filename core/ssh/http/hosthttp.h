// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Asks a host's services over HTTP, through its SSH session. Lives in the session's thread; several requests at once,
// each with a listener, a way and limits of its own (httpexchange.h).

#include "core/base/http.h"
#include "core/ssh/hostway.h"

#include <QObject>

#include <map>
#include <memory>

namespace pilothouse {

class HttpExchange;

class HostHttp final : public QObject
{
    Q_OBJECT
public:
    /// `ways` outlives it.
    explicit HostHttp(WayProvider &ways, QObject *parent = nullptr);
    ~HostHttp() override;

    /// answered() follows once, from the event loop, at the latest a moment after the request's limit.
    void ask(quint64 id, const HttpRequest &request);

signals:
    /// `mayBeAskedThere`: outcome NoWay, perhaps because the server forwards nothing; a program of the host may still
    /// ask.
    void answered(quint64 id, const pilothouse::HttpAnswer &answer, bool mayBeAskedThere);

private:
    WayProvider &m_ways;
    std::map<quint64, std::unique_ptr<HttpExchange>> m_exchanges;
};

} // namespace pilothouse
