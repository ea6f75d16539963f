// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as an Ansible inventory, INI and YAML. They may not crash or hang; a mistake names the file; what is taken
// is read-only and can be given to ssh; nothing is left out without a reason.
#include "core/fleet/imports/importsources.h"
#include "core/ssh/sshtarget.h"

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

void check(const Result<AnsibleInventory> &read)
{
    if (!read) {
        require(read.error().code == ErrorCode::InventoryInvalid && read.error().detail.startsWith(u"f:"));
        return;
    }
    const ImportList list = hostsOf(*read, u"f"_s);
    require(list.hosts.size() + list.leftOut.size() == read->hosts().size());
    for (const ImportedHost &host : list.hosts) {
        require(host.spec.access == Access::ReadOnly && host.spec.sudo == SudoPolicy::Never);
        require(!host.spec.name.isEmpty() && parseTarget(host.spec.ssh).has_value());
        require(!host.spec.ssh.startsWith(u'-'));
    }
    for (const ImportLeftOut &left : list.leftOut)
        require(!left.why.isEmpty());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArrayView text(reinterpret_cast<const char *>(data), qsizetype(size));
    check(readAnsibleIni(text, u"f"_s));
    check(readAnsibleYaml(text, u"f"_s));
    return 0;
}
