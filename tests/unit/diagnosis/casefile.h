// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A case of tests/data/cases: a host as text, and what must be said of it. The format is told in that folder's README.

#include "core/diagnosis/diagnose.h"

#include <QMap>

namespace pilothouse::test {

struct ExpectedProcess
{
    qint64 pid = 0;
    QString verdict;
    QString action;
    QString rule;      ///< empty: not asked
    QString says;      ///< part of one evidence sentence; empty: not asked
    QString line;      ///< for a message
};

struct ExpectedFamily
{
    QString head;      ///< PID or "none"
    QString verdict;
    QList<qint64> members;
    QString service;
    QStringList causes;
    QStringList modifiers;
    QString story;     ///< part of one line
    QString line;
};

struct Expected
{
    QString state;
    QString heldMib;         ///< a number, "unknown", or empty: not asked
    QString reclaimableMib;
    QString since;           ///< "known", "unknown" or empty
    QString says;
    QStringList causes;
    QList<ExpectedProcess> processes;
    QList<ExpectedFamily> families;
    QMap<int, QStringList> gpus; ///< index to held, reclaimable, unattributed
};

struct Case
{
    QString title;
    QString error;           ///< what could not be read, with its line
    Snapshot before;         ///< ten seconds earlier, or "before-age"
    Snapshot now;
    LoginRights login;
    QList<WatchedService> services;
    QHash<quint16, PortAnswer> ports;
    QSet<qint64> ownPids;
    QDateTime endedAt;
    Expected cold;
    Expected warm;
};

[[nodiscard]] Case parseCase(const QByteArray &text);

/// What is wrong with the diagnosis; empty: nothing.
[[nodiscard]] QStringList complaints(const Case &one, bool warm);

[[nodiscard]] Diagnosis diagnosed(const Case &one, bool warm);

} // namespace pilothouse::test
