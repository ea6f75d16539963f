// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One HTTP request to a service of a host, as it is seen from the host, and what came of it. Plain values, any thread.
// A body comes from a host and is hostile; words are cleaned already.

#include <QByteArray>
#include <QString>

#include <chrono>

namespace pilothouse {

struct HttpRequest
{
    static constexpr qint64 smallBody = 64 * 1024;
    static constexpr qint64 metricsBody = 1024 * 1024;

    bool tls = false;         ///< whatever certificate: the connection ends on the host, which SSH has proved
    QString address = QStringLiteral("127.0.0.1"); ///< numeric or a name that the host knows; IPv6 without brackets
    quint16 port = 0;
    QString socket;           ///< path of a UNIX socket on the host, in place of address and port
    QByteArray path = "/";    ///< with its query
    QByteArray body;          ///< JSON; empty: GET, otherwise POST
    QByteArray key;           ///< API key, a secret: sent as bearer token, in no command line and no log
    qint64 mostBytes = smallBody; ///< of the answer's body
    std::chrono::milliseconds limit{10'000};

    friend bool operator==(const HttpRequest &, const HttpRequest &) = default;
};

struct HttpAnswer
{
    enum class Outcome {
        Answered,       ///< `status`, and `body` as far as `isWhole`
        NothingListens, ///< nobody at that port or socket
        Closed,         ///< the connection ended before there was a whole answer
        TimedOut,       ///< took the connection, and was not done in time
        TooLarge,       ///< more than the request wanted; `body` is its beginning
        NotHttp,        ///< what answers speaks something else
        TlsFailed,
        NoWay,          ///< the host lets nobody through to it, and has no program that could ask
        Lost,           ///< the connection to the host has ended, or there is none
    };
    Outcome outcome = Outcome::Lost;
    int status = 0;           ///< of HTTP; 0: none came
    QByteArray body;
    bool isWhole = false;
    QString location;         ///< of a redirect, which is not followed; cleaned
    QString words;            ///< one English sentence, what happened
    qint64 durationMs = 0;
    bool onHost = false;      ///< asked by a program of the host, because it forwards nothing

    [[nodiscard]] bool isSuccess() const { return outcome == Outcome::Answered && status >= 200 && status < 300; }
    /// Alive, and wants a key.
    [[nodiscard]] bool needsKey() const { return outcome == Outcome::Answered && (status == 401 || status == 403); }

    friend bool operator==(const HttpAnswer &, const HttpAnswer &) = default;
};

/// "http://127.0.0.1:8000/health" or "unix:/run/vllm.sock /health", cleaned, for people.
[[nodiscard]] QString addressOf(const HttpRequest &request);
/// What may be asked at all: a path of printable ASCII that begins with a slash; an address of letters, digits and
/// ".:-_%", or an absolute socket path; a key without line ends. Empty: it may; otherwise why not.
[[nodiscard]] QString refusalOf(const HttpRequest &request);
/// The sentence for an answer with this status: "HTTP 503 from …".
[[nodiscard]] QString statusWords(const HttpRequest &request, int status, const QString &location);

} // namespace pilothouse
