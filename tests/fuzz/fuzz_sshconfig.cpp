// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as the output of ssh -G. What is accepted has a host, a user and a port, and nothing
// that is refused gets by.
#include "core/ssh/sshconfig.h"

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

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const LocalIdentity self{
        u"/home/op"_s, u"op"_s, u"1000"_s, u"desk.example"_s, {{u"KEYS"_s, u"/env/a b"_s}}};
    const QByteArray output(reinterpret_cast<const char *>(data), qsizetype(size));
    const Result<ResolvedHost> host = parseSshConfig(output, u"gpu1"_s, self);
    if (!host) {
        require(host.error().code == ErrorCode::SshConfigInvalid && !host.error().detail.isEmpty());
        return 0;
    }
    require(!host->hostName.isEmpty() && !host->hostName.startsWith(u'-')
            && !host->hostName.contains(u'\n'));
    require(!host->user.isEmpty() && host->port != 0);
    require(host->connectTimeoutS >= 0 && host->serverAliveIntervalS >= 0
            && host->serverAliveCountMax >= 0);
    for (const QString &path : host->identityFiles + host->certificateFiles)
        require(!path.startsWith(u'~'));
    if (checkSshConfig(*host))
        require(host->revokedHostKeys.isEmpty());
    return 0;
}
