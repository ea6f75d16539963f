// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshaliases.h"

#include "core/ssh/sshtarget.h"

#include <QSet>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// A name that can be given to ssh as it stands; patterns and exclusions cannot.
bool isName(const QString &word)
{
    const bool pattern =
        std::any_of(word.begin(), word.end(), [](QChar c) { return u"*?!"_s.contains(c); });
    if (pattern)
        return false;
    const Result<SshTarget> target = parseTarget(word);
    return target && target->host == word;
}

} // namespace

SshAliasList listSshAliases(const SshConfigRoots &roots)
{
    SshAliasList list;
    QSet<QString> seen;
    const SshConfigScan scan = scanSshConfig(roots, [&](const SshConfigLine &line) {
        if (line.keyword != "host"_L1)
            return;
        for (const QString &word : line.arguments) {
            if (!seen.contains(word) && isName(word)) {
                seen.insert(word);
                list.aliases += SshAlias{word, line.file, line.line};
            }
        }
    });
    list.unreadable = scan.unreadable;
    return list;
}

} // namespace pilothouse
