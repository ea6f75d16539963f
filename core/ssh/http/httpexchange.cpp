// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/http/httpexchange.h"

#include "core/base/cleantext.h"
#include "core/ssh/http/loopbackpeer.h"

#include <QHostAddress>
#include <QNetworkCookieJar>
#include <QNetworkProxy>
#include <QNetworkRequest>
#include <QPointer>
#include <QSslConfiguration>
#include <QSslSocket>

#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;
using Outcome = HttpAnswer::Outcome;

namespace {

/// Headers, the framing of the smallest chunks and TLS come on top of a body.
qint64 mostBytesOf(const HttpRequest &request)
{
    return 8 * request.mostBytes + 256 * 1024;
}

QByteArray hostHeader(const HttpRequest &request)
{
    if (!request.socket.isEmpty())
        return "localhost";
    const QByteArray host = request.address.toLatin1();
    return (host.contains(':') ? '[' + host + ']' : host) + ':' + QByteArray::number(request.port);
}

} // namespace

void OneConnectionListener::incomingConnection(qintptr descriptor)
{
    OwnedDescriptor near(static_cast<int>(descriptor));
    if (!isListening() || ownerOfPeer(near.fd()) != ::geteuid())
        return;
    close();
    m_taken(std::move(near));
}

HttpExchange::HttpExchange(WayProvider &ways, const HttpRequest &request)
    : m_ways(ways)
    , m_request(request)
    , m_listener([this](OwnedDescriptor near) { lead(std::move(near)); })
{
    m_deadline.setSingleShot(true);
    connect(&m_deadline, &QTimer::timeout, this, [this] {
        const bool began = m_answer.status > 0;
        finish(Outcome::TimedOut,
               u"%1 %2 within %3 s."_s
                   .arg(addressOf(m_request), began ? u"answers, but is not done"_s : u"does not answer"_s)
                   .arg(double(m_request.limit.count()) / 1000.0));
    });
}

HttpExchange::~HttpExchange()
{
    m_over = true; // aborting says so at once
    if (m_reply)
        m_reply->abort();
}

void HttpExchange::start()
{
    m_clock.start();
    // Never from within: whoever asks has nothing yet to be told by.
    const auto later = [this](Outcome outcome, const QString &words) {
        QMetaObject::invokeMethod(this, [this, outcome, words] { finish(outcome, words); }, Qt::QueuedConnection);
    };
    if (const QString refusal = refusalOf(m_request); !refusal.isEmpty()) {
        later(Outcome::NoWay, refusal);
    } else if (m_request.tls && !QSslSocket::supportsSsl()) {
        later(Outcome::TlsFailed, u"This machine's Qt has no TLS to ask %1 with."_s.arg(addressOf(m_request)));
    } else if (!m_listener.listen(QHostAddress::LocalHost, 0)) {
        later(Outcome::NoWay, u"No port on loopback here to ask %1 through: %2."_s
                                  .arg(addressOf(m_request), m_listener.errorString()));
    } else {
        m_deadline.start(m_request.limit);
        send(m_listener.serverPort());
    }
}

void HttpExchange::lead(OwnedDescriptor near)
{
    WayTarget target{m_request.address, m_request.port, m_request.socket, mostBytesOf(m_request)};
    const QPointer<HttpExchange> self(this);
    m_ways.openWay(target, std::move(near),
                   WayListener{
                       .opened = [self](const std::optional<Error> &refusal) {
                           if (!self || self->m_over)
                               return;
                           self->m_refusal = refusal;
                           if (refusal)
                               self->m_reply->abort(); // replied() says why
                       },
                       .lost = [self](const Error &error) {
                           if (self)
                               self->m_tooMuch = error.code == ErrorCode::AnswerTooLarge;
                       },
                       .came = [self] {
                           if (self)
                               self->m_somethingCame = true;
                       },
                   });
}

void HttpExchange::send(quint16 port)
{
    QNetworkRequest request(QUrl::fromEncoded((m_request.tls ? "https://127.0.0.1:" : "http://127.0.0.1:")
                                              + QByteArray::number(port) + m_request.path));
    request.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
    request.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::AuthenticationReuseAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::CacheLoadControlAttribute, QNetworkRequest::AlwaysNetwork);
    request.setAttribute(QNetworkRequest::CacheSaveControlAttribute, false);
    request.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);
    request.setRawHeader("Host", hostHeader(m_request));
    request.setRawHeader("Accept", "*/*");
    request.setRawHeader("Accept-Encoding", "identity"); // and Qt unpacks nothing by itself
    request.setRawHeader("Connection", "close");
    request.setRawHeader("User-Agent", "pilothouse");
    if (!m_request.key.isEmpty())
        request.setRawHeader("Authorization", "Bearer " + m_request.key);
    if (m_request.tls) {
        QSslConfiguration tls = request.sslConfiguration();
        tls.setPeerVerifyMode(QSslSocket::VerifyNone); // README.md says why
        request.setSslConfiguration(tls);
    }
    m_network.setProxy(QNetworkProxy::NoProxy);
    if (m_request.body.isEmpty()) {
        m_reply = m_network.get(request);
    } else {
        request.setHeader(QNetworkRequest::ContentTypeHeader, QByteArray("application/json"));
        m_reply = m_network.post(request, m_request.body);
    }
    m_reply->setReadBufferSize(m_request.mostBytes + 1);
    connect(m_reply, &QNetworkReply::metaDataChanged, this, [this] {
        m_answer.status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    });
    connect(m_reply, &QNetworkReply::readyRead, this, &HttpExchange::readBody);
    // Queued: an error may be said from within get().
    connect(m_reply, &QNetworkReply::finished, this, &HttpExchange::replied, Qt::QueuedConnection);
}

void HttpExchange::readBody()
{
    m_answer.body += m_reply->read(m_request.mostBytes - m_answer.body.size() + 1);
    if (m_answer.body.size() <= m_request.mostBytes)
        return;
    m_answer.body.truncate(m_request.mostBytes);
    finish(Outcome::TooLarge, u"%1 sends more than the %2 KiB that such an answer may have."_s
                                  .arg(addressOf(m_request)).arg(m_request.mostBytes / 1024));
}

void HttpExchange::replied()
{
    if (m_over)
        return;
    m_answer.status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    const QString where = addressOf(m_request);
    if (m_refusal) {
        const bool nobody = m_refusal->code == ErrorCode::ConnectRefused;
        finish(nobody ? Outcome::NothingListens : Outcome::NoWay,
               nobody ? u"Nothing listens at %1."_s.arg(where)
                      : u"No way to %1: %2"_s.arg(where, m_refusal->detail));
        return;
    }
    if (m_tooMuch) {
        finish(Outcome::TooLarge, u"%1 sends more than such an answer may have."_s.arg(where));
        return;
    }
    readBody();
    if (m_over)
        return;
    const QNetworkReply::NetworkError error = m_reply->error();
    const QString words = cleanLine(m_reply->errorString(), 300);
    if (error == QNetworkReply::SslHandshakeFailedError) {
        finish(Outcome::TlsFailed, u"No TLS with %1: %2."_s.arg(where, words));
    } else if (m_answer.status == 0 && m_somethingCame && !m_request.tls) {
        finish(Outcome::NotHttp, u"What answers at %1 does not speak HTTP."_s.arg(where));
    } else if (m_answer.status == 0) {
        finish(Outcome::Closed, u"%1 closed the connection without an answer."_s.arg(where));
    } else if (error == QNetworkReply::RemoteHostClosedError || error == QNetworkReply::ProtocolFailure
               || error == QNetworkReply::ConnectionRefusedError) {
        finish(Outcome::Closed, u"%1 answers HTTP %2, but ends before its answer is whole."_s
                                    .arg(where).arg(m_answer.status));
    } else {
        m_answer.isWhole = true;
        m_answer.location = cleanLine(QByteArrayView(m_reply->rawHeader("Location")), 300);
        finish(Outcome::Answered, statusWords(m_request, m_answer.status, m_answer.location));
    }
}

void HttpExchange::finish(Outcome outcome, const QString &words)
{
    if (std::exchange(m_over, true))
        return;
    m_deadline.stop();
    m_listener.close();
    if (m_reply && !m_reply->isFinished())
        m_reply->abort(); // its own end of the connection goes, and with it the way
    m_answer.outcome = outcome;
    m_answer.words = words;
    m_answer.durationMs = m_clock.isValid() ? m_clock.elapsed() : 0;
    // OpenSSH does not tell a socket that it forwards nothing to from one that is not there.
    const bool forbidden = outcome == Outcome::NoWay && m_refusal
        && (m_refusal->code == ErrorCode::NoRights || m_refusal->code == ErrorCode::ChannelRefused
            || !m_request.socket.isEmpty());
    emit done(m_answer, forbidden);
}

} // namespace pilothouse

#include "moc_httpexchange.cpp"
