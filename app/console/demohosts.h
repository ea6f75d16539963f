// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The simulated hosts of --demo: a pilothouse-simhost beside this program, in a folder of its own that goes with it.
// GUI thread; owned by Console.

#include "core/base/error.h"

#include <QObject>
#include <QProcess>
#include <QTemporaryDir>

namespace pilothouse {

class DemoHosts final : public QObject
{
    Q_OBJECT
public:
    explicit DemoHosts(QObject *parent = nullptr);
    ~DemoHosts() override;

    void start();
    /// Ends the hosts; ended() follows, at once when they do not run.
    void stop();
    /// Holds hosts.toml, ssh_config and known_hosts once ready.
    [[nodiscard]] QString folder() const { return m_folder.path(); }

signals:
    void ready();
    /// Before ready(): they could not be started. After it: they ended by themselves.
    void failed(const pilothouse::Error &error);
    void ended();

private:
    void onOutput();
    void onFinished();
    void fail(const QString &detail);

    QTemporaryDir m_folder;
    QProcess m_process;
    bool m_ready = false;
    bool m_stopping = false;
};

} // namespace pilothouse
