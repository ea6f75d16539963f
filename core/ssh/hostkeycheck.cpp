// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/hostkeycheck.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

HostKeyCheck::HostKeyCheck(const ConnectionSettings &settings, const ResolvedHost &host)
    : m_name{host.hostName, host.port, host.hostKeyAlias}
    , m_allowed(host.hostKeyAlgorithms)
    , m_hashed(host.hashKnownHosts)
    , m_acceptNew(settings.acceptNewHostKey)
    , m_askPerson(settings.askPerson && host.strictHostKeyChecking != u"yes"_s)
{
    if (!settings.knownHostsFile.isEmpty()) {
        m_paths = {settings.knownHostsFile};
        m_store = settings.knownHostsFile;
    } else {
        m_paths = host.userKnownHostsFiles + host.globalKnownHostsFiles;
        m_store = host.userKnownHostsFiles.value(0);
    }
}

Result<void> HostKeyCheck::load()
{
    Result<QList<KnownHostsFile>> files = loadKnownHosts(m_paths);
    if (!files)
        return fail(files.error());
    m_files = std::move(*files);
    return {};
}

QString HostKeyCheck::algorithms() const
{
    return hostKeyAlgorithmOrder(m_allowed, knownKeyTypes(m_files, m_name)).join(u',');
}

HostKeyCheck::Verdict HostKeyCheck::judge(const QByteArray &blob, const QString &display)
{
    m_key = HostKey::fromBlob(blob);
    if (!m_key)
        return Error{ErrorCode::HandshakeFailed, u"The host key cannot be read."_s, {}};
    const KnownHostsVerdict verdict = checkHostKey(m_files, m_name, *m_key);
    if (const std::optional<Error> refusal = hostKeyRefusal(verdict, *m_key, display))
        return *refusal;
    if (verdict.kind == KnownHostsVerdict::Kind::Known)
        return Accepted{};
    if (m_acceptNew)
        return AcceptedNew{};

    Question question;
    question.kind = Question::Kind::UnknownHostKey;
    question.keyType = m_key->typeName();
    question.fingerprint = m_key->fingerprint();
    question.knownHostsFile = m_store;
    question.note = hostKeyNote(verdict);
    if (m_askPerson)
        return question;
    return Error{ErrorCode::HostKeyUnknown,
                 u"%1 offers the %2 key %3. %4"_s.arg(display, question.keyType, question.fingerprint, question.note)
                     .trimmed(),
                 {}};
}

Result<void> HostKeyCheck::store() const
{
    if (!m_key || m_store.isEmpty())
        return fail(ErrorCode::LocalIo, u"There is no known_hosts file to keep the key in."_s);
    return appendKnownHost(m_store, m_name, *m_key, m_hashed);
}

} // namespace pilothouse
