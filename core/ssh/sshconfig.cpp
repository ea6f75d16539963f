// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshconfig.h"

#include "core/base/cleantext.h"
#include "core/ssh/sshpathtokens.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxOutput = 1 << 20;

tl::unexpected<Error> invalid(const QString &what)
{
    return fail(ErrorCode::SshConfigInvalid, what);
}

QString shown(const QString &value)
{
    return u"“"_s + cleanLine(QStringView(value), 200) + u"”"_s;
}

bool isNone(const QString &value)
{
    return value.compare("none"_L1, Qt::CaseInsensitive) == 0;
}

/// ssh prints lists of paths without the quotes that kept blanks together: a new path begins where
/// a blank is followed by a slash or tilde. A relative path therefore sticks to the one before it.
QStringList splitPaths(const QString &value)
{
    QStringList paths;
    qsizetype from = 0;
    for (qsizetype i = 1; i + 1 < value.size(); ++i) {
        if (value[i] == u' ' && (value[i + 1] == u'/' || value[i + 1] == u'~')) {
            paths += value.mid(from, i - from);
            from = i + 1;
        }
    }
    paths += value.mid(from);
    paths.removeIf([](const QString &path) { return path.isEmpty() || isNone(path); });
    return paths;
}

/// Typed access to the keywords; remembers the first thing that cannot be.
class Keywords
{
public:
    explicit Keywords(const QHash<QString, QStringList> &all) : m_all(all) { }

    [[nodiscard]] const std::optional<Error> &problem() const { return m_problem; }

    QStringList list(const QString &keyword) const { return m_all.value(keyword); }

    QString text(const QString &keyword)
    {
        const QStringList values = m_all.value(keyword);
        if (values.size() > 1 && std::any_of(values.begin(), values.end(), [&](const QString &v) {
                return v != values.first();
            }))
            complain(u"ssh -G printed %1 more than once."_s.arg(keyword));
        return values.value(0);
    }

    /// Empty instead of "none".
    QString textOrNone(const QString &keyword)
    {
        const QString value = text(keyword);
        return isNone(value) ? QString() : value;
    }

    bool flag(const QString &keyword, bool otherwise)
    {
        const QString value = text(keyword);
        if (value.isEmpty())
            return otherwise;
        if (value == "yes"_L1 || value == "true"_L1 || value == "unbound"_L1
            || value == "host-bound"_L1)
            return true;
        if (value != "no"_L1 && value != "false"_L1)
            complain(
                u"ssh -G printed %1 %2, which is neither yes nor no."_s.arg(keyword, shown(value)));
        return false;
    }

    int number(const QString &keyword, int otherwise)
    {
        const QString value = textOrNone(keyword);
        if (value.isEmpty())
            return otherwise;
        bool ok = false;
        const int n = value.toInt(&ok);
        if (ok && n >= 0)
            return n;
        complain(u"ssh -G printed %1 %2, which is no number."_s.arg(keyword, shown(value)));
        return otherwise;
    }

private:
    void complain(const QString &what)
    {
        if (!m_problem)
            m_problem = Error{ErrorCode::SshConfigInvalid, what, {}};
    }

    const QHash<QString, QStringList> &m_all;
    std::optional<Error> m_problem;
};

Result<QHash<QString, QStringList>> keywordsOf(QByteArrayView output)
{
    if (output.size() > maxOutput)
        return invalid(u"ssh -G printed more than 1 MiB."_s);
    if (output.contains('\0'))
        return invalid(u"ssh -G printed binary data."_s);
    QHash<QString, QStringList> all;
    const QString text = QString::fromUtf8(output);
    for (QStringView line : QStringView(text).split(u'\n')) {
        if (line.endsWith(u'\r'))
            line.chop(1);
        const qsizetype blank = line.indexOf(u' ');
        if (blank == 0 || line.isEmpty())
            continue;
        const QStringView keyword = blank < 0 ? line : line.left(blank);
        all[keyword.toString().toLower()] += blank < 0 ? QString() : line.mid(blank + 1).toString();
    }
    return all;
}

bool holdsControl(const QString &text)
{
    return std::any_of(text.begin(), text.end(),
                       [](QChar c) { return c.category() == QChar::Other_Control; });
}

Result<void> readIdentity(ResolvedHost &host, Keywords &keywords)
{
    host.hostName = keywords.text(u"hostname"_s);
    host.user = keywords.text(u"user"_s);
    const int port = keywords.number(u"port"_s, 0);
    if (keywords.problem())
        return fail(*keywords.problem());
    if (host.hostName.isEmpty() || host.user.isEmpty() || port == 0)
        return invalid(u"ssh -G named no host name, user or port."_s);
    if (holdsControl(host.hostName) || host.hostName.contains(u' ')
        || host.hostName.startsWith(u'-'))
        return invalid(u"The HostName %1 is no host name."_s.arg(shown(host.hostName)));
    if (holdsControl(host.user) || host.user.startsWith(u'-'))
        return invalid(u"The User %1 is no user name."_s.arg(shown(host.user)));
    if (port > 65535)
        return invalid(u"The Port %1 is no port."_s.arg(port));
    host.port = quint16(port);
    return {};
}

QString strictnessOf(const QString &value)
{
    if (value == "true"_L1)
        return u"yes"_s;
    if (value == "false"_L1 || value == "off"_L1)
        return u"no"_s;
    return value;
}

void readSettings(ResolvedHost &host, Keywords &keywords)
{
    host.identitiesOnly = keywords.flag(u"identitiesonly"_s, false);
    host.hostKeyAlias = keywords.textOrNone(u"hostkeyalias"_s);
    host.proxyJump = keywords.textOrNone(u"proxyjump"_s);
    host.proxyCommand = keywords.textOrNone(u"proxycommand"_s);
    host.addressFamily = keywords.text(u"addressfamily"_s);
    host.strictHostKeyChecking = strictnessOf(keywords.text(u"stricthostkeychecking"_s));
    host.preferredAuthentications =
        keywords.text(u"preferredauthentications"_s).split(u',', Qt::SkipEmptyParts);
    host.passwordAuthentication = keywords.flag(u"passwordauthentication"_s, true);
    host.pubkeyAuthentication = keywords.flag(u"pubkeyauthentication"_s, true);
    host.kbdInteractiveAuthentication = keywords.flag(u"kbdinteractiveauthentication"_s, true);
    host.hashKnownHosts = keywords.flag(u"hashknownhosts"_s, false);
    host.batchMode = keywords.flag(u"batchmode"_s, false);
    host.connectTimeoutS = keywords.number(u"connecttimeout"_s, 0);
    host.serverAliveIntervalS = keywords.number(u"serveraliveinterval"_s, 0);
    host.serverAliveCountMax = keywords.number(u"serveralivecountmax"_s, 3);
    host.requiredRsaSize = keywords.number(u"requiredrsasize"_s, 0);
    host.bindAddress = keywords.textOrNone(u"bindaddress"_s);
    host.bindInterface = keywords.textOrNone(u"bindinterface"_s);
    host.rekeyLimit = keywords.text(u"rekeylimit"_s);
    host.hostKeyAlgorithms = keywords.text(u"hostkeyalgorithms"_s);
    host.kexAlgorithms = keywords.text(u"kexalgorithms"_s);
    host.ciphers = keywords.text(u"ciphers"_s);
    host.macs = keywords.text(u"macs"_s);
    host.pubkeyAcceptedAlgorithms = keywords.text(u"pubkeyacceptedalgorithms"_s);
    host.revokedHostKeys = keywords.textOrNone(u"revokedhostkeys"_s);
}

Result<void> readPaths(ResolvedHost &host, Keywords &keywords, const LocalIdentity &self)
{
    const SshPathTokens tokens(host, self);
    // ssh -G leaves these two as written; the others come expanded.
    for (const auto &[keyword, paths] : {std::pair{u"identityfile"_s, &host.identityFiles},
                                         std::pair{u"certificatefile"_s, &host.certificateFiles}}) {
        for (const QString &written : keywords.list(keyword)) {
            if (written.isEmpty() || isNone(written))
                continue;
            Result<QString> path = tokens.expanded(written);
            if (!path)
                return invalid(u"%1 %2: %3"_s.arg(keyword, shown(written), path.error().detail));
            *paths += *path;
        }
    }
    for (const QString &path : splitPaths(keywords.text(u"userknownhostsfile"_s)))
        host.userKnownHostsFiles += tokens.withHome(path);
    for (const QString &path : splitPaths(keywords.text(u"globalknownhostsfile"_s)))
        host.globalKnownHostsFiles += tokens.withHome(path);
    host.identityAgent = tokens.agentSocket(keywords.text(u"identityagent"_s));
    return {};
}

} // namespace

Result<ResolvedHost> parseSshConfig(QByteArrayView output, const QString &alias,
                                    const LocalIdentity &self)
{
    Result<QHash<QString, QStringList>> all = keywordsOf(output);
    if (!all)
        return fail(all.error());
    ResolvedHost host;
    host.alias = alias;
    host.all = *all;
    Keywords keywords(*all);
    if (Result<void> read = readIdentity(host, keywords); !read)
        return fail(read.error());
    readSettings(host, keywords);
    if (Result<void> read = readPaths(host, keywords, self); !read)
        return fail(read.error());
    if (keywords.problem())
        return fail(*keywords.problem());
    return host;
}

} // namespace pilothouse
