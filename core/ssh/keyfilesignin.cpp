// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/secret.h"
#include "core/ssh/signinmethod.h"
#include "core/ssh/sshhandles.h"

#include "core/base/cleantext.h"

#include <QFile>
#include <QFileInfo>
#include <QtEndian>

#include <deque>

#include <sys/stat.h>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

QByteArray blobOfKey(LibsshApi &api, ssh_key key)
{
    char *text = nullptr;
    if (!key || api.exportPublicKey(key, &text) != SSH_OK || !text)
        return {};
    const QByteArray blob = QByteArray::fromBase64(text);
    api.stringFree(text);
    return blob;
}

namespace {

KeyHandle publicKeyOfFile(LibsshApi &api, const QString &path)
{
    for (const QString &candidate : {QString(path + u".pub"_s), path}) {
        if (!QFileInfo(candidate).isFile())
            continue;
        ssh_key key = nullptr;
        if (api.importPublicKeyFile(QFile::encodeName(candidate).constData(), &key) == SSH_OK && key)
            return {key, {&api}};
    }
    return {nullptr, {&api}};
}

/// A string of the wire format at `at`, which is moved behind it; nothing beyond the end.
QByteArrayView takeString(QByteArrayView blob, qsizetype &at)
{
    if (blob.size() - at < 4)
        return {};
    const auto length = static_cast<qsizetype>(qFromBigEndian<quint32>(blob.data() + at));
    if (length > blob.size() - at - 4)
        return {};
    const QByteArrayView text = blob.sliced(at + 4, length);
    at += 4 + length;
    return text;
}

/// True when the certificate is for that key: type, nonce, and then the same numbers. (libssh compares no key with a
/// certificate.)
bool certifies(QByteArrayView certificate, QByteArrayView key)
{
    qsizetype inCertificate = 0;
    qsizetype inKey = 0;
    const QByteArrayView certificateType = takeString(certificate, inCertificate);
    const QByteArrayView keyType = takeString(key, inKey);
    if (keyType.isEmpty() || certificateType != QByteArray(keyType.toByteArray() + "-cert-v01@openssh.com")
        || takeString(certificate, inCertificate).isEmpty())
        return false;
    return certificate.sliced(inCertificate).startsWith(key.sliced(inKey));
}

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

class KeyFileSignIn final : public SignInMethod
{
public:
    explicit KeyFileSignIn(SignInContext &context)
        : m_context(context)
        , m_files(context.settings.identityFile.isEmpty() ? context.host.identityFiles
                                                          : QStringList{context.settings.identityFile})
        , m_public(nullptr, {&context.api})
        , m_certificate(nullptr, {&context.api})
        , m_private(nullptr, {&context.api})
    {
    }
    ~KeyFileSignIn() override { wipe(m_passphrase); }

    [[nodiscard]] Step advance() override;
    void answer(Answer answer) override;

private:
    enum class State { Next, Offering, Trying, Loading, Asking, Signing };

    [[nodiscard]] bool openNext();
    void gatherCertificates();
    void offerNext();
    [[nodiscard]] Step tryPublic();
    void load();
    void askPassphrase();
    [[nodiscard]] Step sign();
    void leave(const QString &why);

    SignInContext &m_context;
    QStringList m_files;
    State m_state = State::Next;
    QString m_file;
    KeyHandle m_public;
    std::deque<std::pair<QString, KeyHandle>> m_certificates; ///< of m_file, still to be offered before it
    KeyHandle m_certificate; ///< on offer
    QString m_certificateFile;
    KeyHandle m_private;
    QByteArray m_passphrase;
    int m_attempt = 0;
    bool m_certified = false; ///< m_private has its certificate
    bool m_declined = false;
};

void KeyFileSignIn::leave(const QString &why)
{
    m_context.tried += u"%1 (%2)"_s.arg(cleanLine(m_file), why);
    wipe(m_passphrase);
    m_state = State::Next;
}

/// False when there is no further file.
bool KeyFileSignIn::openNext()
{
    m_public.reset();
    m_private.reset();
    m_certificates.clear();
    m_certificate.reset();
    m_attempt = 0;
    if (m_files.isEmpty())
        return false;
    m_file = m_files.takeFirst();
    if (!QFileInfo::exists(m_file)) {
        if (m_file == m_context.settings.identityFile)
            leave(u"no such file"_s);
        return true;
    }
    m_public = publicKeyOfFile(m_context.api, m_file);
    gatherCertificates();
    if (!m_public)
        m_context.words(u"signing in with "_s + cleanLine(m_file));
    m_state = m_public ? State::Offering : State::Loading;
    return true;
}

/// As ssh: those that the configuration names, and the one beside the key.
void KeyFileSignIn::gatherCertificates()
{
    if (!m_public)
        return;
    LibsshApi &api = m_context.api;
    QStringList files = m_context.settings.identityFile.isEmpty() ? m_context.host.certificateFiles : QStringList();
    files += m_file + u"-cert.pub"_s;
    files.removeDuplicates();
    for (const QString &file : std::as_const(files)) {
        ssh_key raw = nullptr;
        if (!QFileInfo(file).isFile() || api.importCertFile(QFile::encodeName(file).constData(), &raw) != SSH_OK || !raw)
            continue;
        KeyHandle certificate(raw, {&api});
        if (certifies(blobOfKey(api, certificate.get()), blobOfKey(api, m_public.get())))
            m_certificates.emplace_back(file, std::move(certificate));
    }
}

/// The certificates of the file first, the bare key last; what the server has refused already is passed over.
void KeyFileSignIn::offerNext()
{
    const auto wasRefused = [this](const KeyHandle &key) {
        return key && m_context.refusedKeys.contains(blobOfKey(m_context.api, key.get()));
    };
    m_certificate.reset();
    while (!m_certificates.empty() && !m_certificate) {
        if (!wasRefused(m_certificates.front().second)) {
            m_certificateFile = m_certificates.front().first;
            m_certificate = std::move(m_certificates.front().second);
        }
        m_certificates.pop_front();
    }
    if (!m_certificate && wasRefused(m_public)) {
        m_state = State::Next; // the agent offered it already
        return;
    }
    m_state = State::Trying;
    m_context.words(u"signing in with "_s + cleanLine(m_certificate ? m_certificateFile : m_file));
}

SignInMethod::Step KeyFileSignIn::tryPublic()
{
    const KeyHandle &offered = m_certificate ? m_certificate : m_public;
    const int result = m_context.api.authTryPublicKey(m_context.session, offered.get());
    const Step step = stepOf(m_context, result);
    if (step == Step::Accepted) {
        m_state = State::Loading;
    } else if (step == Step::Exhausted && m_certificate) {
        m_context.tried += u"%1 (%2)"_s.arg(cleanLine(m_certificateFile),
                                            result == SSH_AUTH_DENIED ? u"refused"_s : u"cannot be offered"_s);
        m_state = State::Offering;
    } else if (step == Step::Exhausted) {
        leave(result == SSH_AUTH_DENIED ? u"refused"_s : u"cannot be offered"_s);
    } else if (step == Step::Again || step == Step::Lost) {
        return step;
    }
    return Step::Again;
}

void KeyFileSignIn::load()
{
    if (isTooOpen(m_file)) {
        leave(u"others can read it; ssh does not use such a key either"_s);
        return;
    }
    bool encrypted = false;
    ssh_key key = nullptr;
    const bool given = !m_passphrase.isEmpty();
    const int result = m_context.api.importPrivateKeyFile(QFile::encodeName(m_file).constData(),
                                                          given ? m_passphrase.constData() : nullptr, noPassphrase,
                                                          &encrypted, &key);
    wipe(m_passphrase);
    if (result == SSH_OK && key) {
        m_private.reset(key);
        m_certified = false;
        m_state = State::Signing;
        ++m_context.offered;
    } else if (!encrypted && !given) {
        leave(u"cannot be read"_s);
    } else if (m_attempt >= mostAttempts) {
        leave(u"wrong passphrase"_s);
    } else if (!m_context.settings.askPerson) {
        m_context.missing = u"The key %1 needs its passphrase."_s.arg(cleanLine(m_file));
        leave(u"needs its passphrase"_s);
    } else {
        askPassphrase();
    }
}

void KeyFileSignIn::askPassphrase()
{
    m_state = State::Asking;
    Question question;
    question.kind = Question::Kind::KeyPassphrase;
    question.keyFile = cleanLine(m_file);
    question.attempt = ++m_attempt;
    question.prompts = {{u"Passphrase for %1"_s.arg(question.keyFile), false}};
    m_context.words(u"waiting for the passphrase of "_s + question.keyFile);
    m_context.ask(std::move(question));
}

void KeyFileSignIn::answer(Answer answer)
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

SignInMethod::Step KeyFileSignIn::sign()
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
    leave(result == SSH_AUTH_DENIED ? u"refused"_s : u"cannot sign"_s);
    return Step::Again;
}

SignInMethod::Step KeyFileSignIn::advance()
{
    if (m_declined)
        return Step::Declined;
    for (;;) {
        const State before = m_state;
        Step step = Step::Again;
        switch (m_state) {
        case State::Next:
            if (!openNext())
                return Step::Exhausted;
            continue;
        case State::Offering:
            offerNext();
            continue;
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
        }
        if (step != Step::Again || m_state == before)
            return step;
    }
}

} // namespace

QByteArray publicBlobOfFile(LibsshApi &api, const QString &path)
{
    const KeyHandle key = publicKeyOfFile(api, path);
    return blobOfKey(api, key.get());
}

std::unique_ptr<SignInMethod> makeKeyFileSignIn(SignInContext &context)
{
    return std::make_unique<KeyFileSignIn>(context);
}

} // namespace pilothouse
