// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One host that a command works on: the way to it, its questions, and what it is found to be. Main thread; the command
// owns it.

#include "app/ctl/asker.h"
#include "app/ctl/command.h"
#include "app/ctl/hostexam.h"

#include <memory>

namespace pilothouse {

class HostVisit final : public QObject
{
    Q_OBJECT
public:
    explicit HostVisit(const CommandContext &context);
    ~HostVisit() override;

    /// The host of the command line's TARGET, which opens, with these units in place of its services. Errors: as hostFor() and fleetSettingsFor(). What follows is
    /// there once this went well.
    [[nodiscard]] Result<void> begin(const QString &target, const QStringList &units);
    [[nodiscard]] Result<void> begin(const QString &target);
    /// As HostExam does.
    void examine() { m_exam->begin(); }
    /// Nothing is said any more; what is open ends with this object.
    void leave();

    [[nodiscard]] const HostSpec &host() const { return m_exam->host(); }
    [[nodiscard]] HostLink &link() const { return m_exam->link(); }
    [[nodiscard]] const Lineage &lineage() const { return m_exam->lineage(); }

signals:
    void examined(const pilothouse::SnapshotPtr &snapshot, const pilothouse::Diagnosis &diagnosis);
    /// The snapshot failed; the connection stands.
    void missed(const pilothouse::Error &error);
    /// There is no connection. `final`: and none will come without a person.
    void away(const pilothouse::Error &error, bool final);

private:
    void stateChanged(const LinkState &state);

    const CommandContext m_context;
    Asker m_asker;
    std::unique_ptr<Fleet> m_fleet;
    std::unique_ptr<HostExam> m_exam;
};

} // namespace pilothouse
