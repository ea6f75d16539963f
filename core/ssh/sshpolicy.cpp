// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/cleantext.h"
#include "core/ssh/sshconfig.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Policy = SshKeywordPolicy;

struct Row
{
    const char16_t *keyword;
    Policy policy;
    const char16_t *refusal = u""; ///< the second sentence that a person is told
};

// The reasons for each row stand in README.md; tst_sshpolicy holds the two against each other and
// against the ssh here.
constexpr std::array rows{
    Row{u"addressfamily", Policy::Honoured},
    Row{u"batchmode", Policy::Honoured},
    Row{u"bindaddress", Policy::Honoured},
    Row{u"bindinterface", Policy::Honoured},
    Row{u"certificatefile", Policy::Honoured},
    Row{u"ciphers", Policy::Honoured},
    Row{u"connecttimeout", Policy::Honoured},
    Row{u"hashknownhosts", Policy::Honoured},
    Row{u"hostkeyalgorithms", Policy::Honoured},
    Row{u"hostkeyalias", Policy::Honoured},
    Row{u"hostname", Policy::Honoured},
    Row{u"identitiesonly", Policy::Honoured},
    Row{u"identityagent", Policy::Honoured},
    Row{u"identityfile", Policy::Honoured},
    Row{u"globalknownhostsfile", Policy::Honoured},
    Row{u"kbdinteractiveauthentication", Policy::Honoured},
    Row{u"kexalgorithms", Policy::Honoured},
    Row{u"macs", Policy::Honoured},
    Row{u"passwordauthentication", Policy::Honoured},
    Row{u"port", Policy::Honoured},
    Row{u"preferredauthentications", Policy::Honoured},
    Row{u"proxycommand", Policy::Honoured},
    Row{u"proxyjump", Policy::Honoured},
    Row{u"pubkeyacceptedalgorithms", Policy::Honoured},
    Row{u"pubkeyauthentication", Policy::Honoured},
    Row{u"rekeylimit", Policy::Honoured},
    Row{u"requiredrsasize", Policy::Honoured},
    Row{u"serveralivecountmax", Policy::Honoured},
    Row{u"serveraliveinterval", Policy::Honoured},
    Row{u"stricthostkeychecking", Policy::Honoured},
    Row{u"user", Policy::Honoured},
    Row{u"userknownhostsfile", Policy::Honoured},

    Row{u"knownhostscommand", Policy::Refused,
        u"This version does not run a command for host keys, and does not check a host by less "
        u"than ssh would."},
    Row{u"proxyusefdpass", Policy::Refused,
        u"This version takes no connected socket from a ProxyCommand."},
    Row{u"refuseconnection", Policy::Refused, u"The configuration forbids this connection."},
    Row{u"revokedhostkeys", Policy::Refused,
        u"This version does not read lists of revoked host keys, and does not check a host by less "
        u"than ssh would."},

    Row{u"addkeystoagent", Policy::Harmless},
    Row{u"canonicaldomains", Policy::Harmless},
    Row{u"canonicalizefallbacklocal", Policy::Harmless},
    Row{u"canonicalizehostname", Policy::Harmless},
    Row{u"canonicalizemaxdots", Policy::Harmless},
    Row{u"canonicalizepermittedcnames", Policy::Harmless},
    Row{u"casignaturealgorithms", Policy::Harmless},
    Row{u"challengeresponseauthentication", Policy::Harmless},
    Row{u"channeltimeout", Policy::Harmless},
    Row{u"checkhostip", Policy::Harmless},
    Row{u"clearallforwardings", Policy::Harmless},
    Row{u"compression", Policy::Harmless},
    Row{u"connectionattempts", Policy::Harmless},
    Row{u"controlmaster", Policy::Harmless},
    Row{u"controlpath", Policy::Harmless},
    Row{u"controlpersist", Policy::Harmless},
    Row{u"dynamicforward", Policy::Harmless},
    Row{u"enableescapecommandline", Policy::Harmless},
    Row{u"enablesshkeysign", Policy::Harmless},
    Row{u"escapechar", Policy::Harmless},
    Row{u"exitonforwardfailure", Policy::Harmless},
    Row{u"fingerprinthash", Policy::Harmless},
    Row{u"forkafterauthentication", Policy::Harmless},
    Row{u"forwardagent", Policy::Harmless},
    Row{u"forwardx11", Policy::Harmless},
    Row{u"forwardx11timeout", Policy::Harmless},
    Row{u"forwardx11trusted", Policy::Harmless},
    Row{u"gatewayports", Policy::Harmless},
    Row{u"gssapiauthentication", Policy::Harmless},
    Row{u"gssapiclientidentity", Policy::Harmless},
    Row{u"gssapidelegatecredentials", Policy::Harmless},
    Row{u"gssapikexalgorithms", Policy::Harmless},
    Row{u"gssapikeyexchange", Policy::Harmless},
    Row{u"gssapirenewalforcesrekey", Policy::Harmless},
    Row{u"gssapiserveridentity", Policy::Harmless},
    Row{u"gssapitrustdns", Policy::Harmless},
    Row{u"host", Policy::Harmless},
    Row{u"hostbasedacceptedalgorithms", Policy::Harmless},
    Row{u"hostbasedauthentication", Policy::Harmless},
    Row{u"ignoreunknown", Policy::Harmless},
    Row{u"ipqos", Policy::Harmless},
    Row{u"kbdinteractivedevices", Policy::Harmless},
    Row{u"localcommand", Policy::Harmless},
    Row{u"localforward", Policy::Harmless},
    Row{u"loglevel", Policy::Harmless},
    Row{u"logverbose", Policy::Harmless},
    Row{u"nohostauthenticationforlocalhost", Policy::Harmless},
    Row{u"numberofpasswordprompts", Policy::Harmless},
    Row{u"obscurekeystroketiming", Policy::Harmless},
    Row{u"permitlocalcommand", Policy::Harmless},
    Row{u"permitremoteopen", Policy::Harmless},
    Row{u"pkcs11provider", Policy::Harmless},
    Row{u"remotecommand", Policy::Harmless},
    Row{u"remoteforward", Policy::Harmless},
    Row{u"requesttty", Policy::Harmless},
    Row{u"securitykeyprovider", Policy::Harmless},
    Row{u"sendenv", Policy::Harmless},
    Row{u"sessiontype", Policy::Harmless},
    Row{u"setenv", Policy::Harmless},
    Row{u"stdinnull", Policy::Harmless},
    Row{u"streamlocalbindmask", Policy::Harmless},
    Row{u"streamlocalbindunlink", Policy::Harmless},
    Row{u"syslogfacility", Policy::Harmless},
    Row{u"tag", Policy::Harmless},
    Row{u"tcpkeepalive", Policy::Harmless},
    Row{u"tunnel", Policy::Harmless},
    Row{u"tunneldevice", Policy::Harmless},
    Row{u"updatehostkeys", Policy::Harmless},
    Row{u"verifyhostkeydns", Policy::Harmless},
    Row{u"versionaddendum", Policy::Harmless},
    Row{u"visualhostkey", Policy::Harmless},
    Row{u"warnweakcrypto", Policy::Harmless},
    Row{u"xauthlocation", Policy::Harmless},
};

/// "no" for the one that is printed always.
bool isOff(const QString &value)
{
    return value.isEmpty() || value == "no"_L1 || value.compare("none"_L1, Qt::CaseInsensitive) == 0;
}

} // namespace

SshKeywordPolicy policyOf(QStringView keyword)
{
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const Row &r) { return keyword == QStringView(r.keyword); });
    return row == rows.end() ? Policy::Unknown : row->policy;
}

QStringList keywordsWith(SshKeywordPolicy policy)
{
    QStringList keywords;
    for (const Row &row : rows) {
        if (row.policy == policy)
            keywords += QString::fromUtf16(row.keyword);
    }
    return keywords;
}

Result<void> checkSshConfig(const ResolvedHost &host)
{
    for (const Row &row : rows) {
        if (row.policy != Policy::Refused)
            continue;
        for (const QString &value : host.all.value(QString::fromUtf16(row.keyword))) {
            if (isOff(value))
                continue;
            return fail(ErrorCode::SshConfigRefused,
                        u"The SSH configuration of %1 sets %2 to “%3”. %4"_s.arg(
                            cleanLine(QStringView(host.alias), 128),
                            QString::fromUtf16(row.keyword), cleanLine(QStringView(value), 200),
                            QString::fromUtf16(row.refusal)));
        }
    }
    return {};
}

} // namespace pilothouse
