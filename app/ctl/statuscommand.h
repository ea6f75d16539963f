// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// `pilothousectl status`: every host at once, each as far as it can be read; the lines come when all are through.

#include "app/ctl/asker.h"
#include "app/ctl/command.h"
#include "app/ctl/hostexam.h"
#include "app/ctl/statusrows.h"

#include <memory>
#include <vector>

namespace pilothouse {

class StatusCommand final : public Command
{
    Q_OBJECT
public:
    explicit StatusCommand(const CommandContext &context);
    void start() override;

private:
    /// One host on its way to its lines.
    struct Visit
    {
        HostSpec host;
        std::unique_ptr<HostExam> exam;
        std::optional<Question> question;
        QList<StatusRow> rows;       ///< not empty: done
    };

    void begin(const QList<HostSpec> &hosts, const FleetSettings &settings);
    void follow(Visit &visit, HostLink &link);
    void stateChanged(Visit &visit, const LinkState &state);
    void askNext();
    void done(Visit &visit, const QList<StatusRow> &rows);
    void finishIfDone();
    void stop(const Error &error);

    Asker m_asker;
    std::unique_ptr<Fleet> m_fleet;
    std::vector<std::unique_ptr<Visit>> m_visits; ///< in the order asked for
    Visit *m_asking = nullptr;
    bool m_over = false;
};

} // namespace pilothouse
