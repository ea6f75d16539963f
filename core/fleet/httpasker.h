// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// HTTP to the services of one connected host: through its session, and where its server forwards nothing by a program
// of the host. Lives in the link's thread, one for a session; owned by LinkWorker.

#include "core/actions/actionrunner.h"
#include "core/ssh/http/hosthttp.h"

#include <deque>

namespace pilothouse {

class HttpAsker final : public QObject
{
    Q_OBJECT
public:
    /// `onHost` may be null: then nobody asks there.
    HttpAsker(std::unique_ptr<HostHttp> through, std::unique_ptr<ActionRunner> onHost, QString target);

    /// answered() follows, once.
    void ask(quint64 id, const HttpRequest &request);
    /// The connection is gone: what is open is answered with this, at once.
    void abandon(const Error &error);

signals:
    void answered(quint64 id, const pilothouse::HttpAnswer &answer);

private:
    void tell(quint64 id, HttpAnswer answer);
    void askOnHost();

    std::unique_ptr<HostHttp> m_through;
    std::unique_ptr<ActionRunner> m_onHost;
    const QString m_target;
    std::map<quint64, HttpRequest> m_open;
    std::deque<quint64> m_waiting; ///< to be asked on the host, one after another
    bool m_asking = false;
    bool m_forbidden = false;      ///< the server forwards to no port
};

} // namespace pilothouse
