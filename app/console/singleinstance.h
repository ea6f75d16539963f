// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One console a state directory: the first holds a lock and listens on a socket there; a second start hands its TARGET
// over and ends. GUI thread.

#include "core/base/result.h"

#include <QLockFile>
#include <QObject>

#include <memory>

class QLocalServer;

namespace pilothouse {

class SingleInstance final : public QObject
{
    Q_OBJECT
public:
    /// Makes `stateDir` (0700) where it is missing.
    explicit SingleInstance(const QString &stateDir, QObject *parent = nullptr);
    ~SingleInstance() override;

    /// True: this is the first one, and it listens. False: another one runs. Errors: LocalIo.
    [[nodiscard]] Result<bool> claim();
    /// To the other one: come up, and open `target` (with its service) unless it is empty. Errors: LocalIo.
    [[nodiscard]] Result<void> handOver(const QString &target) const;

signals:
    /// Somebody started the program again.
    void raised(const QString &target);

private:
    void onConnection();

    QString m_stateDir;
    QString m_socket;
    std::unique_ptr<QLockFile> m_lock;
    QLocalServer *m_server;
};

} // namespace pilothouse
