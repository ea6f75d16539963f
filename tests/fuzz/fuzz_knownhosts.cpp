// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a known_hosts file. They may not crash, hang, or turn the verdict of lines that we
// put before them.
#include "core/ssh/knownhosts.h"
#include "core/ssh/knownhostsline.h"

#include <cstdint>
#include <cstdlib>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

HostKey serverKey()
{
    // Of the corpus: known there under several names.
    return *HostKey::fromBlob(QByteArray::fromBase64(
        "AAAAC3NzaC1lZDI1NTE5AAAAILH6pHDGREisS8t0TS/+O2SIaG3yh4lL/2AUlR7CF5dn"));
}

void check(const QByteArray &content, const KnownHostsName &name, const HostKey &key)
{
    using Kind = KnownHostsVerdict::Kind;
    const KnownHostsFile any{u"/any"_s, content};
    const KnownHostsVerdict verdict = checkHostKey({any}, name, key);
    require((verdict.kind == Kind::Unknown) == verdict.file.isEmpty());
    require((verdict.kind == Kind::Unknown) == (verdict.line == 0));
    require(hostKeyRefusal(verdict, key, name.host).has_value()
            == (verdict.kind != Kind::Known && verdict.kind != Kind::Unknown));
    if (verdict.kind == Kind::Changed || verdict.kind == Kind::OtherTypes)
        require(!verdict.known.isEmpty());
    for (const KnownHostsEntry &entry : verdict.known)
        require(HostKey::fromBlob(entry.key.blob) == entry.key);
    require(hostKeyAlgorithmOrder(u"ssh-ed25519,rsa-sha2-512"_s, knownKeyTypes({any}, name)).size()
            == 2);

    const KnownHostsFile revoking{u"/revoking"_s,
                                  "@revoked * " + key.type.toLatin1() + ' ' + key.blob.toBase64()};
    require(checkHostKey({any, revoking}, name, key).kind == Kind::Revoked);
    require(checkHostKey({revoking, any}, name, key).kind == Kind::Revoked);
    const KnownHostsFile knowing{u"/knowing"_s, knownHostsLine(name, key, false)};
    require(checkHostKey({any, knowing}, name, key).kind
            == (verdict.kind == Kind::Revoked ? Kind::Revoked : Kind::Known));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArray content(reinterpret_cast<const char *>(data), qsizetype(size));
    const HostKey key = serverKey();
    check(content, {u"gpu1"_s, 22, {}}, key);
    check(content, {u"gpu1"_s, 2222, {}}, key);
    check(content, {u"x"_s, 22, u"Gpu.Alias"_s}, key);
    (void)HostKey::fromBlob(content);
    (void)matchesPatternList("gpu1.rack.example", content);
    return 0;
}
