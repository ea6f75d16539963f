// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One remote `/bin/sh`, started by the constant exec request `exec /bin/sh`: scripts and arguments go through
// standard input (design decision 1). Lives in the thread of what opened it; that thread owns it.

#include "core/base/error.h"

#include <QByteArray>
#include <QObject>

#include <memory>

namespace pilothouse {

class RemoteShell : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    enum class Stream { Output, Error };

    /// Queues bytes for the shell's standard input. Before opened() too; after closed() they are dropped. Copies them:
    /// a caller may wipe its own.
    virtual void write(const QByteArray &bytes) = 0;
    /// End of file on standard input, after all that was written.
    virtual void closeInput() = 0;
    /// Ends the channel at once; closed() follows unless the shell is destroyed before.
    virtual void close() = 0;
    /// Bytes written and not yet taken by the peer.
    [[nodiscard]] virtual qsizetype pendingBytes() const = 0;

signals:
    // In the shell's thread. opened() at most once; received() any number of times after it; closed() exactly once, and
    // nothing follows it. A refused channel or exec emits closed() with an error and never opened().
    void opened();
    void received(pilothouse::RemoteShell::Stream stream, const QByteArray &bytes);
    /// `exitStatus` is -1 when the peer sent none. `error` has no value after an orderly end.
    void closed(int exitStatus, const QString &exitSignal, const std::shared_ptr<const pilothouse::Error> &error);
};

/// Who can open shells on a host: an SSH session, or this machine itself in tests and benches.
class ShellProvider
{
public:
    virtual ~ShellProvider() = default;
    /// Never null. The shell is destroyed by its owner, at the latest before the provider.
    [[nodiscard]] virtual std::unique_ptr<RemoteShell> openShell() = 0;
};

} // namespace pilothouse
