// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshpathtokens.h"

#include <QCryptographicHash>
#include <QProcessEnvironment>

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <vector>

namespace pilothouse {

using namespace Qt::StringLiterals;

LocalIdentity LocalIdentity::current()
{
    LocalIdentity self;
    self.uid = QString::number(getuid());
    std::vector<char> buffer(1 << 14);
    passwd entry{};
    passwd *found = nullptr;
    if (getpwuid_r(getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found) {
        self.home = QString::fromLocal8Bit(found->pw_dir);
        self.user = QString::fromLocal8Bit(found->pw_name);
    }
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) == 0)
        self.hostName = QString::fromLocal8Bit(name.data());
    const QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const QString &key : environment.keys())
        self.environment.insert(key, environment.value(key));
    return self;
}

SshPathTokens::SshPathTokens(const ResolvedHost &host, const LocalIdentity &self)
    : m_host(host)
    , m_self(self)
{ }

std::optional<QString> SshPathTokens::token(QChar letter) const
{
    const QString port = QString::number(m_host.port);
    switch (letter.unicode()) {
    case u'%':
        return u"%"_s;
    case u'h':
        return m_host.hostName;
    case u'p':
        return port;
    case u'r':
        return m_host.user;
    case u'n':
        return m_host.alias;
    case u'k':
        return m_host.hostKeyAlias.isEmpty() ? m_host.alias : m_host.hostKeyAlias;
    case u'd':
        return m_self.home;
    case u'u':
        return m_self.user;
    case u'i':
        return m_self.uid;
    case u'l':
        return m_self.hostName;
    case u'L':
        return m_self.hostName.section(u'.', 0, 0);
    case u'j': // the jump host, in newer versions; a host that has one is refused
        return QString();
    case u'C': {
        const QString all = m_self.hostName + m_host.hostName + port + m_host.user;
        return QString::fromLatin1(
            QCryptographicHash::hash(all.toUtf8(), QCryptographicHash::Sha1).toHex());
    }
    default:
        return {};
    }
}

QString SshPathTokens::withHome(const QString &path) const
{
    if (path == u'~' || path.startsWith("~/"_L1))
        return m_self.home + path.mid(1);
    return path;
}

Result<QString> SshPathTokens::expanded(const QString &written) const
{
    const QString text = withHome(written);
    if (text.startsWith(u'~'))
        return fail(ErrorCode::SshConfigInvalid, u"another person's home is not supported here."_s);
    QString path;
    path.reserve(text.size());
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        const QChar next = i + 1 < text.size() ? text[i + 1] : QChar();
        if (c == u'%') {
            const std::optional<QString> value = token(next);
            if (!value)
                return fail(ErrorCode::SshConfigInvalid,
                            u"ssh knows no token %%1 here."_s.arg(next));
            path += *value;
            ++i;
        } else if (c == u'$' && next == u'{') {
            const qsizetype close = text.indexOf(u'}', i);
            const QString name = close < 0 ? QString() : text.mid(i + 2, close - i - 2);
            const auto variable = m_self.environment.constFind(name);
            if (name.isEmpty() || variable == m_self.environment.constEnd())
                return fail(ErrorCode::SshConfigInvalid,
                            u"the variable ${%1} is not set."_s.arg(name));
            path += *variable;
            i = close;
        } else {
            path += c;
        }
    }
    return path;
}

QString SshPathTokens::agentSocket(const QString &value) const
{
    if (value.isEmpty() || value == "SSH_AUTH_SOCK"_L1)
        return {};
    if (value.compare("none"_L1, Qt::CaseInsensitive) == 0)
        return u"none"_s;
    if (value.startsWith(u'$')) { // unset: ssh goes on without an agent
        const QString socket = m_self.environment.value(value.mid(1));
        return socket.isEmpty() ? u"none"_s : socket;
    }
    return withHome(value);
}

} // namespace pilothouse
