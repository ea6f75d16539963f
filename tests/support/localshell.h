// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Shells of this machine in place of an SSH session: what a login would start, by QProcess. Header
// only, so that any test and bench can include it. Lives in the thread that made it.

#include "core/ssh/remoteshell.h"

#include <QCoreApplication>
#include <QProcess>
#include <QProcessEnvironment>

#include <functional>

namespace pilothouse::test {

class LocalShell final : public RemoteShell
{
public:
    LocalShell(const QStringList &command, const QProcessEnvironment &environment)
    {
        m_process->setProcessEnvironment(environment);
        QObject::connect(m_process.get(), &QProcess::started, this, [this] { emit opened(); });
        QObject::connect(m_process.get(), &QProcess::readyReadStandardOutput, this, [this] {
            emit received(Stream::Output, m_process->readAllStandardOutput());
        });
        QObject::connect(m_process.get(), &QProcess::readyReadStandardError, this, [this] {
            emit received(Stream::Error, m_process->readAllStandardError());
        });
        QObject::connect(
            m_process.get(), &QProcess::finished, this, [this](int code, QProcess::ExitStatus how) {
                end(how == QProcess::NormalExit ? code : -1,
                    how == QProcess::NormalExit ? QString() : QStringLiteral("KILL"), {});
            });
        QObject::connect(
            m_process.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
                if (error == QProcess::FailedToStart)
                    end(-1, {},
                        std::make_shared<const Error>(
                            Error{ErrorCode::ChannelRefused, m_process->errorString(), {}}));
            });
        m_process->start(command.first(), command.sliced(1));
    }
    ~LocalShell() override
    {
        // As a lost connection does it: the pipes close, nobody is signalled. What stays is reaped
        // when it ends.
        QProcess *process = m_process.release();
        process->disconnect(this);
        process->closeWriteChannel();
        process->closeReadChannel(QProcess::StandardOutput);
        process->closeReadChannel(QProcess::StandardError);
        if (process->state() == QProcess::NotRunning) {
            delete process;
            return;
        }
        process->setParent(QCoreApplication::instance());
        QObject::connect(process, &QProcess::finished, process, &QObject::deleteLater);
    }

    void write(const QByteArray &bytes) override { m_process->write(bytes.constData(), bytes.size()); }
    void closeInput() override { m_process->closeWriteChannel(); }
    void close() override { m_process->closeWriteChannel(); }
    [[nodiscard]] qsizetype pendingBytes() const override { return m_process->bytesToWrite(); }
    [[nodiscard]] qint64 processId() const { return m_process->processId(); }

private:
    void end(int status, const QString &signalName, const std::shared_ptr<const Error> &error)
    {
        if (m_ended)
            return;
        m_ended = true;
        if (!error) { // what is still in the pipes comes before the end
            if (const QByteArray rest = m_process->readAllStandardError(); !rest.isEmpty())
                emit received(Stream::Error, rest);
            if (const QByteArray rest = m_process->readAllStandardOutput(); !rest.isEmpty())
                emit received(Stream::Output, rest);
        }
        emit closed(status, signalName, error);
    }

    std::unique_ptr<QProcess> m_process = std::make_unique<QProcess>();
    bool m_ended = false;
};

/// Opens local shells; `command` stands for what sshd would run: the login shell with `-c "exec
/// /bin/sh"`.
class LocalShellProvider final : public ShellProvider
{
public:
    explicit LocalShellProvider(QStringList words = {QStringLiteral("/bin/sh"),
                                                     QStringLiteral("-c"),
                                                     QStringLiteral("exec /bin/sh")})
        : command(std::move(words))
    { }

    [[nodiscard]] std::unique_ptr<RemoteShell> openShell() override
    {
        ++opened;
        QStringList words = command;
        if (maxShells >= 0 && opened > maxShells)
            words = {QStringLiteral("/no/such/program")};
        auto shell = std::make_unique<LocalShell>(words, environment);
        last = shell.get();
        return shell;
    }

    QStringList command;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    int maxShells = -1; ///< further ones are refused; -1: no limit
    int opened = 0;
    LocalShell *last = nullptr; ///< the newest, while its owner keeps it
};

} // namespace pilothouse::test
