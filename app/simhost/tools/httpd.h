// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The HTTP side of a simulated inference server, on the host's loopback only. One thread, one poll loop: the owner
// calls serve() again and again. One request a connection.

#include <string>
#include <vector>

namespace pilothouse::sim {

class HttpServer
{
public:
    enum class Health { Honest, Lies, Stalls, Fails };

    HttpServer(std::string model, Health health);
    /// False with a message on standard error when the port cannot be had.
    bool listenOn(int port);
    void setReady(bool ready) { m_ready = ready; }
    /// Waits up to `milliseconds` for requests and answers them.
    void serve(int milliseconds);
    void close();
    [[nodiscard]] bool wasAsked() const { return m_requests > 0; }

private:
    struct Connection
    {
        int fd = -1;
        std::string request;
        bool stalled = false;
    };
    void accept();
    /// True when the connection is done with.
    bool readFrom(Connection &connection);
    [[nodiscard]] std::string answerTo(const std::string &method, const std::string &path) const;
    [[nodiscard]] std::string metrics() const;

    std::string m_model;
    Health m_health;
    bool m_ready = false;
    int m_listener = -1;
    long m_requests = 0;
    std::vector<Connection> m_connections;
};

} // namespace pilothouse::sim
