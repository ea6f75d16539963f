// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The real script in one shell of this machine, asked without Prober: raw answers for tests. Lives
// in its thread.

#include "core/probe/parse/smiapps.h"
#include "core/probe/parse/smicsv.h"
#include "core/probe/probechannel.h"
#include "tests/unit/probe/fakehost.h"

#include <QStandardPaths>

#include <unistd.h>

namespace pilothouse::test {

/// What sshd would start where /bin/sh is `program` (dash, bash, busybox, ksh): a mount namespace
/// of its own puts it there. Empty where this machine cannot do that.
inline QStringList loginThrough(const QString &program)
{
    const QString file = QStandardPaths::findExecutable(program);
    if (file.isEmpty())
        return {};
    QStringList words{QStringLiteral("/usr/bin/unshare"), QStringLiteral("--mount")};
    if (geteuid() != 0)
        words << QStringLiteral("--map-root-user");
    words << QStringLiteral("/bin/bash") << QStringLiteral("-c")
          << QStringLiteral("mount=$(PATH=$PATH:/usr/bin:/bin command -v mount); \"$mount\" --bind "
                            "\"$0\" /bin/sh || exit 99; "
                            "exec /bin/sh -c 'exec /bin/sh'")
          << file;
    QProcess trial;
    QStringList check = words;
    check[words.size() - 2].replace(QStringLiteral("'exec /bin/sh'"), QStringLiteral("'exit 7'"));
    trial.start(check.first(), check.sliced(1));
    trial.waitForFinished(10'000);
    return trial.exitCode() == 7 ? words : QStringList();
}

/// A folder with nothing but busybox's applets.
inline QString appletFolder(const QTemporaryDir &dir)
{
    QProcess install;
    install.start(QStringLiteral("busybox"),
                  {QStringLiteral("--install"), QStringLiteral("-s"), dir.path()});
    install.waitForFinished(10'000);
    return dir.path();
}

class ScriptRig
{
public:
    explicit ScriptRig(ShellProvider &provider,
                       const QString &consoleId = QStringLiteral("console"))
        : channel(provider, ProbeRole::Kernel, makeMarker(consoleId + QString::number(::getpid()), {}, {}), nullptr)
    {
        QObject::connect(&channel, &ProbeChannel::ready, &channel, [this] { m_ready = true; });
        QObject::connect(&channel, &ProbeChannel::answered, &channel,
                         [this] { m_answered = true; });
        QObject::connect(&channel, &ProbeChannel::failed, &channel,
                         [this](const Error &failure) { error = failure; });
        request.gpuFields = smiGpuFields();
        request.appFields = smiAppFields();
    }

    bool open(int limitMs = 10'000)
    {
        channel.open(RootWay::None, std::chrono::milliseconds(limitMs));
        return QTest::qWaitFor([this] { return m_ready || error; }, limitMs + 5000) && m_ready;
    }
    /// No value after an error, which `error` then holds.
    std::optional<BuiltTick> ask(Depth depth = Depth::Light, int limitMs = 20'000)
    {
        m_answered = false;
        request.nonce = makeNonce();
        ++request.tick;
        request.depth = depth;
        channel.ask(request, std::chrono::milliseconds(limitMs));
        if (!QTest::qWaitFor([this] { return m_answered || error; }, limitMs + 5000) || !m_answered)
            return std::nullopt;
        TickAnswers tick;
        tick.request = request;
        tick.kernel = channel.answer();
        tick.smiLimit = std::chrono::seconds(request.smiLimitS);
        auto built = buildAnswer(channel.facts(), tick, m_users);
        if (!built) {
            error = built.error();
            return std::nullopt;
        }
        return *built;
    }

    ProbeChannel channel;
    ProbeRequest request;
    std::optional<Error> error;

private:
    bool m_ready = false;
    bool m_answered = false;
    QHash<qint64, QString> m_users;
};

inline const RawProcess *findProcess(const HostAnswer &answer, qint64 pid)
{
    if (!answer.processes)
        return nullptr;
    for (const RawProcess &process : *answer.processes) {
        if (process.pid == pid)
            return &process;
    }
    return nullptr;
}

} // namespace pilothouse::test
