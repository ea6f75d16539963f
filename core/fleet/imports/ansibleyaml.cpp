// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/cleantext.h"
#include "core/fleet/imports/ansibleinventory.h"

#include <yaml-cpp/yaml.h>

#include <optional>

// The one file that knows yaml-cpp, and where it throws.

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// Aliases make a small file as large as one likes: what is looked at is counted, not what stands there.
constexpr int mostNodes = 200'000;
constexpr int mostLevels = 32;

struct YamlMistake
{
    int line = 0; // from 1; 0: none
    QString text;
};

/// After the first mistake nothing more is looked at.
class YamlReader final
{
public:
    void readGroups(const YAML::Node &groups)
    {
        if (!groups.IsMap()) {
            refuse(groups, u"expected groups by name, as in \"all: {hosts: {gpu1: }}\""_s);
            return;
        }
        if (groups["plugin"] && groups["plugin"].IsScalar()) {
            refuse(groups, u"this is the configuration of an inventory plugin, not an inventory"_s);
            return;
        }
        for (const auto &entry : groups)
            readGroup(nameIn(entry.first), entry.second, 0);
    }
    [[nodiscard]] const AnsibleInventory &inventory() const { return m_inventory; }
    [[nodiscard]] const std::optional<YamlMistake> &mistake() const { return m_mistake; }

private:
    void refuse(const YAML::Node &node, const QString &text)
    {
        if (!m_mistake)
            m_mistake = YamlMistake{node.Mark().is_null() ? 0 : node.Mark().line + 1, text};
    }
    void check(const YAML::Node &node, const Result<void> &done)
    {
        if (!done)
            refuse(node, done.error().detail);
    }
    /// May one more be looked at?
    bool count(const YAML::Node &node)
    {
        if (++m_nodes > mostNodes)
            refuse(node, u"there is more in it than can be read"_s);
        return !m_mistake;
    }
    QString nameIn(const YAML::Node &node)
    {
        if (node.IsScalar() && !node.Scalar().empty())
            return cleanLine(QByteArrayView(node.Scalar()), 200);
        refuse(node, u"expected a name"_s);
        return {};
    }

    void readGroup(const QString &name, const YAML::Node &group, int level)
    {
        if (!count(group))
            return;
        check(group, m_inventory.addGroup(name));
        if (level > mostLevels)
            refuse(group, u"groups stand in groups more than %1 deep"_s.arg(mostLevels));
        else if (!group.IsMap() && !group.IsNull())
            refuse(group, u"expected hosts, children and vars in the group "_s + name);
        if (m_mistake || group.IsNull())
            return;
        for (const auto &entry : group) {
            const QString key = nameIn(entry.first);
            if (!count(entry.second))
                return;
            if (key == u"hosts")
                readHosts(name, entry.second);
            else if (key == u"vars")
                m_inventory.addVars(name, varsOf(entry.second, 0));
            else if (key == u"children")
                readChildren(name, entry.second, level);
        }
    }
    void readHosts(const QString &group, const YAML::Node &hosts)
    {
        if (hosts.IsNull())
            return;
        if (hosts.IsScalar()) { // Ansible takes one name here, too
            check(hosts, m_inventory.addHosts(group, nameIn(hosts), {}));
            return;
        }
        if (!hosts.IsMap()) {
            refuse(hosts, u"expected the hosts of %1 by name, each with a colon"_s.arg(group));
            return;
        }
        for (const auto &entry : hosts) {
            const QString pattern = nameIn(entry.first);
            if (!count(entry.second))
                return;
            check(entry.first, m_inventory.addHosts(group, pattern, varsOf(entry.second, 0)));
        }
    }
    void readChildren(const QString &group, const YAML::Node &children, int level)
    {
        if (children.IsNull())
            return;
        if (!children.IsMap()) {
            refuse(children, u"expected the children of %1 by name, each with a colon"_s.arg(group));
            return;
        }
        for (const auto &entry : children) {
            const QString child = nameIn(entry.first);
            if (m_mistake)
                return;
            check(entry.first, m_inventory.addChild(group, child));
            readGroup(child, entry.second, level + 1);
        }
    }
    AnsibleVars varsOf(const YAML::Node &node, int level)
    {
        AnsibleVars vars;
        if (level > mostLevels)
            refuse(node, u"merges stand in merges too deep"_s);
        if (m_mistake || !node.IsMap())
            return vars;
        for (const auto &entry : node) {
            if (!count(entry.second))
                return vars;
            if (!entry.first.IsScalar())
                continue;
            const QString name = cleanLine(QByteArrayView(entry.first.Scalar()), 120);
            if (name == u"<<")
                merge(vars, entry.second, level);
            else if (isAnsibleVariable(name))
                vars.insert(name, valueOf(entry.second));
        }
        return vars;
    }
    /// "<<: *other": what stands in the mapping itself wins, wherever.
    void merge(AnsibleVars &vars, const YAML::Node &from, int level)
    {
        const auto add = [&](const YAML::Node &one) {
            AnsibleVars merged = varsOf(one, level + 1);
            merged.insert(vars);
            vars = merged;
        };
        if (!from.IsSequence()) {
            add(from);
            return;
        }
        for (const auto &one : from)
            add(one);
    }
    static AnsibleValue valueOf(const YAML::Node &node)
    {
        if (node.Tag() == "!vault")
            return {QString(), true};
        if (!node.IsScalar())
            return {};
        return {cleanLine(QByteArrayView(node.Scalar())), false};
    }

    AnsibleInventory m_inventory;
    std::optional<YamlMistake> m_mistake;
    int m_nodes = 0;
};

} // namespace

Result<AnsibleInventory> readAnsibleYaml(QByteArrayView text, const QString &file)
{
    const auto broken = [&](int line, const QString &what) {
        const QString place = line > 0 ? u"%1:%2"_s.arg(file).arg(line) : file;
        return fail(ErrorCode::InventoryInvalid, u"%1: %2."_s.arg(place, what));
    };
    try {
        const YAML::Node root = YAML::Load(std::string(text.data(), size_t(text.size())));
        YamlReader reader;
        if (!root.IsNull())
            reader.readGroups(root);
        if (const auto &mistake = reader.mistake())
            return broken(mistake->line, mistake->text);
        return reader.inventory();
    } catch (const YAML::Exception &error) {
        return broken(error.mark.is_null() ? 0 : error.mark.line + 1, cleanLine(QByteArrayView(error.msg), 200));
    }
}

} // namespace pilothouse
