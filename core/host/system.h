// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a snapshot says of the host beside its GPUs and processes. Values, any thread. Host memory in KiB.

#include "core/base/quantity.h"

#include <QList>
#include <QString>

#include <optional>

namespace pilothouse {

struct ListeningPort
{
    QString address;          ///< numeric, IPv6 without brackets
    quint16 port = 0;
    Quantity<qint64> pid;     ///< unknown: no_permission or absent

    friend bool operator==(const ListeningPort &, const ListeningPort &) = default;
};

struct ShmFile
{
    QString path;             ///< cleaned, for display
    qint64 kib = 0;
    qint64 uid = -1;
    quint64 device = 0;
    quint64 inode = 0;
    std::optional<QList<qint64>> mappedBy; ///< PIDs; no value: could not be told for every process
    UnknownReason mappedByUnknown = UnknownReason::NoPermission; ///< why; only meaningful without mappedBy

    friend bool operator==(const ShmFile &, const ShmFile &) = default;
};

struct LoginSession
{
    QString name;             ///< "session-3.scope"
    QString user;
    Quantity<double> idleS;

    friend bool operator==(const LoginSession &, const LoginSession &) = default;
};

struct SystemFacts
{
    Quantity<qint64> memoryAvailableKib;
    Quantity<qint64> memoryTotalKib;
    Quantity<double> load1;
    Quantity<qint64> oomKills;
    Quantity<int> pciGpus;    ///< NVIDIA display controllers on the PCI bus
    QStringList pciBusIds;    ///< theirs, normalised as Gpu::busId
    bool container = false;   ///< the shell is inside a container
    bool hidepid = false;     ///< other users' processes are hidden from this account
    std::optional<QList<LoginSession>> sessions; ///< who is logged in; no value: not asked
    bool root = false;        ///< the probe ran as root (signed in so, or through sudo)

    friend bool operator==(const SystemFacts &, const SystemFacts &) = default;
};

struct Problem
{
    enum class Severity { Notice, Warning, Critical };
    QString code;             ///< stable, dotted, lower case: "gpu.reset_required"
    Severity severity = Severity::Notice;
    std::optional<int> gpu;   ///< index, where one card is meant
    QString text;             ///< one English sentence
    QString advice;           ///< what to do; may be empty

    friend bool operator==(const Problem &, const Problem &) = default;
};

} // namespace pilothouse
