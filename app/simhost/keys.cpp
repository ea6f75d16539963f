// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "keys.h"

#include <QFile>

#include <sys/stat.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

Result<SshKey> makeKey(const QString &path)
{
    ssh_key raw = nullptr;
    if (ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &raw) != SSH_OK)
        return fail(ErrorCode::Internal, u"No key can be generated."_s);
    SshKey key(raw);
    const mode_t before = umask(0077);
    const int written = ssh_pki_export_privkey_file(raw, nullptr, nullptr, nullptr,
                                                    QFile::encodeName(path).constData());
    umask(before);
    if (written != SSH_OK)
        return fail(ErrorCode::LocalIo, u"The key cannot be written to %1."_s.arg(path));
    return key;
}

QString publicLine(const SshKey &key)
{
    char *base64 = nullptr;
    if (ssh_pki_export_pubkey_base64(key.get(), &base64) != SSH_OK)
        return {};
    const QString line = u"ssh-ed25519 "_s + QString::fromLatin1(base64);
    ssh_string_free_char(base64);
    return line;
}

} // namespace pilothouse
