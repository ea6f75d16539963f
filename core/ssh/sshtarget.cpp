// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshtarget.h"

#include "core/base/cleantext.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxTargetLength = 512;

tl::unexpected<Error> usage(QStringView text, const QString &why)
{
    return fail(ErrorCode::Usage, u"“"_s + cleanLine(text, 128) + u"” names no host: "_s + why,
                u"A host is an alias of the SSH configuration, or [user@]host[:port]."_s);
}

/// Blanks, controls and the invisible formatting characters that make one name look like another.
bool isBlankOrControl(QChar c)
{
    const QChar::Category category = c.category();
    return c.isSpace() || category == QChar::Other_Control || category == QChar::Other_Format;
}

/// Characters that the ssh program refuses in a host name since 9.6, and the slash, which separates
/// a service.
bool isForbiddenInHost(QChar c)
{
    return u"'`\"$\\;&<>|(){}/,@"_s.contains(c);
}

bool looksLikeIpv6(QStringView host)
{
    const qsizetype zone = host.indexOf(u'%');
    const QStringView address = zone < 0 ? host : host.left(zone);
    return address.count(u':') >= 2 && std::all_of(address.begin(), address.end(), [](QChar c) {
               return c == u':' || c == u'.' || (c >= u'0' && c <= u'9') || (c >= u'a' && c <= u'f')
                      || (c >= u'A' && c <= u'F');
           });
}

std::optional<quint16> portOf(QStringView text)
{
    const bool digits =
        std::all_of(text.begin(), text.end(), [](QChar c) { return c >= u'0' && c <= u'9'; });
    if (text.isEmpty() || text.size() > 5 || !digits)
        return {};
    const uint port = text.toUInt();
    if (port < 1 || port > 65535)
        return {};
    return quint16(port);
}

} // namespace

QString SshTarget::display() const
{
    QString text = user.isEmpty() ? QString() : QString(user + u'@');
    text += host.contains(u':') ? QString(u'[' + host + u']') : host;
    if (port)
        text += u':' + QString::number(*port);
    return text;
}

QString hostInWords(const QString &user, const QString &alias, const QString &address, quint16 port)
{
    constexpr quint16 usualPort = 22;
    const QString where = port == usualPort ? address : u"[%1]:%2"_s.arg(address).arg(port);
    const QString account = user.isEmpty() ? QString() : QString(user + u'@');
    return account + (alias == address ? where : u"%1 (%2)"_s.arg(alias, where));
}

Result<SshTarget> parseTarget(QStringView text)
{
    if (text.isEmpty())
        return usage(text, u"it is empty."_s);
    if (text.size() > maxTargetLength)
        return usage(text, u"it is too long."_s);
    if (std::any_of(text.begin(), text.end(), isBlankOrControl))
        return usage(text, u"it holds a blank or a control character."_s);

    SshTarget target;
    QStringView rest = text;
    if (const qsizetype at = text.lastIndexOf(u'@');
        at >= 0) { // the last one, as ssh does: a user may hold one
        target.user = text.left(at).toString();
        rest = text.mid(at + 1);
        if (target.user.isEmpty())
            return usage(text, u"the user before @ is missing."_s);
        if (target.user.startsWith(u'-'))
            return usage(text, u"a user cannot begin with a dash."_s);
    }

    QStringView host = rest;
    std::optional<QStringView> port;
    if (rest.startsWith(u'[')) {
        const qsizetype close = rest.indexOf(u']');
        if (close < 0)
            return usage(text, u"the bracket is not closed."_s);
        host = rest.mid(1, close - 1);
        const QStringView after = rest.mid(close + 1);
        if (!after.isEmpty() && !after.startsWith(u':'))
            return usage(text, u"only a port may follow the bracket."_s);
        if (!after.isEmpty())
            port = after.mid(1);
    } else if (const qsizetype colon = rest.indexOf(u':'); colon >= 0 && !looksLikeIpv6(rest)) {
        if (rest.indexOf(u':', colon + 1) >= 0)
            return usage(text,
                         u"more than one colon; an IPv6 address with a port stands in brackets."_s);
        host = rest.left(colon);
        port = rest.mid(colon + 1);
    }

    if (host.isEmpty())
        return usage(text, u"the host is missing."_s);
    if (host.startsWith(u'-'))
        return usage(text, u"a host cannot begin with a dash."_s);
    if (std::any_of(host.begin(), host.end(), isForbiddenInHost) || host.contains(u'[')
        || host.contains(u']'))
        return usage(text, u"it holds a character that no host name has."_s);
    if (host.contains(u':') && !looksLikeIpv6(host))
        return usage(text, u"what stands in brackets is not an IPv6 address."_s);
    target.host = host.toString();
    if (port) {
        target.port = portOf(*port);
        if (!target.port)
            return usage(text, u"the port is a number from 1 to 65535."_s);
    }
    return target;
}

} // namespace pilothouse
