// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sessioncore.h"

#include "core/base/cleantext.h"
#include "core/ssh/effectivesettings.h"
#include "core/ssh/keyoffers.h"

#include <sys/socket.h>

// From a connected socket to a signed-in session.

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// Before its version a server may say what it likes in lines (RFC 4253, 4.2); OpenSSH reads 1,024 of them, and libssh
/// takes no line above 128 bytes.
constexpr quint64 mostBeforeVersion = 1024 * 128;

struct AlgorithmOption
{
    const char16_t *keyword;
    const QString &list;
    ssh_options_e option;
};

} // namespace

Result<void> SessionCore::makeSession()
{
    LibsshApi &api = *m_seams.api;
    m_session = SessionHandle(api.sessionNew(), {&api});
    if (!m_session)
        return fail(ErrorCode::Internal, u"libssh makes no session."_s);
    if (const Result<void> set = setOptions(); !set)
        return set;
    if (const Result<void> set = setAlgorithms(); !set)
        return set;
    api.setBlocking(m_session.get(), false);
    api.setCounters(m_session.get(), &m_counter);
    return {};
}

Result<void> SessionCore::setOptions()
{
    LibsshApi &api = *m_seams.api;
    const auto set = [&](ssh_options_e option, const void *value) {
        return api.setOption(m_session.get(), option, value) == SSH_OK;
    };
    // libssh must read no file of its own accord: neither configuration nor known hosts. The name is only a name, since
    // the socket is connected; the true one may have characters that libssh refuses.
    const bool parseFiles = false;
    const int strict = 1;
    const int fd = m_descriptor.fd();
    const unsigned int port = m_host.port;
    const bool done = set(SSH_OPTIONS_PROCESS_CONFIG, &parseFiles) && set(SSH_OPTIONS_SSH_DIR, "/dev/null")
        && set(SSH_OPTIONS_KNOWNHOSTS, "/dev/null") && set(SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null")
        && set(SSH_OPTIONS_STRICTHOSTKEYCHECK, &strict) && set(SSH_OPTIONS_HOST, "remote")
        && set(SSH_OPTIONS_PORT, &port) && set(SSH_OPTIONS_FD, &fd);
    if (!done)
        return fail(ErrorCode::Internal, u"libssh does not take an option."_s);
    if (!set(SSH_OPTIONS_USER, m_host.user.toUtf8().constData()))
        return fail(ErrorCode::SshConfigRefused,
                    u"The user name %1 has characters that libssh does not accept."_s.arg(cleanLine(m_host.user)));
    return {};
}

Result<void> SessionCore::setAlgorithms()
{
    LibsshApi &api = *m_seams.api;
    const RekeyLimit rekey = rekeyLimitOf(m_host);
    const std::optional<int> rsaSize = requiredRsaSize(m_host);
    if ((rekey.bytes > 0 && api.setOption(m_session.get(), SSH_OPTIONS_REKEY_DATA, &rekey.bytes) != SSH_OK)
        || (rekey.seconds > 0 && api.setOption(m_session.get(), SSH_OPTIONS_REKEY_TIME, &rekey.seconds) != SSH_OK)
        || (rsaSize && api.setOption(m_session.get(), SSH_OPTIONS_RSA_MIN_SIZE, &*rsaSize) != SSH_OK))
        return fail(ErrorCode::SshConfigRefused, u"RekeyLimit or RequiredRSASize is beyond what libssh takes."_s);

    const QString hostKeys = m_hostKeys->algorithms();
    const AlgorithmOption options[]{
        {u"HostKeyAlgorithms", hostKeys, SSH_OPTIONS_HOSTKEYS},
        {u"KexAlgorithms", m_host.kexAlgorithms, SSH_OPTIONS_KEY_EXCHANGE},
        {u"Ciphers", m_host.ciphers, SSH_OPTIONS_CIPHERS_C_S},
        {u"Ciphers", m_host.ciphers, SSH_OPTIONS_CIPHERS_S_C},
        {u"MACs", m_host.macs, SSH_OPTIONS_HMAC_C_S},
        {u"MACs", m_host.macs, SSH_OPTIONS_HMAC_S_C},
        {u"PubkeyAcceptedAlgorithms", m_host.pubkeyAcceptedAlgorithms, SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES},
    };
    for (const AlgorithmOption &each : options) {
        // libssh drops what it does not know and refuses a list of which nothing is left.
        if (!each.list.isEmpty()
            && api.setOption(m_session.get(), each.option, each.list.toLatin1().constData()) != SSH_OK) {
            return fail(ErrorCode::SshConfigRefused,
                        u"None of the %1 of the configuration is supported here (%2)."_s.arg(
                            QString::fromUtf16(each.keyword), cleanLine(each.list, 200)));
        }
    }
    return {};
}

void SessionCore::exchangeKeys()
{
    LibsshApi &api = *m_seams.api;
    if (m_firstBytes.isEmpty() && m_counter.in_bytes == 0) {
        char start[64];
        const ssize_t count = ::recv(m_descriptor.fd(), start, sizeof start, MSG_PEEK | MSG_DONTWAIT);
        if (count > 0)
            m_firstBytes = QByteArray(start, count);
    }
    const int result = api.connect(m_session.get());
    if (api.fd(m_session.get()) >= 0)
        setNonBlocking(m_descriptor.fd()); // libssh makes it blocking when it takes it over
    if (result == SSH_AGAIN && api.isConnected(m_session.get())) {
        if (m_counter.in_bytes > mostBeforeVersion && !api.serverBanner(m_session.get()))
            end(notSsh(u"sent more than %1 KiB without an SSH version"_s.arg(mostBeforeVersion / 1024)));
        return;
    }
    if (result != SSH_OK) {
        end(handshakeError());
        return;
    }
    m_deadline.stop();
    m_event = EventHandle(api.eventNew(), {&api});
    if (!m_event || api.eventAddSession(m_event.get(), m_session.get()) != SSH_OK) {
        end({ErrorCode::Internal, u"libssh does not let itself be polled."_s, {}});
        return;
    }
    checkHostKey();
}

Error SessionCore::handshakeError()
{
    LibsshApi &api = *m_seams.api;
    if (api.serverBanner(m_session.get())) {
        const QString text = cleanLine(QByteArrayView(api.errorText(m_session.get())), 400);
        return {ErrorCode::HandshakeFailed, u"%1: %2."_s.arg(m_peer, text), {}};
    }
    if (!m_firstBytes.isEmpty())
        return notSsh();
    return {ErrorCode::ConnectionLost,
            u"%1 closed the connection before it said anything (too many connections at once, or a filter)."_s.arg(
                m_peer),
            {}};
}

Error SessionCore::handshakeTimeout() const
{
    const double seconds = double(m_settings.connectTimeout.count()) / 1000.0;
    if (m_seams.api->serverBanner(m_session.get()))
        return {ErrorCode::ConnectTimeout,
                u"%1 did not finish the key exchange within %2 s."_s.arg(m_peer).arg(seconds),
                {}};
    if (!m_firstBytes.isEmpty())
        return notSsh();
    return {ErrorCode::ConnectTimeout,
            u"%1 took the connection but said nothing within %2 s."_s.arg(m_peer).arg(seconds), {}};
}

Error SessionCore::notSsh(const QString &sign) const
{
    if (m_firstBytes.startsWith("Exceeded MaxStartups")) { // sshd, in place of its greeting
        return {ErrorCode::ConnectionLost,
                u"%1 takes no more connections now: too many are signing in there (MaxStartups)."_s.arg(m_peer),
                u"Try again in a moment; for many hosts behind it raise MaxStartups in its sshd_config."_s};
    }
    const QByteArray line = m_firstBytes.trimmed().split('\n').constFirst();
    return {ErrorCode::NotSsh, u"%1 %2; it began with “%3”."_s.arg(m_peer, sign, cleanLine(line.trimmed(), 48)), {}};
}

QString SessionCore::lossText() const
{
    if (m_state == State::Ready)
        return u"%1 closed the connection."_s.arg(m_peer);
    return u"%1 closed the connection before the sign-in was done."_s.arg(m_peer);
}

void SessionCore::checkHostKey()
{
    LibsshApi &api = *m_seams.api;
    enter(State::CheckingHostKey, u"checking the host key"_s);
    if (m_end)
        return;
    ssh_key raw = nullptr;
    QByteArray blob;
    if (api.serverPublicKey(m_session.get(), &raw) == SSH_OK) {
        const KeyHandle key(raw, {&api});
        blob = blobOfKey(api, key.get());
    }
    HostKeyCheck::Verdict verdict = m_hostKeys->judge(blob, m_keyOwner);
    if (auto *error = std::get_if<Error>(&verdict)) {
        end(*error);
    } else if (auto *question = std::get_if<Question>(&verdict)) {
        say(u"waiting for a decision about the host key"_s);
        question->through = m_host.proxyJump == "none"_L1 ? QString() : cleanLine(m_host.proxyJump, 128);
        ask(std::move(*question));
    } else if (std::holds_alternative<HostKeyCheck::AcceptedNew>(verdict)) {
        if (const Result<void> stored = m_hostKeys->store(); !stored)
            end(stored.error());
        else
            startSignIn();
    } else {
        startSignIn();
    }
}

void SessionCore::hostKeyAnswered()
{
    if (m_answer.questionId == 0)
        return;
    const Answer answer = std::exchange(m_answer, {});
    if (!answer.accepted) {
        end({ErrorCode::Cancelled, u"The host key was not accepted."_s, {}});
        return;
    }
    if (answer.store) {
        // As ssh does: a file that cannot be written does not stop a person who has looked at the key.
        if (const Result<void> stored = m_hostKeys->store(); !stored)
            say(u"the host key could not be stored: "_s + stored.error().detail);
    }
    startSignIn();
}

void SessionCore::startSignIn()
{
    startDeadline(m_settings.signInTimeout);
    m_signIn = std::make_unique<SignIn>(SignInContext{
        .api = *m_seams.api,
        .session = m_session.get(),
        .host = m_host,
        .settings = m_settings,
        .display = m_display,
        .words = [this](const QString &words) { say(words); },
        .ask = [this](Question question) { ask(std::move(question)); },
        .wake = [this] { wake(); },
        .agentWaits = [this](bool waits) { agentWaits(waits); },
        .tried = {},
        .usedKeys = {},
        .missing = {},
        .keysNote = {},
    });
    enter(State::SigningIn, u"signing in"_s);
}

void SessionCore::signIn()
{
    if (m_answer.questionId != 0)
        m_signIn->answer(std::exchange(m_answer, {}));
    const SignIn::Outcome outcome = m_signIn->advance();
    if (m_end)
        return;
    if (outcome == SignIn::Outcome::Failed) {
        end(m_signIn->error());
    } else if (outcome == SignIn::Outcome::SignedIn) {
        m_deadline.stop();
        m_signIn.reset();
        ready();
    }
}

void SessionCore::ready()
{
    if (m_route)
        m_route->settled();
    m_keepalive.emplace(m_settings.keepaliveInterval, m_settings.deadAfter, Keepalive::Clock::now());
    lookAlive();
    if (!m_end)
        enter(State::Ready, u"connected"_s);
}

void SessionCore::lookAlive()
{
    if (m_end || !m_keepalive)
        return;
    const Keepalive::Verdict verdict = m_keepalive->look(Keepalive::Clock::now(), m_counter.in_bytes);
    if (verdict.action == Keepalive::Action::Dead) {
        end({ErrorCode::ConnectionLost,
             u"Nothing came from %1 for %2 s."_s.arg(m_peer).arg(double(m_settings.deadAfter.count()) / 1000.0),
             {}});
        return;
    }
    if (verdict.action == Keepalive::Action::Ask) {
        // An answered request is only cleared by the next call; the one after that sends.
        m_seams.api->sendKeepalive(m_session.get());
        m_seams.api->sendKeepalive(m_session.get());
        wake();
    }
    m_alive.start(verdict.next);
}

} // namespace pilothouse
