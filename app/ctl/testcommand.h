// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// `pilothousectl test`: reaches one host step by step and says how each went. The test lives in the main thread here:
// nothing else happens in this program meanwhile.

#include "app/ctl/asker.h"
#include "app/ctl/command.h"
#include "app/ctl/output.h"
#include "core/fleet/hosttest.h"

#include <QJsonObject>

#include <memory>

namespace pilothouse {

/// A step as it is printed; pure.
[[nodiscard]] QString lineOf(const StepResult &result, const Output &output);
[[nodiscard]] QJsonObject toJson(const StepResult &result);

class TestCommand final : public Command
{
    Q_OBJECT
public:
    explicit TestCommand(const CommandContext &context);
    void start() override;

private:
    void add(const StepResult &result);
    void finish(int exitCode);

    Asker m_asker;
    std::unique_ptr<HostTest> m_test;
    QList<StepResult> m_results;
    bool m_over = false;
};

} // namespace pilothouse
