// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Takes snapshots of one host over long-lived shells (design decisions 1 to 5). Lives in the thread
// of its ShellProvider; everything is called and emitted there. One request at a time: a second one
// while the first runs is remembered once (the deeper wins).

#include "core/base/error.h"
#include "core/host/snapshot.h"
#include "core/probe/probesettings.h"
#include "core/ssh/question.h"

#include <QObject>

#include <memory>

namespace pilothouse {

class ShellProvider;

class Prober final : public QObject
{
    Q_OBJECT
public:
    /// `provider` outlives the prober.
    Prober(ShellProvider &provider, ProbeSettings settings, QObject *parent = nullptr);
    ~Prober() override;

    /// Opens the shells and waits for their READY frames. started() or failed() follows.
    void start();
    void requestSnapshot(Depth depth);
    /// From the next request on; one that runs is read as it was asked.
    void setSettings(const ProbeSettings &settings);
    [[nodiscard]] bool isBusy() const;
    /// To asked(), by its id. Declined, the probe goes on as the account.
    void answer(Answer answer);

signals:
    /// sudo's password, at most once and only between start() and started(), which wait for the answer.
    void asked(const pilothouse::Question &question);
    void started();
    void snapshotTaken(const pilothouse::SnapshotPtr &snapshot);
    /// One request failed as a whole; the prober goes on (its shells are opened anew at the next
    /// request).
    void requestFailed(const pilothouse::Error &error);
    /// No shell can be had or used; nothing follows.
    void failed(const pilothouse::Error &error);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace pilothouse
