// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Runs one action at a time on a host, in a shell of its own, and is the only way to do so: what changes the host is on
// the audit's disk before a byte of it leaves. Lives in the thread of its ShellProvider (never the GUI's); it waits for the
// disk there.

#include "core/actions/action.h"
#include "core/audit/auditrecord.h"
#include "core/probe/probesettings.h"

#include <QObject>

#include <memory>

namespace pilothouse {

class ShellProvider;

struct ActionWays
{
    QString target;            ///< user@address:port, for the audit
    SudoPolicy sudo = SudoPolicy::Never;
    std::shared_ptr<SudoPassword> password; ///< SudoPolicy::Ask: as the probe got it
};

class ActionRunner final : public QObject
{
    Q_OBJECT
public:
    /// `provider` outlives the runner.
    explicit ActionRunner(ShellProvider &provider, QObject *parent = nullptr);
    ~ActionRunner() override;

    /// done() follows, perhaps from within. While another one runs: an error.
    void run(quint64 id, const ActionRequest &request, const Actor &actor, const ActionWays &ways);
    /// The connection is gone: what runs is over.
    void abandon(const Error &error);

signals:
    void done(quint64 id, const pilothouse::ActionResult &result);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace pilothouse
