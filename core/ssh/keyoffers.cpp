// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/keyoffers.h"

#include "core/base/cleantext.h"
#include "core/ssh/sshhandles.h"

#include <QFile>
#include <QFileInfo>
#include <QtEndian>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

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

// libssh stops at the first key of an agent's list that it cannot read, so that only these are shown to it.
bool isReadable(const AgentKey &key)
{
    static const QList<QByteArray> types{
        "ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
        "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com",
        "ssh-ed25519-cert-v01@openssh.com", "ssh-rsa-cert-v01@openssh.com",
        "ecdsa-sha2-nistp256-cert-v01@openssh.com", "ecdsa-sha2-nistp384-cert-v01@openssh.com",
        "ecdsa-sha2-nistp521-cert-v01@openssh.com"};
    return types.contains(typeOfBlob(key.blob));
}

/// As ssh, which leaves out what PubkeyAcceptedAlgorithms does not name; libssh would "refuse" it by itself.
bool isAccepted(QByteArrayView blob, const QStringList &algorithms)
{
    const QString type = QString::fromLatin1(typeOfBlob(blob));
    if (algorithms.isEmpty() || algorithms.contains(type))
        return true;
    const bool rsa = type.startsWith("ssh-rsa"_L1);
    const QString end = type.mid(int(sizeof "ssh-rsa") - 1); // "" or "-cert-v01@openssh.com"
    return rsa && (algorithms.contains(u"rsa-sha2-512"_s + end) || algorithms.contains(u"rsa-sha2-256"_s + end));
}

struct KeyFile
{
    QString path;
    QByteArray blob; ///< of the public half, where it can be known
};

class Collector final
{
public:
    Collector(LibsshApi &api, const ResolvedHost &host, const ConnectionSettings &settings,
              const QList<AgentKey> &agent)
        : m_api(api)
        , m_accepted(host.pubkeyAcceptedAlgorithms.split(u',', Qt::SkipEmptyParts))
    {
        const bool given = !settings.identityFile.isEmpty();
        const QStringList paths = given ? QStringList{settings.identityFile} : host.identityFiles;
        for (const QString &path : paths)
            m_files += KeyFile{path, publicBlobOfFile(api, path)};
        m_onlyConfigured = given || host.identitiesOnly;
        std::ranges::copy_if(agent, std::back_inserter(m_agent), isReadable);
        if (!given)
            m_certificates = host.certificateFiles;
    }

    QList<KeyOffer> collect()
    {
        const bool named = !m_certificates.isEmpty();
        for (const QString &file : std::as_const(m_certificates)) {
            addCertificate(file, Signer::Agent);
            addCertificate(file, Signer::File);
        }
        // As ssh: those beside the keys only where none is named; one that needs its key file comes with it.
        for (const KeyFile &file : std::as_const(m_files)) {
            if (!named)
                addCertificate(file.path + u"-cert.pub"_s, Signer::Agent);
        }
        for (const AgentKey &key : std::as_const(m_agent)) {
            if (isConfigured(key))
                add({key.blob, nameOf(key), key.blob, {}, {}});
        }
        for (const AgentKey &key : std::as_const(m_agent)) {
            if (!m_onlyConfigured)
                add({key.blob, nameOf(key), key.blob, {}, {}});
        }
        for (const KeyFile &file : std::as_const(m_files)) {
            if (!named)
                addCertificate(file.path + u"-cert.pub"_s, Signer::File);
            if (QFileInfo(file.path).isFile()) // an agent may have failed to sign with the same key: the file still may
                m_offers += KeyOffer{file.blob, cleanLine(file.path), {}, file.path, {}};
        }
        m_offers.removeIf([this](const KeyOffer &offer) {
            return !offer.blob.isEmpty() && !isAccepted(offer.blob, m_accepted);
        });
        return m_offers;
    }

private:
    static QString nameOf(const AgentKey &key)
    {
        return key.comment.isEmpty() ? u"a key without a name"_s : key.comment;
    }
    [[nodiscard]] bool isConfigured(const AgentKey &key) const
    {
        return std::ranges::any_of(m_files, [&](const KeyFile &file) {
            return !file.blob.isEmpty() && (file.blob == key.blob || certifies(key.blob, file.blob));
        });
    }
    void add(KeyOffer offer)
    {
        if (std::ranges::none_of(m_offers, [&](const KeyOffer &each) { return each.blob == offer.blob; }))
            m_offers += std::move(offer);
    }
    enum class Signer { Agent, File };
    void addCertificate(const QString &file, Signer by)
    {
        ssh_key raw = nullptr;
        if (!QFileInfo(file).isFile() || m_api.importCertFile(QFile::encodeName(file).constData(), &raw) != SSH_OK
            || !raw)
            return;
        const KeyHandle key(raw, {&m_api});
        const QByteArray blob = blobOfKey(m_api, key.get());
        // Its private key, as ssh looks for it: the agent's first, where no passphrase is needed.
        for (const AgentKey &each : std::as_const(m_agent)) {
            if (by == Signer::Agent && (each.blob == blob || certifies(blob, each.blob)))
                add({blob, cleanLine(file), each.blob, {}, file});
        }
        for (const KeyFile &each : std::as_const(m_files)) {
            if (by == Signer::File && certifies(blob, each.blob) && QFileInfo(each.path).isFile())
                m_offers += KeyOffer{blob, cleanLine(file), {}, each.path, file};
        }
    }

    LibsshApi &m_api;
    const QStringList m_accepted;
    QList<KeyFile> m_files;
    QList<AgentKey> m_agent;
    QStringList m_certificates;
    bool m_onlyConfigured = false;
    QList<KeyOffer> m_offers;
};

} // namespace

QByteArray blobOfKey(LibsshApi &api, ssh_key key)
{
    char *text = nullptr;
    if (!key || api.exportPublicKey(key, &text) != SSH_OK || !text)
        return {};
    const QByteArray blob = QByteArray::fromBase64(text);
    api.stringFree(text);
    return blob;
}

QByteArray publicBlobOfFile(LibsshApi &api, const QString &path)
{
    for (const QString &candidate : {QString(path + u".pub"_s), path}) {
        ssh_key raw = nullptr;
        if (QFileInfo(candidate).isFile()
            && api.importPublicKeyFile(QFile::encodeName(candidate).constData(), &raw) == SSH_OK && raw) {
            const KeyHandle key(raw, {&api});
            return blobOfKey(api, key.get());
        }
    }
    return {};
}

QByteArray typeOfBlob(QByteArrayView blob)
{
    qsizetype at = 0;
    return takeString(blob, at).toByteArray();
}

bool certifies(QByteArrayView certificate, QByteArrayView key)
{
    // Type, nonce, and then the same numbers.
    qsizetype inCertificate = 0;
    qsizetype inKey = 0;
    const QByteArrayView certificateType = takeString(certificate, inCertificate);
    const QByteArrayView keyType = takeString(key, inKey);
    if (keyType.isEmpty() || certificateType != QByteArray(keyType.toByteArray() + "-cert-v01@openssh.com")
        || takeString(certificate, inCertificate).isEmpty())
        return false;
    return certificate.sliced(inCertificate).startsWith(key.sliced(inKey));
}

QList<KeyOffer> keyOffers(LibsshApi &api, const ResolvedHost &host, const ConnectionSettings &settings,
                          const QList<AgentKey> &agent)
{
    return Collector(api, host, settings, agent).collect();
}

} // namespace pilothouse
