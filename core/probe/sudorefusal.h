// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Why sudo gave no root shell, as far as sudo tells: read from what it and the shell wrote (in the C locale). The words
// are those of sudo 1.8 to 1.9 and sudo-rs. Pure, any thread.

#include <QByteArrayView>
#include <QString>

namespace pilothouse {

struct SudoRefusal
{
    enum class Kind {
        None,
        PasswordNeeded, ///< and sudo was not to ask for it
        NoPerson,       ///< it needs one, and nobody could be asked now
        NotGiven,       ///< the person declined, or sudo waited too long
        PasswordWrong,
        NotInSudoers,   ///< the account may run nothing
        NotAllowed,     ///< the account may run something else
        NeedsTty,       ///< requiretty
        Missing,        ///< no sudo there
        UnknownUser,    ///< the account, or root, is none
        Account,        ///< expired, locked: PAM's refusal
        Broken,         ///< sudo itself cannot work there
        OtherQuestion,  ///< it asked for something else than the password
        Unknown,
    };
    Kind kind = Kind::None;
    QString words; ///< what was said, cleaned

    friend bool operator==(const SudoRefusal &, const SudoRefusal &) = default;
};

/// `exitStatus` as the shell's, -1 when unknown.
[[nodiscard]] SudoRefusal readSudoRefusal(QByteArrayView said, int exitStatus);

/// The code of the problem that the snapshot names, and what happened, a sentence.
[[nodiscard]] QString problemCodeOf(SudoRefusal::Kind kind);
[[nodiscard]] QString sentenceOf(const SudoRefusal &refusal);

} // namespace pilothouse
