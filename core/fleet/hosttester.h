// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A HostTest for a thread that must not wait, the GUI's: the test lives in one of its own. Destroying it ends the test.

#include "core/base/earlyport.h"
#include "core/fleet/hosttest.h"
#include "core/fleet/linkthreads.h"

#include <variant>

namespace pilothouse {

class HostTester final : public QObject
{
    Q_OBJECT
public:
    /// Starts at once.
    HostTester(const LinkSettings &settings, LinkThreads &threads, QObject *parent = nullptr);
    ~HostTester() override;

    /// To asked().
    void answer(const Answer &answer);

signals:
    // As HostTest's, in this thread.
    void stepDone(const pilothouse::StepResult &result);
    void said(const QString &words);
    void asked(const pilothouse::Question &question);
    /// Once, the last; `declined`: a person did not answer.
    void finished(bool declined);

private:
    struct Words { QString text; };
    struct Over { bool declined = false; };
    using Event = std::variant<StepResult, Words, Question, Over>;
    struct Quit { };
    using Command = std::variant<Answer, Quit>;
    class Thread;

    void take(const StepResult &result) { emit stepDone(result); }
    void take(const Words &words) { emit said(words.text); }
    void take(const Question &question) { emit asked(question); }
    void take(const Over &over) { emit finished(over.declined); }

    std::shared_ptr<EarlyPort<Command>> m_port;
    Handoff<Event> m_events;
};

} // namespace pilothouse
