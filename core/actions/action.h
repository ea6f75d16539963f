// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What may be done to a host, and what came of it. Plain values, any thread.

#include "core/actions/journalline.h"
#include "core/base/error.h"
#include "core/base/http.h"
#include "core/base/ids.h"
#include "core/host/unit.h"
#include "core/units/unitreading.h"

#include <QHash>
#include <QList>
#include <QString>
#include <QStringList>

#include <chrono>
#include <optional>
#include <utility>

namespace pilothouse {

/// Who acts: stands in the host's lock and log, and in the audit.
struct Actor
{
    QString console;     ///< consoleId() of core/audit
    QString person;      ///< "ada@desk"
    QString host;        ///< name in the inventory
    QString auditFolder; ///< where audit.jsonl lies
};

struct SignalTarget
{
    ProcessIdentity identity;
    std::optional<qint64> uid; ///< as it was diagnosed; another one now means a fresh diagnosis
    QString cgroup;            ///< the same; empty: not compared
    QString name;              ///< for people and the audit, cleaned

    friend bool operator==(const SignalTarget &, const SignalTarget &) = default;
};

/// A file of /dev/shm as it was seen; another one under its name is not touched.
struct ShmTarget
{
    QString name;       ///< without folder
    quint64 device = 0;
    quint64 inode = 0;
    qint64 uid = 0;

    friend bool operator==(const ShmTarget &, const ShmTarget &) = default;
};

/// Letters, digits and "._+-", not beginning with a dot: what a script may carry and remove.
[[nodiscard]] bool isShmName(QStringView name);

struct ActionRequest
{
    enum class Kind {
        Begin,     ///< takes the lock, says who else is here
        Look,      ///< which of the targets are still there; keeps the lock
        Terminate, ///< SIGTERM
        Kill,      ///< SIGKILL
        StopUnit,  ///< systemctl stop --no-block
        StartUnit, ///< each by systemctl, which only queues the job
        RestartUnit,
        ResetFailedUnit,
        EnableUnit,
        DisableUnit,
        ReloadDaemon,
        LookAtUnit,
        UnitLog,   ///< needs no lock
        CleanShm,  ///< unlinks files that are proved to be used by nobody
        End,       ///< gives the lock back
        Evidence,  ///< how the targets stand, for a post-mortem; needs no lock
        AskPorts,  ///< do they answer over HTTP; needs no lock
        CatUnit,   ///< a unit as its files tell it; needs no lock
        AskHttp,   ///< one request, by a program of the host; needs no lock
        Command,   ///< one that the inventory has for a service
        LookAtRoom, ///< of its file systems, and whether its model is there; needs no lock
    };
    Kind kind = Kind::Look;
    QString bootId;     ///< on another boot nothing is done
    bool asRoot = false; ///< by the way by which the probe became root
    QList<SignalTarget> targets;
    QString unit;
    bool userUnit = false;
    QList<std::pair<QString, quint16>> ports; ///< numeric address, port
    QList<ShmTarget> files;
    HttpRequest http;
    QString invocation; ///< UnitLog: of this one alone; empty: of all
    int lines = 200;    ///< UnitLog: the last ones
    QString command;    ///< Command: for the host's /bin/sh
    QString path;       ///< LookAtRoom: the model's, absolute, or empty
    bool withDriver = true; ///< Evidence: nvidia-smi is asked too
    QString what;       ///< one line for the host's log and the audit
    std::chrono::milliseconds limit{10'000};
};

/// It is written down before it is done.
[[nodiscard]] bool changesHost(ActionRequest::Kind kind);
/// "signal.term", for the audit.
[[nodiscard]] QString nameOf(ActionRequest::Kind kind);

struct ProcessOutcome
{
    enum class What {
        Signalled,
        Gone,
        Other,    ///< another process has its number now
        Changed,  ///< its user or control group is another one than was diagnosed
        Refused,  ///< never to be touched: process 1, kernel threads, this console's own shells
        Denied,   ///< no permission
        Alive,
        Unlocked, ///< the lock was lost at the last moment
        Untold,   ///< the answer says nothing of it
    };
    ProcessIdentity identity;
    What what = What::Untold;

    friend bool operator==(const ProcessOutcome &, const ProcessOutcome &) = default;
};

[[nodiscard]] QString wordsOf(ProcessOutcome::What what);

struct UnitOutcome
{
    std::optional<int> jobStatus;  ///< of systemctl, that was asked to do something
    QString jobWords;              ///< what it said, cleaned
    QString load;
    QString loadError;
    QString active;                ///< empty: systemctl did not say
    QString sub;
    QString result;
    QString type;
    QString restart;               ///< its Restart= setting
    QString killMode;
    QString unitFileState;
    QString statusText;
    QString invocation;            ///< of its last start
    std::optional<qint64> mainPid; ///< no value: it has none
    std::optional<qint64> controlPid; ///< of a command before or after its main program
    std::optional<int> execMainCode;
    std::optional<int> execMainStatus;
    std::optional<int> restarts;
    bool jobPending = false;
    bool needDaemonReload = false;
    bool conditionFailed = false;
    QStringList members;           ///< "PID COMM" of its control group, 30 at most
    std::optional<std::chrono::milliseconds> startLimit; ///< its TimeoutStartSec; no value: none, or not told
    std::optional<std::chrono::milliseconds> stopLimit;  ///< its TimeoutStopSec; the same

    /// As core/host knows it, for its words.
    [[nodiscard]] Unit asUnit(const QString &name, bool user) const;
};

struct CommandOutcome
{
    std::optional<int> status; ///< its exit status; 124: it was ended for its time; no value: it was not begun
    QString words;             ///< what it printed, cleaned
};

/// What a host said of its file systems; no value: it could not say.
struct RoomOutcome
{
    std::optional<qint64> shmFreeKib;
    std::optional<qint64> rootFreeKib;
    std::optional<qint64> pathFreeKib;
    std::optional<bool> pathThere;
};

struct PortStatus
{
    std::optional<int> health; ///< HTTP status of /health; 0: nobody answered; no value: nobody could ask
    std::optional<int> models; ///< of /v1/models, asked where /health tells nothing

    friend bool operator==(const PortStatus &, const PortStatus &) = default;
};

struct ShmOutcome
{
    enum class What { Removed, Used, Gone, Other, Refused, Unproved, Denied, Untold };
    QString name;
    What what = What::Untold;

    friend bool operator==(const ShmOutcome &, const ShmOutcome &) = default;
};

[[nodiscard]] QString wordsOf(ShmOutcome::What what);

struct ActionAnswer
{
    /// NotNeeded: of an action that changes nothing.
    enum class Lock { NotNeeded, Mine, Busy, None, OtherBoot, Dropped };
    Lock lock = Lock::None;
    QString lockHolder;             ///< Busy: whose, cleaned
    std::optional<int> lockAgeS;
    QString way;                    ///< how signals went: "perl", "python", "shell"
    QList<ProcessOutcome> processes; ///< one for each target, in their order
    QList<ShmOutcome> files;        ///< one for each, in their order
    UnitOutcome unit;
    QList<JournalLine> log;
    bool logAbsent = false;         ///< the host has no journal
    CommandOutcome command;
    RoomOutcome room;
    QHash<quint16, PortStatus> ports;
    UnitReading reading;            ///< CatUnit
    HttpAnswer http;
    QByteArray evidence;            ///< as it came: hostile, and with secrets
    QStringList sessions;           ///< lines of who -u, cleaned
    QStringList jobs;               ///< pending unit jobs
    QStringList lastDeed;           ///< "key=value" of the host's state file
};

/// Of one action: an answer, or an error. `sent`: the script had left, so that with an error nobody knows what was done.
struct ActionResult
{
    std::optional<ActionAnswer> answer;
    std::optional<Error> error;
    bool sent = false;
    QString auditTrouble; ///< the outcome could not be written down
};

} // namespace pilothouse
