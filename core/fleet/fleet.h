// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The hosts that are open, one HostLink each, and their cadence. Lives in the thread that made it (GUI or command).

#include "core/base/programend.h"
#include "core/base/result.h"
#include "core/fleet/hostlink.h"
#include "core/fleet/networkwatch.h"

#include <QObject>

#include <memory>
#include <vector>

namespace pilothouse {

/// What all connections of a run share: command-line options of the contract.
struct FleetSettings
{
    QString sshConfigFile;
    QString knownHostsFile;
    QString identityFile;
    bool acceptNewHostKey = false;
    bool askPerson = true;
    std::optional<std::chrono::milliseconds> timeout; ///< --timeout replaces connect, sign-in and snapshot limits
    std::optional<SudoPolicy> sudo;                   ///< --sudo replaces the inventory's
    QString consoleId;
    std::shared_ptr<ProgramEnd> end; ///< of the program; null: two seconds for all threads, and none is told
    std::chrono::milliseconds inView{2'000};
    std::chrono::milliseconds background{10'000};
};

/// Settings of one host's connection and probe. Errors: Usage (its `ssh` target).
struct LinkSettings
{
    ConnectionSettings connection;
    ProbeSettings probe;
};
[[nodiscard]] Result<LinkSettings> linkSettingsFor(const HostSpec &host, const FleetSettings &settings);

class HostTester;

class Fleet final : public QObject
{
    Q_OBJECT
public:
    explicit Fleet(FleetSettings settings, QObject *parent = nullptr);
    /// With sessions, probers and times of the caller's choice (core/fleet/linkenvironment.h).
    Fleet(FleetSettings settings, LinkEnvironment environment, QObject *parent = nullptr);
    /// Ends all links and waits for their threads, all together at most as long as the program's end allows; tells it
    /// when one still runs. Once, at the program's end.
    ~Fleet() override;

    /// Opens the host's link and starts its ticks in the background. A name that is there already returns that link.
    [[nodiscard]] Result<HostLink *> add(const HostSpec &host);
    void remove(const QString &name);
    /// The host is described anew. Its link goes on; it is removed and another one added only where what concerns the
    /// connection differs (target, sudo). Without a link: as add(). Errors: Usage; the old link is gone then.
    [[nodiscard]] Result<HostLink *> change(const HostSpec &host);
    [[nodiscard]] HostLink *link(const QString &name) const; ///< null when unknown
    [[nodiscard]] std::vector<HostLink *> links() const;     ///< in order of adding
    /// Of this side; it is about all hosts.
    [[nodiscard]] const NetworkTrouble &networkTrouble() const;
    /// The host whose page is open: it ticks at `inView`, all others at `background`. Empty: none.
    void setInView(const QString &name);
    /// The steps to a host that need not be one of these, in a thread of its own. Errors: Usage.
    [[nodiscard]] Result<std::unique_ptr<HostTester>> test(const HostSpec &host) const;

signals:
    void hostAdded(pilothouse::HostLink *link);
    void hostRemoved(const QString &name);
    void networkTroubleChanged(const pilothouse::NetworkTrouble &trouble);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace pilothouse
