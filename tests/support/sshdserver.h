// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A private OpenSSH server on loopback with throw-away keys, and the client's side to match: an ssh_config, a
// known_hosts and a key. Everything lives in one temporary folder; the server ends with the object. For tests only.

#include "core/ssh/connectionsettings.h"

#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <sys/types.h>

namespace pilothouse::test {

/// Runs a program to its end; its output, or a QFAIL-worthy empty string with `ok` false.
[[nodiscard]] QString runTool(const QString &program, const QStringList &arguments, bool *ok = nullptr);
/// A new key pair at `path` and `path`.pub.
[[nodiscard]] bool makeKey(const QString &path, const QString &passphrase = {},
                           const QString &type = QStringLiteral("ed25519"),
                           const QStringList &more = {});
[[nodiscard]] bool writeFile(const QString &path, const QByteArray &content);
[[nodiscard]] QByteArray readFile(const QString &path);
/// All processes below `root`, from /proc.
[[nodiscard]] QList<pid_t> descendantsOf(pid_t root);
/// A loopback port where nobody listens now.
[[nodiscard]] quint16 freePort(const QString &address = QStringLiteral("127.0.0.1"));

class SshdServer final
{
public:
    /// `config`: further lines of sshd_config, first of all. `address`: where it listens.
    explicit SshdServer(const QStringList &config = {}, const QString &address = QStringLiteral("127.0.0.1"));
    ~SshdServer();
    SshdServer(const SshdServer &) = delete;
    SshdServer &operator=(const SshdServer &) = delete;

    /// Further lines of sshd_config for the next start().
    void addConfig(const QStringList &lines) { m_config += lines; }
    /// False with error() when it does not listen within 10 s.
    [[nodiscard]] bool start();
    void stop();
    [[nodiscard]] QString error() const { return m_error; }

    [[nodiscard]] quint16 port() const { return m_port; }
    [[nodiscard]] QString path(const QString &name) const { return m_folder.filePath(name); }
    [[nodiscard]] QString user() const;
    /// Type and base64 of the host key.
    [[nodiscard]] QByteArray hostKeyLine() const;
    /// Processes of accepted connections.
    [[nodiscard]] QList<pid_t> connectionProcesses() const;
    [[nodiscard]] pid_t pid() const { return static_cast<pid_t>(m_process.processId()); }
    /// What the server has logged so far.
    [[nodiscard]] QByteArray log();

    /// Writes ssh_config with a host "gpu_01" for this server: `lines` inside it come first, `identity` is a file of
    /// this folder.
    [[nodiscard]] bool writeClientConfig(const QStringList &lines = {}, const QString &identity = QStringLiteral("id"));
    /// To connect to "gpu_01" by that file, asking nobody, with short times.
    [[nodiscard]] ConnectionSettings settings() const;

private:
    QTemporaryDir m_folder;
    QString m_address;
    QStringList m_config;
    QProcess m_process;
    QByteArray m_log;
    quint16 m_port = 0;
    QString m_error;
};

} // namespace pilothouse::test
