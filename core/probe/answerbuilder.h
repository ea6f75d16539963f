// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Makes one HostAnswer of the answers of the two channels (or of the one that does both). Pure, any
// thread.

#include "core/probe/frames.h"
#include "core/probe/hostanswer.h"
#include "core/probe/proberequest.h"
#include "core/probe/records.h"

#include <QHash>
#include <QString>

#include <chrono>

namespace pilothouse {

/// What a shell said of its host when it became ready.
struct HostFacts
{
    QString bootId;
    QString kernel;
    int clockTicks = 100;
    int pageKib = 4;
    qint64 uid = -1;
    bool container = false;
    bool hidepid = false;
    bool systemd = true; ///< runs this host
    bool systemctl = true; ///< the command is there for this account
    Encoding encoding = Encoding::Base64;
    RawSection pci;
};

/// Errors: AnswerMalformed when the READY answer lacks what every host has.
[[nodiscard]] Result<HostFacts> readFacts(const ProbeAnswer &ready);

struct TickAnswers
{
    ProbeRequest request;
    std::optional<ProbeAnswer>
        kernel; ///< holds the driver's sections too where one channel does both
    std::optional<ProbeAnswer> driver;
    QString driverTrouble; ///< why `driver` did not come, or not whole
    bool driverTimedOut = false;
    std::chrono::milliseconds smiLimit{5'000};
};

struct BuiltTick
{
    HostAnswer answer;
    QList<qint64>
        described; ///< PIDs whose details the kernel's answer brought, for the next request
    QList<qint64> suspects; ///< PIDs of nvidia-smi that are stuck or may be, for the next request
};

/// What the last tick's sections were read as: bytes that come again are not read again, and give
/// the same as without. A value that the caller keeps from tick to tick; as large as one answer.
struct AnswerMemo
{
    struct Described
    {
        RawProcess process; ///< without its owner and what it is to the tick
        std::optional<StatHead> head; ///< none: gone while it was read
    };

    std::optional<Encoding> encoding;
    QByteArray records; ///< of `procs`, as they came
    QList<Described> described;
    QByteArray smi; ///< the section of that name
    QHash<QByteArray, QByteArray> smiSaid;
    QStringList smiFields;
};

/// `users` is what earlier ticks learned and gains what this one did.
/// Errors: AnswerMalformed when there is no kernel's answer at all.
[[nodiscard]] Result<BuiltTick> buildAnswer(const HostFacts &facts, const TickAnswers &tick,
                                            QHash<qint64, QString> &users, AnswerMemo &memo);
[[nodiscard]] inline Result<BuiltTick> buildAnswer(const HostFacts &facts, const TickAnswers &tick,
                                                   QHash<qint64, QString> &users)
{
    AnswerMemo none;
    return buildAnswer(facts, tick, users, none);
}

} // namespace pilothouse
