// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One tick's answer, unframed and decoded but not yet understood: the border between the driver of the script
// (frames, records, time limits) and the pure part (parsers, assemble). All bytes are the host's own, hostile and raw.
// Plain values, any thread.

#include "core/host/snapshot.h"

#include <QByteArray>
#include <QHash>
#include <QList>

#include <optional>

namespace pilothouse {

/// Output of one command on the host.
struct RawSection
{
    bool asked = false;
    bool complete = false;    ///< its END frame came and agreed with its bytes; otherwise `trouble` says why not
    int exitStatus = -1;      ///< of the command itself; 128 + n for a signal
    double startedAt = 0;     ///< host uptime in seconds, steps of 0.01
    double endedAt = 0;
    QByteArray output;
    QByteArray errors;        ///< standard error, bounded
    QString trouble;          ///< English, for gpu_source.message and problems

    [[nodiscard]] bool usable() const { return asked && complete; }
};

/// An open socket or pipe.
struct RawDescriptor
{
    int fd = -1;
    bool pipe = false;
    quint64 inode = 0;
};

struct RawProcess
{
    qint64 pid = 0;
    QByteArray stat;          ///< /proc/PID/stat whole, line feeds in comm included; empty: not readable or gone
    qint64 uid = -1;          ///< -1: not readable
    QByteArray cmdline;       ///< NUL separated, at most some KiB
    bool cmdlineCut = false;
    QByteArray cgroup;        ///< /proc/PID/cgroup whole
    bool unitMember = false;  ///< stands in cgroup.procs of a named unit
    bool ruleMatch = false;   ///< its command line matched the rules' patterns
    bool readable = true;     ///< false: the directory is there but may not be read
    std::optional<QList<QByteArray>> devices; ///< deep: link targets below /dev/nvidia*; no value: not looked at
    bool descriptorsDenied = false; ///< deep: this account may not list its descriptors
    std::optional<QList<RawDescriptor>> ends; ///< deep: its sockets and pipes; no value: not looked at, or not all of it
    QByteArray status;        ///< deep: lines of /proc/PID/status and "wchan:PLACE"
    QByteArray network;       ///< deep: one of HostAnswer::connections; empty: cannot be told
};

struct RawShmFile
{
    QByteArray path;
    qint64 bytes = 0;
    qint64 uid = -1;
    quint64 device = 0;
    quint64 inode = 0;
    std::optional<QList<qint64>> mappedBy;
    UnknownReason mappedByUnknown = UnknownReason::NoPermission; ///< only meaningful without mappedBy
};

/// How the GPU tool fared, beside its output.
struct SmiRun
{
    GpuSource::Status status = GpuSource::Status::Absent;
    QStringList askedFields;        ///< of --query-gpu, in order
    RawSection gpus;                ///< --query-gpu=…, csv,noheader,nounits
    RawSection apps;                ///< --query-compute-apps=gpu_uuid,pid,used_memory,process_name, csv,noheader,nounits
    RawSection mig;                 ///< -q of MIG cards, deep or rarely; not asked otherwise
    std::optional<qint64> stuckPid; ///< of an nvidia-smi that lives on in spite of its time limit
    std::optional<double> stuckSinceUptime;
    bool tooLong = false;           ///< it said more than anybody can mean; the script kept none of it
};

struct HostAnswer
{
    quint64 tick = 0;
    Depth depth = Depth::Light;
    QString bootId;
    QString kernel;
    int clockTicks = 100;     ///< per second
    int pageKib = 4;
    double uptimeBefore = 0;  ///< seconds
    double uptimeAfter = 0;
    bool root = false;
    QString sudoTrouble;      ///< a sentence, cleaned, where sudo was wanted and refused; the probe went on without
    QString sudoProblem;      ///< the code of the problem that says so
    bool container = false;
    bool hidepid = false;     ///< /proc/1 cannot be read by this account
    bool systemd = true;      ///< runs this host
    bool systemctl = true;    ///< the command is there for this account
    QHash<qint64, QString> users; ///< uid to name, cleaned

    std::optional<QList<RawProcess>> processes; ///< no value: the scan failed, `processTrouble` says why
    QString processTrouble;
    bool matchLimitHit = false; ///< more matches than the script sends
    RawSection units;         ///< systemctl show of the system units, TZ=UTC
    RawSection userUnits;
    RawSection meminfo;       ///< /proc/meminfo
    RawSection loadavg;
    RawSection vmstat;        ///< /proc/vmstat (oom_kill)
    RawSection pci;           ///< lines "0000:01:00.0 0x10de 0x030200": address, vendor, class
    SmiRun smi;

    // deep only
    RawSection tcp;           ///< /proc/net/tcp and tcp6, state 0A lines
    QHash<quint64, qint64> socketOwners; ///< socket inode to PID
    bool socketOwnersComplete = false;   ///< every process could be looked at
    bool descriptorsFailed = false;      ///< the pass over descriptors did not come: not a matter of rights
    std::optional<QList<RawShmFile>> shm;
    QHash<QByteArray, QByteArray> connections; ///< by network: lines of /proc/net/tcp and tcp6, established
    QHash<qint64, QByteArray> names; ///< deep: comm of processes by PID, parents too
    RawSection sessions;      ///< of logind, where it keeps them
    RawSection kernelLog;     ///< short-iso or dmesg lines with NVRM, Xid, oom …, newest last

    qint64 bytes = 0;
    double roundTripMs = 0;
};

} // namespace pilothouse
