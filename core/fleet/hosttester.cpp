// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/hosttester.h"

namespace pilothouse {

class HostTester::Thread final : public QThread
{
public:
    Thread(LinkSettings settings, std::shared_ptr<EarlyPort<Command>> port, Handoff<Event>::Sender events)
        : m_settings(std::move(settings))
        , m_port(std::move(port))
        , m_events(std::move(events))
    {
        setObjectName(QStringLiteral("host test"));
    }

protected:
    void run() override
    {
        HostTest test(m_settings);
        const auto receive = [&](const Command &command) {
            if (const auto *answer = std::get_if<Answer>(&command))
                test.answer(*answer);
            else
                quit();
        };
        const Handoff<Command> commands(receive);
        const auto over = [this](bool declined) { m_events.push(Over{declined}); };
        connect(&test, &HostTest::stepDone, &test, [this](const StepResult &result) { m_events.push(result); });
        connect(&test, &HostTest::said, &test, [this](const QString &words) { m_events.push(Words{words}); });
        connect(&test, &HostTest::asked, &test, [this](const Question &question) { m_events.push(question); });
        connect(&test, &HostTest::finished, &test, [over] { over(false); });
        connect(&test, &HostTest::cancelled, &test, [over] { over(true); });
        m_port->attach(commands.sender());
        test.start();
        exec();
    }

private:
    LinkSettings m_settings;
    std::shared_ptr<EarlyPort<Command>> m_port;
    Handoff<Event>::Sender m_events;
};

HostTester::HostTester(const LinkSettings &settings, LinkThreads &threads, QObject *parent)
    : QObject(parent)
    , m_port(std::make_shared<EarlyPort<Command>>())
    , m_events([this](const Event &event) { std::visit([this](const auto &each) { take(each); }, event); })
{
    threads.start(std::make_unique<Thread>(settings, m_port, m_events.sender()));
}

HostTester::~HostTester()
{
    m_port->post(Quit{});
}

void HostTester::answer(const Answer &answer)
{
    m_port->post(answer);
}

} // namespace pilothouse

#include "moc_hosttester.cpp"
