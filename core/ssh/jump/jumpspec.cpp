// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/jump/jumpspec.h"

#include "core/base/cleantext.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr auto jumpHostStart = "jump host "_L1;

} // namespace

Result<QString> withProxyTokens(const QString &written, const ResolvedHost &host)
{
    QString text;
    text.reserve(written.size());
    for (qsizetype i = 0; i < written.size(); ++i) {
        if (written[i] != u'%') {
            text += written[i];
            continue;
        }
        const QChar letter = ++i < written.size() ? written[i] : QChar();
        switch (letter.unicode()) {
        case u'%':
            text += u'%';
            break;
        case u'h':
            text += host.hostName;
            break;
        case u'n':
            text += host.alias;
            break;
        case u'p':
            text += QString::number(host.port);
            break;
        case u'r':
            text += host.user;
            break;
        default:
            return fail(ErrorCode::SshConfigInvalid,
                        u"ssh knows no token %%1 here."_s.arg(cleanLine(QStringView(&letter, 1))));
        }
    }
    return text;
}

Result<JumpSpec> jumpSpecOf(const ResolvedHost &host)
{
    const auto invalid = [&](const QString &why) {
        return fail(ErrorCode::SshConfigInvalid, u"The ProxyJump “%1” of %2 cannot be used: %3"_s.arg(
                                                     cleanLine(host.proxyJump, 200), cleanLine(host.alias, 128), why));
    };
    // Split before the tokens: what a token stands for is no list.
    const qsizetype comma = host.proxyJump.lastIndexOf(u',');
    const Result<QString> last = withProxyTokens(host.proxyJump.mid(comma + 1), host);
    const Result<QString> before = withProxyTokens(comma < 0 ? QString() : host.proxyJump.left(comma), host);
    if (!last || !before)
        return invalid((last ? before : last).error().detail);
    const Result<SshTarget> hop = parseTarget(*last);
    if (!hop)
        return invalid(hop.error().detail);
    return JumpSpec{*hop, *before};
}

Error atJumpHost(const QString &name, Error error)
{
    error.detail = error.detail.isEmpty() ? u"at the jump host %1."_s.arg(name)
                                          : u"at the jump host %1: %2"_s.arg(name, error.detail);
    return error;
}

QString jumpHostOf(const Error &error)
{
    constexpr auto start = "at the jump host "_L1;
    if (!error.detail.startsWith(start))
        return {};
    const QString rest = error.detail.mid(start.size());
    const qsizetype end = rest.indexOf(": "_L1); // a name holds no blank
    return end < 0 ? rest.chopped(1) : rest.left(end);
}

Error beyondJumpHost(const QString &name, Error error)
{
    error.detail = u"the jump host %1 %2"_s.arg(name, error.detail);
    return error;
}

bool isBeyondJumpHost(ErrorCode code)
{
    return code == ErrorCode::NameNotResolved || code == ErrorCode::ConnectRefused || code == ErrorCode::Unreachable
        || code == ErrorCode::ConnectTimeout;
}

QString wordsOfJumpHost(const QString &name, const QString &words)
{
    return words.startsWith(jumpHostStart) ? words : QString(jumpHostStart + name + u": "_s + words);
}

QString jumpHostOf(const QString &words)
{
    const qsizetype end = words.indexOf(": "_L1);
    return words.startsWith(jumpHostStart) && end > 0 ? words.sliced(jumpHostStart.size(), end - jumpHostStart.size())
                                                      : QString();
}

} // namespace pilothouse
