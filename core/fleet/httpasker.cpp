// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/httpasker.h"

#include <utility>

namespace pilothouse {

HttpAsker::HttpAsker(std::unique_ptr<HostHttp> through, std::unique_ptr<ActionRunner> onHost, QString target)
    : m_through(std::move(through))
    , m_onHost(std::move(onHost))
    , m_target(std::move(target))
{
    connect(m_through.get(), &HostHttp::answered, this,
            [this](quint64 id, const HttpAnswer &answer, bool mayBeAskedThere) {
                const auto at = m_open.find(id);
                if (at == m_open.end())
                    return;
                if (!mayBeAskedThere || !m_onHost) {
                    tell(id, answer);
                    return;
                }
                m_forbidden = m_forbidden || at->second.socket.isEmpty();
                m_waiting.push_back(id);
                askOnHost();
            });
    if (!m_onHost)
        return;
    connect(m_onHost.get(), &ActionRunner::done, this, [this](quint64 id, const ActionResult &result) {
        m_asking = false;
        HttpAnswer answer;
        if (result.answer) {
            answer = result.answer->http;
        } else {
            answer.outcome = HttpAnswer::Outcome::NoWay;
            answer.words = sentenceOf(*result.error);
            answer.onHost = true;
        }
        tell(id, std::move(answer));
        askOnHost();
    });
}

void HttpAsker::ask(quint64 id, const HttpRequest &request)
{
    m_open.insert_or_assign(id, request);
    if (!m_forbidden || !request.socket.isEmpty()) {
        m_through->ask(id, request);
        return;
    }
    m_waiting.push_back(id);
    askOnHost();
}

void HttpAsker::askOnHost()
{
    if (m_asking || m_waiting.empty())
        return;
    const quint64 id = m_waiting.front();
    m_waiting.pop_front();
    const auto at = m_open.find(id);
    if (at == m_open.end())
        return;
    m_asking = true;
    ActionRequest request;
    request.kind = ActionRequest::Kind::AskHttp;
    request.http = at->second;
    request.limit = at->second.limit + std::chrono::seconds(5); // its program ends within its own
    m_onHost->run(id, request, Actor{}, {m_target, SudoPolicy::Never, nullptr});
}

void HttpAsker::tell(quint64 id, HttpAnswer answer)
{
    if (m_open.erase(id) > 0)
        emit answered(id, answer);
}

void HttpAsker::abandon(const Error &error)
{
    m_waiting.clear();
    HttpAnswer lost;
    lost.words = sentenceOf(error);
    for (const auto &[id, request] : std::exchange(m_open, {}))
        emit answered(id, lost);
}

} // namespace pilothouse

#include "moc_httpasker.cpp"
