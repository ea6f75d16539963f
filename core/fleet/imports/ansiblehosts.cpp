// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/cleantext.h"
#include "core/fleet/imports/importsources.h"
#include "core/ssh/sshtarget.h"

#include <QHash>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int mostTags = 50;

/// Groups with their ancestors and how deep each stands, computed once.
class GroupTree final
{
public:
    explicit GroupTree(const AnsibleInventory &inventory)
        : m_inventory(inventory)
    {
        for (auto group = inventory.groups().cbegin(); group != inventory.groups().cend(); ++group) {
            for (const QString &child : group->children)
                m_parents[child] += group.key();
            for (const QString &host : group->hosts)
                m_groupsOfHost[host] += group.key();
        }
        for (auto group = inventory.groups().cbegin(); group != inventory.groups().cend(); ++group)
            (void)depthOf(group.key());
    }

    /// Those that the host is in, through children too, the least specific first: "all", then by depth and name.
    [[nodiscard]] QStringList groupsOf(const QString &host) const
    {
        QSet<QString> seen{u"all"_s};
        QStringList open = m_groupsOfHost.value(host);
        while (!open.isEmpty()) {
            const QString group = open.takeLast();
            if (seen.contains(group))
                continue;
            seen.insert(group);
            open += m_parents.value(group);
        }
        QStringList groups(seen.cbegin(), seen.cend());
        std::ranges::sort(groups, {}, [this](const QString &group) {
            return std::pair(group == u"all" ? -1 : m_depths.value(group), group);
        });
        return groups;
    }
    [[nodiscard]] AnsibleVars varsOf(const QString &host, const QStringList &groups) const
    {
        AnsibleVars vars;
        for (const QString &group : groups)
            vars.insert(m_inventory.groups().value(group).vars);
        vars.insert(m_inventory.varsOf(host));
        return vars;
    }

private:
    /// A circle ends where it began.
    int depthOf(const QString &group)
    {
        if (const auto known = m_depths.constFind(group); known != m_depths.cend())
            return *known;
        m_depths.insert(group, 0);
        int depth = 0;
        const QStringList parents = m_parents.value(group);
        for (const QString &parent : parents)
            depth = std::max(depth, depthOf(parent) + 1);
        m_depths.insert(group, depth);
        return depth;
    }

    const AnsibleInventory &m_inventory;
    QHash<QString, QStringList> m_parents;
    QHash<QString, QStringList> m_groupsOfHost;
    QHash<QString, int> m_depths;
};

/// One host's variables as a target.
class HostReader final
{
public:
    HostReader(const QString &name, const AnsibleVars &vars)
        : m_name(name)
        , m_vars(vars)
    {
    }

    /// Not empty: why the host is left out.
    QString readInto(ImportedHost &host)
    {
        const QString connection = take({u"ansible_connection"_s});
        static const QStringList bySsh{u""_s, u"ssh"_s, u"smart"_s, u"paramiko"_s, u"paramiko_ssh"_s,
                                       u"ansible.builtin.ssh"_s, u"ansible.builtin.paramiko_ssh"_s};
        if (m_why.isEmpty() && !bySsh.contains(connection))
            return u"It is not reached by SSH (ansible_connection is %1)."_s.arg(cleanLine(connection, 40));
        const QString address = take({u"ansible_host"_s, u"ansible_ssh_host"_s});
        const QString port = take({u"ansible_port"_s, u"ansible_ssh_port"_s});
        const QString user = take({u"ansible_user"_s, u"ansible_ssh_user"_s});
        if (m_name.contains(u"{{"))
            m_why = u"Its name is a template that only Ansible can fill in."_s;
        if (!m_why.isEmpty())
            return m_why;
        host.spec.name = m_name;
        host.spec.ssh = m_name;
        if (!address.isEmpty() || !port.isEmpty() || !user.isEmpty()) {
            SshTarget target{user, address.isEmpty() ? m_name : address, std::nullopt};
            bool isNumber = false;
            if (!port.isEmpty()) {
                target.port = port.toUShort(&isNumber);
                if (!isNumber || *target.port == 0)
                    return u"Its port \"%1\" is none."_s.arg(cleanLine(port, 40));
            }
            const auto read = parseTarget(target.display());
            if (!read || *read != target)
                return u"\"%1\" cannot be given to ssh."_s.arg(cleanLine(target.display(), 120));
            host.spec.ssh = target.display();
        }
        note(host);
        return {};
    }

private:
    /// The first of the variables that is set, with what its template says; sets m_why where that cannot be known.
    QString take(const QStringList &names)
    {
        for (const QString &name : names) {
            const auto value = m_vars.constFind(name);
            if (value == m_vars.cend())
                continue;
            if (value->vault) {
                m_why = u"%1 is encrypted by ansible-vault."_s.arg(name);
                return {};
            }
            QString text = value->text.trimmed();
            static const QRegularExpression own(u"\\{\\{\\s*inventory_hostname\\s*\\}\\}"_s);
            static const QRegularExpression ownShort(u"\\{\\{\\s*inventory_hostname_short\\s*\\}\\}"_s);
            text.replace(own, m_name).replace(ownShort, m_name.section(u'.', 0, 0));
            if (text.contains(u"{{") || text.contains(u"{%")) {
                m_why = u"%1 is a template that only Ansible can fill in."_s.arg(name);
                return {};
            }
            return text;
        }
        return {};
    }
    /// What Ansible does on the way to it, and we do not.
    void note(ImportedHost &host) const
    {
        static const QRegularExpression jump(u"ProxyJump|ProxyCommand|(^|\\s)-J"_s);
        for (const QString &name : {u"ansible_ssh_common_args"_s, u"ansible_ssh_extra_args"_s, u"ansible_ssh_args"_s}) {
            const AnsibleValue value = m_vars.value(name);
            if (value.text.contains(jump))
                host.notes +=
                    u"The jump host in %1 is not honoured; write it as ProxyJump in the SSH configuration."_s.arg(name);
            else if (value.vault || !value.text.isEmpty())
                host.notes += u"%1 is not honoured; the SSH configuration decides."_s.arg(name);
        }
        for (const QString &name : {u"ansible_ssh_private_key_file"_s, u"ansible_private_key_file"_s}) {
            if (m_vars.contains(name))
                host.notes += u"%1 is not honoured; write it as IdentityFile in the SSH configuration."_s.arg(name);
        }
    }

    const QString m_name;
    const AnsibleVars &m_vars;
    QString m_why;
};

} // namespace

ImportList hostsOf(const AnsibleInventory &inventory, const QString &source)
{
    ImportList list;
    list.source = source;
    list.name = u"ansible"_s;
    const GroupTree tree(inventory);
    for (const QString &name : inventory.hosts()) {
        const QStringList groups = tree.groupsOf(name);
        const AnsibleVars vars = tree.varsOf(name, groups);
        ImportedHost host;
        if (const QString why = HostReader(name, vars).readInto(host); !why.isEmpty()) {
            list.leftOut += ImportLeftOut{cleanLine(name, 80), why};
            continue;
        }
        for (const QString &group : groups) {
            if (group != u"all" && group != u"ungrouped")
                host.spec.tags += group;
        }
        if (host.spec.tags.size() > mostTags) {
            host.notes += u"It is in %1 groups; %2 are kept as tags."_s.arg(host.spec.tags.size()).arg(mostTags);
            host.spec.tags.resize(mostTags);
        }
        list.add(std::move(host));
    }
    return list;
}

} // namespace pilothouse
