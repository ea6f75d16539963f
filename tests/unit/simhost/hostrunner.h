// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Boots one simulated host for a test and runs commands in it, without SSH between.

#include "tests/support/skip.h"
#include "app/simhost/scenario.h"
#include "app/simhost/simulatedhost.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <optional>
#include <poll.h>
#include <unistd.h>

namespace pilothouse::test {

struct CommandResult
{
    QString output;
    QString errors;
    QString status; ///< "exit 0"
};

class HostRunner
{
public:
    /// False: this machine allows no namespaces, `reason` says why.
    bool boot(const ScenarioHost &host)
    {
        const auto folder = writeHost(host, m_folder.path());
        if (!folder) {
            reason = folder.error().detail;
            return false;
        }
        auto booted = SimulatedHost::boot(QStringLiteral(SIMTOOLS_PATH), *folder, host.name);
        if (!booted) {
            reason = booted.error().detail;
            return false;
        }
        m_host.emplace(std::move(*booted));
        return true;
    }

    [[nodiscard]] CommandResult run(const QString &command, const QString &user = QStringLiteral("root")) const
    {
        auto pipes = m_host->startSession(user.toStdString(), command.toStdString(), nullptr);
        if (!pipes)
            return {{}, pipes.error().detail, {}};
        close(pipes->in);
        pipes->in = -1;
        CommandResult result{readAll(pipes->out), readAll(pipes->err), readAll(pipes->status)};
        pipes->closeAll();
        return result;
    }

    /// A session that goes on, as the console's probe shells do.
    [[nodiscard]] SessionPipes converse(const QString &command) const
    {
        auto pipes = m_host->startSession("root", command.toStdString(), nullptr);
        return pipes ? *pipes : SessionPipes();
    }

    /// Whether a forwarded connection is taken, from inside the host.
    [[nodiscard]] bool forwards(const std::string &address, int port) const
    {
        auto pipes = m_host->connectTo(address, port);
        if (pipes)
            pipes->closeAll();
        return pipes.has_value();
    }

    /// What comes until `end` stands at the end of it; all that came when it does not come in time.
    [[nodiscard]] static QByteArray ask(const SessionPipes &pipes, const QByteArray &text, const QByteArray &end)
    {
        QByteArray all;
        char buffer[8192];
        pollfd wait = {pipes.out, POLLIN, 0};
        if (write(pipes.in, text.constData(), size_t(text.size())) != text.size())
            return all;
        while (!all.contains(end) && poll(&wait, 1, 15'000) > 0) {
            const ssize_t count = read(pipes.out, buffer, sizeof buffer);
            if (count <= 0)
                break;
            all.append(buffer, count);
        }
        return all;
    }

    [[nodiscard]] QString output(const QString &command, const QString &user = QStringLiteral("root")) const
    {
        return run(command, user).output.trimmed();
    }

    void end() { m_host.reset(); }

    QString reason;

private:
    static QString readAll(int fd)
    {
        QByteArray all;
        char buffer[8192];
        pollfd wait = {fd, POLLIN, 0};
        while (poll(&wait, 1, 30'000) > 0) {
            const ssize_t count = read(fd, buffer, sizeof buffer);
            if (count <= 0)
                break;
            all.append(buffer, count);
        }
        return QString::fromUtf8(all);
    }

    QTemporaryDir m_folder;
    std::optional<SimulatedHost> m_host;
};

/// A host without a crowd and without latency, `gpus` added to its gpus.conf.
inline ScenarioHost quietHost(const QString &gpus = {}, const QString &conf = {})
{
    ScenarioHost host;
    host.name = QStringLiteral("gpu1");
    host.files[QStringLiteral("host.conf")] = conf + QStringLiteral("user = ops 1000\n");
    host.files[QStringLiteral("gpus.conf")] = QStringLiteral("count = 2\nseed = gpu1\n") + gpus;
    return host;
}

} // namespace pilothouse::test

/// Skips with the reason, or fails where CI must not skip.
#define PILOTHOUSE_BOOT_OR_SKIP(runner, host)                                                                \
    if (!(runner).boot(host)) {                                                                              \
        PILOTHOUSE_SKIP(qPrintable((runner).reason));                                                        \
    }
