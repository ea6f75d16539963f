// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// All jump hosts by their key, in the jump hosts' thread: who rides where, circles, and how soon a failed one is tried
// again. Lives on the stack of that thread.

#include "core/ssh/jump/jumphost.h"

#include <QHash>
#include <QThread>

#include <map>

namespace pilothouse {

class JumpWorker final : public QObject
{
    Q_OBJECT
public:
    JumpWorker(JumpSettings settings, std::shared_ptr<JumpPort> port);
    ~JumpWorker() override;

    /// Most jump hosts in a row: a configuration that leads further leads nowhere.
    static constexpr int longestWay = 16;

signals:
    void finished();

private:
    using Clock = std::chrono::steady_clock;
    struct Hop
    {
        std::unique_ptr<JumpHost> host;
        QString through; ///< key of the jump host before it
        int depth = 1;   ///< jump hosts between it and the host that asked for it first
    };
    struct Failure
    {
        Error error;
        Clock::time_point next;            ///< not before, unless a person wants it
        std::chrono::milliseconds wait{0};
        bool needsPerson = false;
    };

    void handle(JoinHop &&command);
    void handle(LeaveHop &&command);
    void handle(AnswerHop &&command);
    void handle(SettleHop &&command);
    void handle(GateOpen &&command);
    void handle(QuitHops &&command);

    [[nodiscard]] JumpHost *hostOf(quint64 ride);
    [[nodiscard]] QString placeOf(const Ride &ride) const;
    [[nodiscard]] std::optional<Error> refusalOf(const Ride &ride) const;
    void make(const Ride &first);
    void ended(const QString &key, const Error &error);

    const JumpSettings m_settings;
    std::shared_ptr<JumpPort> m_port;
    std::map<QString, Hop> m_hops;
    QHash<quint64, QString> m_rides;
    QHash<QString, Failure> m_failures;
    Handoff<JumpCommand> m_commands;
};

class JumpThread final : public QThread
{
public:
    JumpThread(JumpSettings settings, std::shared_ptr<JumpPort> port, std::shared_ptr<std::atomic<pid_t>> kernelId);

protected:
    void run() override;

private:
    JumpSettings m_settings;
    std::shared_ptr<JumpPort> m_port;
    std::shared_ptr<std::atomic<pid_t>> m_kernelId;
};

} // namespace pilothouse
