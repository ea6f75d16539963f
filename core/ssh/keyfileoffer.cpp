// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/agentoffer.h"
#include "core/ssh/secret.h"
#include "core/ssh/sshhandles.h"

#include "core/base/cleantext.h"

#include <QFile>
#include <QFileInfo>

#include <sys/stat.h>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

// As ssh: a private key that others can read is no secret, and is not used.
bool isTooOpen(const QString &path)
{
    struct stat state{};
    return ::stat(QFile::encodeName(path).constData(), &state) == 0 && state.st_uid == ::geteuid()
        && (state.st_mode & 077) != 0;
}

// Without this OpenSSL would ask on the terminal.
int noPassphrase(const char *, char *, size_t, int, int, void *user)
{
    *static_cast<bool *>(user) = true;
    return -1;
}

KeyHandle publicKeyOfFile(LibsshApi &api, const QString &path)
{
    for (const QString &candidate : {QString(path + u".pub"_s), path}) {
        ssh_key key = nullptr;
        if (QFileInfo(candidate).isFile()
            && api.importPublicKeyFile(QFile::encodeName(candidate).constData(), &key) == SSH_OK && key)
            return {key, {&api}};
    }
    return {nullptr, {&api}};
}

class KeyFileOffer final : public SignInMethod
{
public:
    KeyFileOffer(SignInContext &context, KeyOffer offer)
        : m_context(context)
        , m_offer(std::move(offer))
        , m_certificate(nullptr, {&context.api})
        , m_private(nullptr, {&context.api})
    {
    }
    ~KeyFileOffer() override { wipe(m_passphrase); }

    [[nodiscard]] Step advance() override;
    void answer(Answer answer) override;

private:
    enum class State { Start, Trying, Loading, Asking, Signing, Over };

    void start();
    [[nodiscard]] Step tryPublic();
    void load();
    void askPassphrase();
    [[nodiscard]] Step sign();
    void leave(const QString &name, const QString &why);
    void leave(const QString &why) { leave(cleanLine(m_offer.keyFile), why); }

    SignInContext &m_context;
    const KeyOffer m_offer;
    State m_state = State::Start;
    KeyHandle m_certificate;
    KeyHandle m_public{nullptr, {&m_context.api}};
    KeyHandle m_private;
    QByteArray m_passphrase;
    int m_attempt = 0;
    bool m_certified = false; ///< m_private has its certificate
    bool m_declined = false;
};

void KeyFileOffer::leave(const QString &name, const QString &why)
{
    m_context.tried += u"%1 (%2)"_s.arg(name, why);
    wipe(m_passphrase);
    m_state = State::Over;
}

void KeyFileOffer::start()
{
    LibsshApi &api = m_context.api;
    m_context.words(u"signing in with "_s + m_offer.name);
    ssh_key raw = nullptr;
    if (!m_offer.certificateFile.isEmpty()) {
        if (api.importCertFile(QFile::encodeName(m_offer.certificateFile).constData(), &raw) == SSH_OK)
            m_certificate.reset(raw);
    } else if (!m_offer.blob.isEmpty()) {
        m_public = publicKeyOfFile(api, m_offer.keyFile);
    }
    m_state = m_certificate || m_public ? State::Trying : State::Loading;
    ++m_context.offered;
}

SignInMethod::Step KeyFileOffer::tryPublic()
{
    const KeyHandle &offered = m_certificate ? m_certificate : m_public;
    const int result = m_context.api.authTryPublicKey(m_context.session, offered.get());
    const Step step = stepOf(m_context, result);
    if (step == Step::Accepted) {
        m_state = State::Loading;
    } else if (step == Step::Exhausted) {
        m_context.refused += result == SSH_AUTH_DENIED ? 1 : 0;
        leave(m_offer.name, result == SSH_AUTH_DENIED ? u"refused"_s : u"cannot be offered"_s);
    } else {
        return step;
    }
    return Step::Again;
}

void KeyFileOffer::load()
{
    if (isTooOpen(m_offer.keyFile)) {
        leave(u"others can read it; ssh does not use such a key either"_s);
        return;
    }
    bool encrypted = false;
    ssh_key key = nullptr;
    const bool given = !m_passphrase.isEmpty();
    const int result = m_context.api.importPrivateKeyFile(QFile::encodeName(m_offer.keyFile).constData(),
                                                          given ? m_passphrase.constData() : nullptr, noPassphrase,
                                                          &encrypted, &key);
    wipe(m_passphrase);
    if (result == SSH_OK && key) {
        m_private.reset(key);
        m_certified = false;
        m_state = State::Signing;
    } else if (!encrypted && !given) {
        leave(u"cannot be read"_s);
    } else if (m_attempt >= mostAttempts) {
        leave(u"wrong passphrase"_s);
    } else if (!m_context.settings.askPerson) {
        m_context.missing = u"The key %1 needs its passphrase."_s.arg(cleanLine(m_offer.keyFile));
        leave(u"needs its passphrase"_s);
    } else {
        askPassphrase();
    }
}

void KeyFileOffer::askPassphrase()
{
    m_state = State::Asking;
    Question question;
    question.kind = Question::Kind::KeyPassphrase;
    question.keyFile = cleanLine(m_offer.keyFile);
    question.attempt = ++m_attempt;
    question.prompts = {{u"Passphrase for %1"_s.arg(question.keyFile), false}};
    m_context.words(u"waiting for the passphrase of "_s + question.keyFile);
    m_context.ask(std::move(question));
}

void KeyFileOffer::answer(Answer answer)
{
    if (m_state != State::Asking) {
        wipe(answer.replies);
        return;
    }
    if (!answer.accepted) {
        m_declined = true;
    } else if (answer.replies.isEmpty() || answer.replies.constFirst().isEmpty()) {
        leave(u"no passphrase given"_s);
    } else {
        m_passphrase = answer.replies.constFirst().toUtf8();
        m_state = State::Loading;
    }
    wipe(answer.replies);
}

SignInMethod::Step KeyFileOffer::sign()
{
    if (m_certificate && !std::exchange(m_certified, true)
        && m_context.api.copyCert(m_certificate.get(), m_private.get()) != SSH_OK) {
        leave(u"does not fit its certificate"_s);
        return Step::Again;
    }
    const int result = m_context.api.authPublicKey(m_context.session, m_private.get());
    const Step step = stepOf(m_context, result);
    if (step != Step::Exhausted)
        return step;
    m_context.refused += result == SSH_AUTH_DENIED ? 1 : 0;
    leave(result == SSH_AUTH_DENIED ? u"refused"_s : u"cannot sign"_s);
    return Step::Again;
}

SignInMethod::Step KeyFileOffer::advance()
{
    if (m_declined)
        return Step::Declined;
    for (;;) {
        const State before = m_state;
        Step step = Step::Again;
        switch (m_state) {
        case State::Start:
            start();
            break;
        case State::Trying:
            step = tryPublic();
            break;
        case State::Loading:
            load();
            break;
        case State::Asking:
            return Step::Again;
        case State::Signing:
            step = sign();
            break;
        case State::Over:
            return Step::Exhausted;
        }
        if (step != Step::Again || m_state == before)
            return step;
    }
}

} // namespace

std::unique_ptr<SignInMethod> makeKeyFileOffer(SignInContext &context, const KeyOffer &offer)
{
    return std::make_unique<KeyFileOffer>(context, offer);
}

} // namespace pilothouse
