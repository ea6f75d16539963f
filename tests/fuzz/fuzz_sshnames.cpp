// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Any text as a target and as a line of an SSH configuration. A target that is accepted reads the
// same when shown, and is no option.
#include "core/ssh/sshconfigfiles.h"
#include "core/ssh/sshtarget.h"

#include <cstdint>
#include <cstdlib>

using namespace pilothouse;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QString text = QString::fromUtf8(reinterpret_cast<const char *>(data), qsizetype(size));
    if (const Result<SshTarget> target = parseTarget(text)) {
        require(!target->host.isEmpty() && !target->host.startsWith(u'-')
                && !target->user.startsWith(u'-'));
        require(!target->host.contains(u'\n') && !target->host.contains(u' ')
                && !target->user.contains(u'\n'));
        const Result<SshTarget> again = parseTarget(target->display());
        require(again && *again == *target);
    }
    const SshConfigLine line = splitSshConfigLine(text);
    require(line.keyword.isEmpty() ? line.arguments.isEmpty() : true);
    qsizetype length = line.keyword.size();
    for (const QString &word : line.arguments)
        length += word.size();
    require(length <= text.size() * 3); // lower case may be longer than upper case, a little
    return 0;
}
