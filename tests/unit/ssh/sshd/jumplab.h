// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A bastion and a GPU host behind it, both sshd on loopback, and one ssh_config that knows both: "bastion", and "gpu…"
// behind it. For tests only.

#include "core/ssh/jump/jumphosts.h"
#include "core/ssh/sshconfigresolver.h"
#include "tests/support/sshdserver.h"
#include "tests/unit/ssh/sshd/sessionwatch.h"

namespace pilothouse::test {

class JumpLab final
{
public:
    explicit JumpLab(const QStringList &bastionConfig = {}) : bastion(bastionConfig) { }

    [[nodiscard]] bool start() { return bastion.start() && gpu.start() && writeConfig(); }

    /// A Host block for `server`; the lines come first.
    [[nodiscard]] static QByteArray block(const QByteArray &pattern, const SshdServer &server, const QByteArray &lines)
    {
        return "Host " + pattern + '\n' + lines + "\n  HostName 127.0.0.1\n  Port " + QByteArray::number(server.port())
            + "\n  User " + server.user().toUtf8() + "\n  IdentityFile " + server.path(QStringLiteral("id")).toUtf8()
            + "\n  IdentityAgent none\n  UserKnownHostsFile " + server.path(QStringLiteral("known_hosts")).toUtf8()
            + "\n  GlobalKnownHostsFile /dev/null\n";
    }
    [[nodiscard]] bool writeConfig(const QByteArray &gpuLines = "ProxyJump bastion",
                                   const QByteArray &bastionLines = {}, const QByteArray &more = {})
    {
        return writeFile(gpu.path(QStringLiteral("ssh_config")),
                         more + block("bastion", bastion, bastionLines) + block("gpu*", gpu, gpuLines));
    }
    [[nodiscard]] ConnectionSettings settings(const QString &alias = QStringLiteral("gpu1")) const
    {
        ConnectionSettings settings = gpu.settings();
        settings.target.host = alias;
        settings.jumpHosts = hosts;
        return settings;
    }
    void share(JumpSettings how = {}) { hosts = std::make_shared<JumpHosts>(std::move(how)); }
    [[nodiscard]] static qsizetype signIns(SshdServer &server) { return server.log().count("Accepted publickey"); }
    [[nodiscard]] static qsizetype visits(SshdServer &server) { return server.log().count("Connection from "); }

    SshdServer bastion;
    SshdServer gpu{{QStringLiteral("MaxStartups 200")}};
    std::shared_ptr<JumpHosts> hosts;
};

/// What the shell answers; empty on failure.
[[nodiscard]] inline QByteArray answerOf(SessionWatch &watch, const QByteArray &script)
{
    ShellWatch shell(watch.session->openShell());
    shell.shell->write(script + "\nexit 0\n");
    return QTest::qWaitFor([&] { return shell.closed > 0; }, 15'000) ? shell.output : QByteArray();
}

} // namespace pilothouse::test

#define TRY_END(watch)                                                                                       \
    QTRY_VERIFY2_WITH_TIMEOUT((watch).ended || (watch).isReady(), qPrintable((watch).words.join(u'\n')), 15'000)
