// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/sudorefusal.h"

#include "core/base/cleantext.h"

#include <QList>

#include <algorithm>
#include <array>

using namespace Qt::StringLiterals;

namespace pilothouse {

namespace {

using Kind = SudoRefusal::Kind;

struct Said
{
    const char *part; ///< lower case
    Kind kind;
};

// The first that is found counts: what decides stands before what may accompany it.
constexpr std::array said{
    Said{"must have a tty to run sudo", Kind::NeedsTty},
    Said{"is not in the sudoers file", Kind::NotInSudoers},
    Said{"may not run sudo on", Kind::NotInSudoers},
    Said{"is not allowed to run sudo on", Kind::NotInSudoers},
    Said{"i'm afraid i can't do that", Kind::NotInSudoers},
    Said{"is not allowed to execute", Kind::NotAllowed},
    Said{"command not permitted", Kind::NotAllowed},
    Said{"do not exist in the passwd database", Kind::UnknownUser},
    Said{"unknown user", Kind::UnknownUser},
    Said{"unknown uid", Kind::UnknownUser},
    Said{"user not found", Kind::UnknownUser},
    Said{"timed out reading password", Kind::NotGiven},
    Said{"incorrect password attempt", Kind::PasswordWrong},
    Said{"incorrect authentication attempt", Kind::PasswordWrong},
    Said{"incorrect authentication", Kind::PasswordWrong},
    Said{"authentication failed, try again", Kind::PasswordWrong},
    Said{"sorry, try again", Kind::PasswordWrong},
    Said{"no password was provided", Kind::NotGiven},
    Said{"password is expired", Kind::Account},
    Said{"password expired", Kind::Account},
    Said{"account expired", Kind::Account},
    Said{"account validation failure", Kind::Account},
    Said{"account is locked", Kind::Account},
    Said{"account management error", Kind::Account},
    Said{"a password is required", Kind::PasswordNeeded},
    Said{"interactive authentication is required", Kind::PasswordNeeded},
    Said{"authentication is required", Kind::PasswordNeeded},
    Said{"a terminal is required to", Kind::PasswordNeeded},
    Said{"no askpass program", Kind::PasswordNeeded},
    Said{"no new privileges", Kind::Broken},
    Said{"setuid bit", Kind::Broken},
    Said{"'nosuid' option", Kind::Broken},
    Said{"must be setuid", Kind::Broken},
    Said{"parse error in", Kind::Broken},
    Said{"syntax error", Kind::Broken},
    Said{"no valid sudoers sources", Kind::Broken},
    Said{"unable to initialize policy plugin", Kind::Broken},
    Said{"unable to open /etc/sudoers", Kind::Broken},
    Said{"is world writable", Kind::Broken},
    Said{"unable to initialize pam", Kind::Broken},
};

bool isMissing(const QByteArray &text, int exitStatus)
{
    return text.contains("sudo: not found") || text.contains("sudo: command not found")
        || text.contains("sudo: inaccessible or not found") || (exitStatus == 127 && text.contains("sudo"));
}

QString meaningOf(Kind kind)
{
    switch (kind) {
    case Kind::None:
    case Kind::Unknown:
        return u"sudo gives no root shell"_s;
    case Kind::PasswordNeeded:
        return u"sudo wants a password for this, or does not allow it to this account"_s;
    case Kind::NoPerson:
        return u"sudo wants a password, and nobody was asked for it"_s;
    case Kind::NotGiven:
        return u"sudo wants a password, and none was given"_s;
    case Kind::PasswordWrong:
        return u"The password for sudo is wrong"_s;
    case Kind::NotInSudoers:
        return u"sudo's policy on the host gives this account no rights"_s;
    case Kind::NotAllowed:
        return u"sudo's policy on the host allows this account some commands, but no root shell"_s;
    case Kind::NeedsTty:
        return u"sudo on the host insists on a terminal (requiretty)"_s;
    case Kind::Missing:
        return u"This account finds no sudo on the host"_s;
    case Kind::UnknownUser:
        return u"sudo does not know the account"_s;
    case Kind::Account:
        return u"sudo does not accept the account as it is (locked, or a password that has expired)"_s;
    case Kind::Broken:
        return u"sudo itself does not work on the host"_s;
    case Kind::OtherQuestion:
        return u"sudo asks for something else than the password, or for more than that, which cannot be answered from here"_s;
    }
    return {};
}

} // namespace

SudoRefusal readSudoRefusal(QByteArrayView bytes, int exitStatus)
{
    QByteArray text = bytes.first(std::min<qsizetype>(bytes.size(), 4096)).toByteArray();
    text.replace("\r", "").replace('\n', ' ');
    const QString words = cleanLine(text.trimmed(), 300);
    const QByteArray lower = text.toLower();
    const auto found = std::ranges::find_if(said, [&](const Said &each) { return lower.contains(each.part); });
    if (found != said.end())
        return {found->kind, words};
    return {isMissing(lower, exitStatus) ? Kind::Missing : Kind::Unknown, words};
}

QString problemCodeOf(Kind kind)
{
    switch (kind) {
    case Kind::PasswordNeeded:
        return u"host.sudo_password"_s;
    case Kind::NoPerson:
    case Kind::NotGiven:
    case Kind::PasswordWrong:
        return u"host.sudo_password_again"_s;
    case Kind::NotInSudoers:
    case Kind::NotAllowed:
        return u"host.sudo_policy"_s;
    case Kind::NeedsTty:
        return u"host.sudo_tty"_s;
    case Kind::Missing:
        return u"host.sudo_missing"_s;
    default:
        return u"host.sudo_refused"_s;
    }
}

QString sentenceOf(const SudoRefusal &refusal)
{
    const QString meaning = meaningOf(refusal.kind);
    return refusal.words.isEmpty() ? QString(meaning + u'.') : u"%1 (it said: %2)."_s.arg(meaning, refusal.words);
}

} // namespace pilothouse
