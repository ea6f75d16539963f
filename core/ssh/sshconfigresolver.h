// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Asks the person's own ssh what its configuration says of a target (`ssh -G`, never libssh's
// parser), without blocking. A resolver lives in one thread with an event loop; several share a
// SshConfigCache, which also lets only a few of them run ssh at once.

#include "core/base/handoff.h"
#include "core/base/result.h"
#include "core/ssh/resolvedhost.h"
#include "core/ssh/sshconfigcache.h"
#include "core/ssh/sshtarget.h"

#include <QObject>
#include <QPointer>

#include <chrono>
#include <functional>
#include <map>
#include <memory>

namespace pilothouse {

class SshConfigResolver final : public QObject
{
    Q_OBJECT
public:
    using Callback = std::function<void(Result<ResolvedHost>)>;

    /// Without a cache each question runs ssh at once.
    explicit SshConfigResolver(std::shared_ptr<SshConfigCache> cache = {},
                               QObject *parent = nullptr);
    /// Ends what runs; no callback follows.
    ~SshConfigResolver() override;

    /// Another program than the `ssh` of PATH, and another limit than 5 s: for tests.
    void setProgram(const QString &program);
    void setLimit(std::chrono::milliseconds limit);

    /// `configFile` empty: the person's own. `done` runs once, later, in this thread, unless
    /// `context` or the resolver is gone. checkSshConfig() has passed when it gets a host. Errors:
    /// Usage (the name cannot be given to ssh), LocalIo (no ssh here), SshConfigInvalid (ssh's own
    /// message with file and line), SshConfigRefused, Timeout (a `Match exec` that hangs).
    /// `jump` is given as ssh -J, unless it is empty.
    void resolve(const SshTarget &target, const QString &configFile, QObject *context,
                 Callback done, const QString &jump = {});

    /// How often ssh was really started, for tests.
    [[nodiscard]] int runs() const { return m_runs; }

private:
    class Run;
    /// Waits for its place to run ssh, or runs it.
    struct Request
    {
        QPointer<QObject> context;
        Callback done;
        QStringList arguments;
        QString alias;
        QString configFile;
        std::unique_ptr<HandshakeGate::Ticket> place;
    };
    [[nodiscard]] bool finishFromCache(const Request &request, const QByteArray &stamp);
    void run(quint64 id);
    void answered(quint64 id, const QByteArray &stamp, const Result<QByteArray> &output);
    void finish(const QPointer<QObject> &context, Callback done, Result<ResolvedHost> result);

    std::shared_ptr<SshConfigCache> m_cache;
    QString m_program;
    std::chrono::milliseconds m_limit{5'000};
    int m_runs = 0;
    quint64 m_lastRequest = 0;
    std::map<quint64, Request> m_requests;
    Handoff<quint64> m_turns{[this](quint64 id) { run(id); }};
};

} // namespace pilothouse
