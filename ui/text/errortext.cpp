// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/errortext.h"

#include <QCoreApplication>
#include <QStringList>

#include <array>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

struct Row
{
    ErrorCode code;
    const char *word;
    const char *what;
    const char *advice;
};

#define T(text) QT_TRANSLATE_NOOP("ErrorText", text)
constexpr std::array rows{
    Row{ErrorCode::Usage, T("name not usable"), T("This name cannot be used as a target"),
        T("Write an alias of the SSH configuration or [user@]host[:port].")},
    Row{ErrorCode::Cancelled, T("stopped"), T("Stopped on request"), T("Retry when you are ready.")},
    Row{ErrorCode::LocalIo, T("local failure"), T("Something failed on this machine"), ""},
    Row{ErrorCode::InventoryInvalid, T("hosts.toml broken"), T("hosts.toml cannot be used"),
        T("Mend what is named; nothing was changed.")},
    Row{ErrorCode::Internal, T("program fault"), T("A fault in this program"), T("Report it with the text above.")},
    Row{ErrorCode::SshConfigInvalid, T("SSH configuration"), T("The SSH configuration cannot be used"),
        T("Try ssh -G with the same name in a terminal.")},
    Row{ErrorCode::SshConfigRefused, T("not supported"),
        T("The SSH configuration asks for something that is not supported here"), ""},
    Row{ErrorCode::NameNotResolved, T("name not known"), T("The host name is not known"),
        T("Check the name, the network and the resolver.")},
    Row{ErrorCode::ConnectRefused, T("refused"), T("The host refuses the connection"),
        T("Is sshd running there, and on this port?")},
    Row{ErrorCode::Unreachable, T("not reachable"), T("The host cannot be reached"),
        T("Check the network, the VPN and the address.")},
    Row{ErrorCode::ConnectTimeout, T("no answer"), T("The host does not answer"),
        T("Is it up, and does a firewall drop the packets?")},
    Row{ErrorCode::NotSsh, T("not SSH"), T("That port is not an SSH server"), T("Check the port.")},
    Row{ErrorCode::HandshakeFailed, T("handshake failed"), T("The SSH handshake failed"), ""},
    Row{ErrorCode::ConnectionLost, T("connection lost"), T("The connection was lost"), ""},
    Row{ErrorCode::HostKeyUnknown, T("host key unknown"), T("The host key is not known"),
        T("Retry, compare the fingerprint, then accept it once.")},
    Row{ErrorCode::HostKeyChanged, T("host key CHANGED"), T("The host key has changed"),
        T("Somebody may be listening in, or the host was installed anew. Ask its owner; then remove the old line.")},
    Row{ErrorCode::HostKeyRevoked, T("host key REVOKED"), T("The host key is revoked"),
        T("Do not connect. Ask the owner of the host.")},
    Row{ErrorCode::SignInRefused, T("sign-in refused"), T("The host refuses the sign-in"),
        T("Check the user name and the keys (ssh-add -l), then retry.")},
    Row{ErrorCode::SignInTimeout, T("sign-in too slow"), T("The sign-in took too long"), ""},
    Row{ErrorCode::SignInNeedsPerson, T("needs an answer"), T("The sign-in needs an answer from a person"),
        T("Load the key into the agent, or retry and answer.")},
    Row{ErrorCode::ChannelRefused, T("session refused"), T("The host allows no further session"),
        T("Raise MaxSessions in its sshd_config, or close other sessions.")},
    Row{ErrorCode::ShellUnusable, T("no usable shell"), T("This account cannot run commands"),
        T("Check its login shell and start-up files.")},
    Row{ErrorCode::ToolMissing, T("tool missing"), T("The host lacks a tool"), ""},
    Row{ErrorCode::DriverFault, T("driver fault"), T("The GPU driver reports a fault"), ""},
    Row{ErrorCode::NoRights, T("no rights"), T("This account lacks the rights"), ""},
    Row{ErrorCode::SudoRefused, T("sudo refuses"), T("sudo refuses"),
        T("Check the sudoers rule, or set sudo = \"never\" for this host.")},
    Row{ErrorCode::AnswerMalformed, T("answer unreadable"), T("The host's answer cannot be read"), ""},
    Row{ErrorCode::AnswerTooLarge, T("answer too large"), T("The host's answer is too large"), ""},
    Row{ErrorCode::AnswerTruncated, T("answer cut off"), T("The host's answer is incomplete"), ""},
    Row{ErrorCode::Timeout, T("too slow"), T("The host took too long to answer"), ""},
    Row{ErrorCode::ReadOnly, T("read-only"), T("This host is read-only"), ""},
    Row{ErrorCode::RefusedBySafety, T("refused"), T("Refused by a safety rule"), ""},
};
#undef T

const Row &rowOf(ErrorCode code)
{
    for (const Row &row : rows) {
        if (row.code == code)
            return row;
    }
    return rows[4]; // Internal; unreachable while the table is complete (tst_errortext)
}

QString translated(const char *text)
{
    return *text ? QCoreApplication::translate("ErrorText", text) : QString();
}

} // namespace

ErrorText textOf(const Error &error)
{
    const Row &row = rowOf(error.code);
    ErrorText text;
    text.word = translated(row.word);
    text.what = translated(row.what);
    text.why = error.detail;
    text.advice = error.advice.isEmpty() ? translated(row.advice) : error.advice;
    return text;
}

QString paragraphOf(const Error &error)
{
    const ErrorText text = textOf(error);
    QStringList sentences{QString(text.what + u'.')};
    if (!text.why.isEmpty())
        sentences << text.why;
    if (!text.advice.isEmpty())
        sentences << text.advice;
    return sentences.join(text.why.contains(u'\n') ? u'\n' : u' ');
}

} // namespace pilothouse
