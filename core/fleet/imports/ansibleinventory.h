// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// An Ansible inventory as its file says it, before it is decided who is reached how. Only variables that begin with
// "ansible_" are kept: the others may be secrets. Readers are pure; any thread.

#include "core/base/result.h"

#include <QByteArrayView>
#include <QMap>
#include <QString>
#include <QStringList>

namespace pilothouse {

struct AnsibleValue
{
    QString text;       ///< cleaned
    bool vault = false; ///< encrypted: no text

    friend bool operator==(const AnsibleValue &, const AnsibleValue &) = default;
};

using AnsibleVars = QMap<QString, AnsibleValue>;

struct AnsibleGroup
{
    QStringList hosts;
    QStringList children;
    AnsibleVars vars;
};

/// At most so much of each; a file with more is refused.
struct AnsibleLimits
{
    static constexpr int hosts = 5'000;
    static constexpr int groups = 500;
    static constexpr int memberships = 100'000;
};

/// Hosts of patterns are spelled out.
class AnsibleInventory final
{
public:
    [[nodiscard]] const QStringList &hosts() const { return m_order; } ///< in file order
    [[nodiscard]] AnsibleVars varsOf(const QString &host) const { return m_hosts.value(host); }
    [[nodiscard]] const QMap<QString, AnsibleGroup> &groups() const { return m_groups; }

    /// Errors of all these: InventoryInvalid, without a place.
    [[nodiscard]] Result<void> addGroup(const QString &group);
    [[nodiscard]] Result<void> addChild(const QString &group, const QString &child);
    /// A host, or a range as "gpu[01:08]"; INI may add ":port". Later variables replace earlier ones.
    [[nodiscard]] Result<void> addHosts(const QString &group, const QString &pattern, const AnsibleVars &vars);
    void addVars(const QString &group, const AnsibleVars &vars);

private:
    QStringList m_order;
    QMap<QString, AnsibleVars> m_hosts;
    QMap<QString, AnsibleGroup> m_groups;
    int m_memberships = 0;
};

[[nodiscard]] bool isAnsibleVariable(const QString &name);

/// "gpu[01:08].rack[a:c]" spelled out, steps too ("[0:10:2]"); a name without ranges is itself. Errors:
/// InventoryInvalid (a range that cannot be, or gives more than `most`).
[[nodiscard]] Result<QStringList> expandAnsiblePattern(const QString &pattern, int most);

/// Errors: InventoryInvalid with "file:line: what is wrong".
[[nodiscard]] Result<AnsibleInventory> readAnsibleIni(QByteArrayView text, const QString &file);
[[nodiscard]] Result<AnsibleInventory> readAnsibleYaml(QByteArrayView text, const QString &file);

} // namespace pilothouse
