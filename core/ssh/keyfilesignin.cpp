// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/secret.h"
#include "core/ssh/signinmethod.h"
#include "core/ssh/sshhandles.h"

#include "core/base/cleantext.h"

#include <QFile>
#include <QFileInfo>

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
        , m_private(nullptr, {&context.api})
    {
    }
    ~KeyFileSignIn() override { wipe(m_passphrase); }

    [[nodiscard]] Step advance() override;
    void answer(Answer answer) override;

private:
    enum class State { Next, Trying, Loading, Asking, Signing };

    [[nodiscard]] bool openNext();
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
    KeyHandle m_private;
    QByteArray m_passphrase;
    int m_attempt = 0;
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
    if (m_public && m_context.refusedKeys.contains(blobOfKey(m_context.api, m_public.get())))
        return true; // the agent offered it already
    m_context.words(u"signing in with "_s + cleanLine(m_file));
    m_state = m_public ? State::Trying : State::Loading;
    return true;
}

SignInMethod::Step KeyFileSignIn::tryPublic()
{
    const int result = m_context.api.authTryPublicKey(m_context.session, m_public.get());
    const Step step = stepOf(m_context, result);
    if (step == Step::Accepted)
        m_state = State::Loading;
    else if (step == Step::Exhausted)
        leave(result == SSH_AUTH_DENIED ? u"refused"_s : u"cannot be offered"_s);
    else if (step == Step::Again || step == Step::Lost)
        return step;
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
