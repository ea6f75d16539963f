// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A booted lab host as a test sees it: commands inside it as root past sshd, its cable, its sign-ins; and
// pilothousectl beside it. Only in a program that tests/lab/lab runs. Blocking, for tests alone.

#include <QByteArray>
#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>

#include <chrono>

namespace pilothouse::test {

using namespace std::chrono_literals;

struct Ran
{
    int exitCode = -1;   ///< -1: did not start, crashed or ran out of time
    QByteArray output;
    QByteArray errors;
    qint64 tookMs = 0;

    [[nodiscard]] QJsonObject json() const;  ///< of `output`; empty when it is not one document
    [[nodiscard]] QByteArray summary() const; ///< for a failure's message
};

/// Runs a program to its end here; killed after `limit`.
[[nodiscard]] Ran run(const QString &program, const QStringList &arguments, const QByteArray &input = {},
                      std::chrono::milliseconds limit = 60s);

/// Folder of this run (ssh_config, known_hosts, keys/…); empty when `lab` does not run us.
[[nodiscard]] QString labFolder();

class LabHost
{
public:
    explicit LabHost(int number);

    [[nodiscard]] QString name() const { return m_name; }       ///< "lab1", an alias of the lab's ssh_config
    [[nodiscard]] QString address() const { return m_address; } ///< numeric
    [[nodiscard]] QString file(const QString &path) const;      ///< of this host in the lab's folder
    [[nodiscard]] qint64 leader() const;                        ///< the host's PID 1, as this machine counts

    /// `sh -c SCRIPT` as root inside the host, in all its namespaces, past sshd.
    [[nodiscard]] Ran in(const QString &script, std::chrono::milliseconds limit = 30s) const;
    /// The same, output only; the running test fails when the script does.
    QByteArray sh(const QString &script, std::chrono::milliseconds limit = 30s) const;

    void cutCable() const;
    void joinCable() const;

    /// Accepted sign-ins since boot, from sshd's journal.
    [[nodiscard]] int signIns() const;
    /// PIDs inside the host of processes whose whole command line matches a regular expression (of this machine's
    /// view: kernel threads and the caller are not in it).
    [[nodiscard]] QList<qint64> processes(const QString &expression) const;
    /// Its command line with blanks; empty when it is gone.
    [[nodiscard]] QString commandOf(qint64 pid) const;
    /// The same process seen from this machine: what the freezer and signals from outside want; 0 when gone.
    [[nodiscard]] qint64 outsidePid(qint64 pid) const;

private:
    QString m_name;
    QString m_address;
};

/// pilothousectl with the lab's ssh_config, an empty configuration folder and no terminal.
[[nodiscard]] Ran ctl(const QStringList &arguments, std::chrono::milliseconds limit = 60s);

/// A process that SIGKILL does not end while this lives: frozen from outside (cgroup v1), state D for everybody.
/// For programs that `lab --freezer` runs.
class Frozen
{
public:
    explicit Frozen(qint64 outsidePid);
    ~Frozen();
    Frozen(const Frozen &) = delete;
    Frozen &operator=(const Frozen &) = delete;

    [[nodiscard]] bool isFrozen() const;
    void thaw();

private:
    QString m_group;
};

} // namespace pilothouse::test
