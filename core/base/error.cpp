// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"

#include <array>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

struct Row
{
    ErrorCode code;
    int exitCode;
    const char16_t *name;
    const char16_t *summary;
    const char16_t *advice;
};

constexpr std::array rows{
    Row{ErrorCode::Usage, 2, u"usage", u"The command cannot be understood", u"See --help."},
    Row{ErrorCode::Cancelled, 130, u"cancelled", u"Stopped on request", u""},
    Row{ErrorCode::LocalIo, 8, u"local_io", u"Something failed on this machine", u""},
    Row{ErrorCode::InventoryInvalid, 8, u"inventory_invalid", u"hosts.toml cannot be used",
        u"Mend what is named; nothing was changed."},
    Row{ErrorCode::Internal, 8, u"internal", u"A fault in this program", u""},
    Row{ErrorCode::SshConfigInvalid, 3, u"ssh_config_invalid",
        u"The SSH configuration cannot be used", u"Try `ssh -G` with the same name."},
    Row{ErrorCode::SshConfigRefused, 3, u"ssh_config_refused",
        u"The SSH configuration asks for something that is not supported here", u""},
    Row{ErrorCode::NameNotResolved, 3, u"name_not_resolved", u"The host name is not known",
        u"Check the name, the network and the resolver."},
    Row{ErrorCode::ConnectRefused, 3, u"connect_refused", u"The host refuses the connection",
        u"Is sshd running there, and on this port?"},
    Row{ErrorCode::Unreachable, 3, u"unreachable", u"The host cannot be reached",
        u"Check the network, the VPN and the address."},
    Row{ErrorCode::ConnectTimeout, 3, u"connect_timeout", u"The host does not answer",
        u"Is it up, and does a firewall drop the packets?"},
    Row{ErrorCode::NotSsh, 3, u"not_ssh", u"That port is not an SSH server", u"Check the port."},
    Row{ErrorCode::HandshakeFailed, 3, u"handshake_failed", u"The SSH handshake failed", u""},
    Row{ErrorCode::ConnectionLost, 3, u"connection_lost", u"The connection was lost", u""},
    Row{ErrorCode::HostKeyUnknown, 5, u"host_key_unknown", u"The host key is not known",
        u"Compare the fingerprint, then accept it once (--accept-new-host-key)."},
    Row{ErrorCode::HostKeyChanged, 5, u"host_key_changed", u"The host key has changed",
        u"Somebody may be listening in, or the host was installed anew. Ask its owner; only then "
        u"remove the old line."},
    Row{ErrorCode::HostKeyRevoked, 5, u"host_key_revoked", u"The host key is revoked",
        u"Do not connect. Ask the owner of the host."},
    Row{ErrorCode::SignInRefused, 4, u"sign_in_refused", u"The host refuses the sign-in",
        u"Check the user name and the keys (`ssh-add -l`)."},
    Row{ErrorCode::SignInTimeout, 4, u"sign_in_timeout", u"The sign-in took too long", u""},
    Row{ErrorCode::SignInNeedsPerson, 4, u"sign_in_needs_person",
        u"The sign-in needs an answer from a person",
        u"Load the key into the agent, or run this where a question can be asked."},
    Row{ErrorCode::ChannelRefused, 6, u"channel_refused", u"The host allows no further session",
        u"Raise MaxSessions in its sshd_config, or close other sessions."},
    Row{ErrorCode::ShellUnusable, 6, u"shell_unusable", u"This account cannot run commands",
        u"Check its login shell and start-up files."},
    Row{ErrorCode::ToolMissing, 6, u"tool_missing", u"The host lacks a tool", u""},
    Row{ErrorCode::DriverFault, 6, u"driver_fault", u"The GPU driver reports a fault", u""},
    Row{ErrorCode::NoRights, 6, u"no_rights", u"This account lacks the rights", u""},
    Row{ErrorCode::SudoRefused, 6, u"sudo_refused", u"sudo refuses", u""},
    Row{ErrorCode::AnswerMalformed, 6, u"answer_malformed", u"The host's answer cannot be read",
        u""},
    Row{ErrorCode::AnswerTooLarge, 6, u"answer_too_large", u"The host's answer is too large", u""},
    Row{ErrorCode::AnswerTruncated, 6, u"answer_truncated", u"The host's answer is incomplete",
        u""},
    Row{ErrorCode::Timeout, 3, u"timeout", u"The host took too long to answer", u""},
    Row{ErrorCode::ReadOnly, 7, u"read_only", u"This host is read-only", u""},
    Row{ErrorCode::RefusedBySafety, 7, u"refused", u"Refused by a safety rule", u""},
};

const Row &rowOf(ErrorCode code)
{
    for (const Row &row : rows) {
        if (row.code == code)
            return row;
    }
    return rows[4]; // Internal; unreachable while the table is complete (tst_error)
}

} // namespace

QString nameOf(ErrorCode code)
{
    return QString::fromUtf16(rowOf(code).name);
}

QString summaryOf(ErrorCode code)
{
    return QString::fromUtf16(rowOf(code).summary);
}

QString adviceOf(ErrorCode code)
{
    return QString::fromUtf16(rowOf(code).advice);
}

QString sentenceOf(const Error &error)
{
    QString text = summaryOf(error.code);
    text += error.detail.isEmpty() ? u"."_s : u": "_s + error.detail;
    if (!text.endsWith(u'.') && !text.endsWith(u'?') && !text.endsWith(u'\n'))
        text += u'.';
    const QString advice = error.advice.isEmpty() ? adviceOf(error.code) : error.advice;
    if (!advice.isEmpty())
        text += (error.detail.contains(u'\n') ? u'\n' : u' ') + advice;
    return text;
}

int exitCodeOf(ErrorCode code)
{
    return rowOf(code).exitCode;
}

} // namespace pilothouse
