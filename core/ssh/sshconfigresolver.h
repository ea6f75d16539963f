// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Asks the person's own ssh what its configuration says of a target (`ssh -G`, never libssh's
// parser), without blocking. A resolver lives in one thread with an event loop; several share a
// SshConfigCache, which any thread may use.

#include "core/base/result.h"
#include "core/ssh/resolvedhost.h"
#include "core/ssh/sshtarget.h"

#include <QHash>
#include <QObject>
#include <QPointer>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace pilothouse {

/// What was resolved before, valid while no file of the configuration changes. Made once by the
/// composition.
class SshConfigCache final
{
public:
    /// `stamp` describes the files involved; an entry with another stamp does not count.
    [[nodiscard]] std::optional<ResolvedHost> find(const QString &key,
                                                   const QByteArray &stamp) const;
    void store(const QString &key, const QByteArray &stamp, ResolvedHost host);

private:
    struct Entry
    {
        QByteArray stamp;
        ResolvedHost host;
    };
    mutable std::mutex m_mutex;
    QHash<QString, Entry> m_entries;
};

class SshConfigResolver final : public QObject
{
    Q_OBJECT
public:
    using Callback = std::function<void(Result<ResolvedHost>)>;

    /// Without a cache each question runs ssh.
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
    void finish(const QPointer<QObject> &context, Callback done, Result<ResolvedHost> result);

    std::shared_ptr<SshConfigCache> m_cache;
    QString m_program;
    std::chrono::milliseconds m_limit{5'000};
    int m_runs = 0;
};

} // namespace pilothouse
