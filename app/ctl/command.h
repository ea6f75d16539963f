// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One command of pilothousectl while it runs. Made by main, lives in the main thread until finished().

#include "app/ctl/options.h"

#include <QObject>

#include <memory>

namespace pilothouse {

class Interrupts;
class Output;
class ProgramEnd;

/// What main composes for a command; all of it outlives the command.
struct CommandContext
{
    const Options &options;
    Output &output;
    Interrupts &interrupts;
    std::shared_ptr<ProgramEnd> end;
};

class Command : public QObject
{
    Q_OBJECT
public:
    explicit Command(const CommandContext &context)
        : m_context(context)
    {
    }
    /// finished() follows, perhaps from within.
    virtual void start() = 0;

signals:
    /// Once, with the exit code of the outside contract.
    void finished(int exitCode);

protected:
    [[nodiscard]] const CommandContext &context() const { return m_context; }
    [[nodiscard]] const Options &options() const { return m_context.options; }
    [[nodiscard]] Output &output() const { return m_context.output; }
    [[nodiscard]] Interrupts &interrupts() const { return m_context.interrupts; }

private:
    CommandContext m_context;
};

} // namespace pilothouse
