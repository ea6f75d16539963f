// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "httpd.h"

#include "statedir.h"

#include <cstdio>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pilothouse::sim {
namespace {

constexpr std::size_t requestLimit = 1u << 20;

std::string response(const char *status, const std::string &type, const std::string &body)
{
    return std::string("HTTP/1.1 ") + status + "\r\nserver: uvicorn\r\ncontent-length: "
        + std::to_string(body.size()) + "\r\ncontent-type: " + type
        + "\r\nconnection: close\r\n\r\n" + body;
}

/// Header and body are there.
bool isWhole(const std::string &request)
{
    const auto end = request.find("\r\n\r\n");
    if (end == std::string::npos)
        return false;
    for (const std::string &line : splitAt(std::string_view(request).substr(0, end), '\n')) {
        std::string lower = line;
        for (char &c : lower)
            c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        if (lower.starts_with("content-length:")) {
            const long length = numberOf(trimmed(std::string_view(lower).substr(15)), 0);
            return long(request.size() - end - 4) >= length;
        }
    }
    return true;
}

void writeAll(int fd, const std::string &text)
{
    std::size_t sent = 0;
    while (sent < text.size()) {
        const ssize_t count = send(fd, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (count <= 0)
            return;
        sent += static_cast<std::size_t>(count);
    }
}

} // namespace

HttpServer::HttpServer(std::string model, Health health)
    : m_model(std::move(model))
    , m_health(health)
{
}

bool HttpServer::listenOn(int port)
{
    m_listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int yes = 1;
    setsockopt(m_listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(m_listener, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0
        && listen(m_listener, 64) == 0)
        return true;
    std::fprintf(stderr, "ERROR: [Errno 98] error while attempting to bind on address "
                         "('127.0.0.1', %d): address already in use\n",
                 port);
    return false;
}

void HttpServer::close()
{
    if (m_listener >= 0)
        ::close(m_listener);
    for (const Connection &connection : m_connections)
        ::close(connection.fd);
    m_connections.clear();
    m_listener = -1;
}

void HttpServer::serve(int milliseconds)
{
    std::vector<pollfd> waits = {{m_listener, POLLIN, 0}};
    for (const Connection &connection : m_connections)
        waits.push_back({connection.fd, POLLIN, 0});
    if (poll(waits.data(), waits.size(), milliseconds) <= 0)
        return;
    for (std::size_t i = m_connections.size(); i-- > 0;) {
        if (waits[i + 1].revents != 0 && readFrom(m_connections[i])) {
            ::close(m_connections[i].fd);
            m_connections.erase(m_connections.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    if (waits.front().revents != 0)
        accept();
}

void HttpServer::accept()
{
    const int fd = accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    const timeval limit = {2, 0};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (m_connections.size() >= 256)
        ::close(fd);
    else
        m_connections.push_back({fd, {}, false});
}

bool HttpServer::readFrom(Connection &connection)
{
    char buffer[4096];
    const ssize_t count = recv(connection.fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (count <= 0)
        return true;
    if (connection.stalled)
        return false;
    connection.request.append(buffer, static_cast<std::size_t>(count));
    if (connection.request.size() > requestLimit)
        return true;
    if (!isWhole(connection.request))
        return false;
    ++m_requests;
    connection.stalled = m_health == Health::Stalls;
    if (connection.stalled)
        return false;
    const auto words = splitAt(connection.request.substr(0, connection.request.find('\r')), ' ');
    writeAll(connection.fd,
             words.size() < 2 ? response("400 Bad Request", "text/plain", "")
                              : answerTo(words[0], words[1].substr(0, words[1].find('?'))));
    return true;
}

std::string HttpServer::answerTo(const std::string &method, const std::string &path) const
{
    const std::string json = "application/json";
    const bool ready = m_health == Health::Lies || (m_ready && m_health != Health::Fails);
    if (!ready)
        return response("503 Service Unavailable", json, R"({"error":"starting"})");
    if (path == "/health" || path == "/ping")
        return response("200 OK", json, "");
    if (path == "/version")
        return response("200 OK", json, R"({"version":"0.11.0"})");
    if (path == "/v1/models") {
        return response("200 OK", json,
                        R"({"object":"list","data":[{"id":")" + m_model
                            + R"(","object":"model","owned_by":"vllm","max_model_len":131072}]})");
    }
    if (path == "/metrics")
        return response("200 OK", "text/plain; version=0.0.4; charset=utf-8", metrics());
    if (method == "POST" && (path == "/v1/completions" || path == "/v1/chat/completions")) {
        // A server that only claims to be healthy does not produce a token.
        if (m_health == Health::Lies && !m_ready)
            return response("500 Internal Server Error", json, R"({"error":"engine dead"})");
        const bool chat = path == "/v1/chat/completions";
        const std::string choice = chat
            ? R"("message":{"role":"assistant","content":"Ahoy"})"
            : R"("text":"Ahoy")";
        return response("200 OK", json,
                        R"({"id":"cmpl-1","object":"text_completion","model":")" + m_model
                            + R"(","choices":[{"index":0,)" + choice
                            + R"(,"finish_reason":"length"}],"usage":{"prompt_tokens":1,)"
                            + R"("completion_tokens":1,"total_tokens":2}})");
    }
    return response("404 Not Found", json, R"({"detail":"Not Found"})");
}

std::string HttpServer::metrics() const
{
    const std::string label = "{model_name=\"" + m_model + "\"} ";
    return "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running" + label
        + "0.0\n# TYPE vllm:num_requests_waiting gauge\nvllm:num_requests_waiting" + label
        + "0.0\n# TYPE vllm:kv_cache_usage_perc gauge\nvllm:kv_cache_usage_perc" + label
        + "0.0\n# TYPE vllm:request_success_total counter\nvllm:request_success_total" + label
        + std::to_string(m_requests) + "\n";
}

} // namespace pilothouse::sim
