// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/testcommand.h"

#include "app/ctl/interrupts.h"
#include "app/ctl/target.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <utility>

namespace pilothouse {

using namespace Qt::StringLiterals;

QString lineOf(const StepResult &result, const Output &output)
{
    static constexpr Ink inks[] = {Ink::Good, Ink::Bad, Ink::Dim};
    const QString time = result.durationMs ? QString::number(*result.durationMs, 'f', 0) + u" ms"_s : u"–"_s;
    return output.inked(nameOf(result.state).leftJustified(9), inks[int(result.state)])
        + nameOf(result).leftJustified(12) + time.rightJustified(9) + u"  "_s + result.text + u'\n';
}

QJsonObject toJson(const StepResult &result)
{
    return {{u"name"_s, nameOf(result)},
            {u"state"_s, nameOf(result.state)},
            {u"text"_s, result.text},
            {u"duration_ms"_s, result.durationMs ? QJsonValue(*result.durationMs) : QJsonValue(QJsonValue::Null)}};
}

TestCommand::TestCommand(const CommandContext &context)
    : Command(context)
    , m_asker(context.output, context.interrupts)
{
    connect(&context.interrupts, &Interrupts::interrupted, this,
            [this] { finish(exitCodeOf(ErrorCode::Cancelled)); });
}

void TestCommand::start()
{
    const auto host = hostFor(options(), options().arguments.first());
    const auto common = fleetSettingsFor(context());
    const auto settings = host && common ? linkSettingsFor(*host, *common)
                                         : Result<LinkSettings>(fail(host ? common.error() : host.error()));
    if (!settings) {
        output().problem(sentenceOf(settings.error()));
        finish(exitCodeOf(settings.error().code));
        return;
    }
    m_test = std::make_unique<HostTest>(*settings);
    connect(m_test.get(), &HostTest::stepDone, this, &TestCommand::add);
    connect(m_test.get(), &HostTest::asked, &m_asker, &Asker::ask);
    connect(&m_asker, &Asker::answered, m_test.get(), &HostTest::answer);
    connect(m_test.get(), &HostTest::said, this, [this](const QString &words) {
        if (words.endsWith(agentAsksWords))
            output().problem(words);
    });
    connect(m_test.get(), &HostTest::cancelled, this, [this](const Error &error) {
        output().problem(sentenceOf(error));
        finish(exitCodeOf(error.code));
    });
    connect(m_test.get(), &HostTest::finished, this, [this] {
        if (options().json) {
            QJsonArray steps;
            for (const StepResult &result : std::as_const(m_results))
                steps += toJson(result);
            const QJsonObject document{{u"steps"_s, steps}};
            output().data(QString::fromUtf8(QJsonDocument(document).toJson(QJsonDocument::Compact)) + u'\n');
        }
        finish(exitCodeOf(m_results));
    });
    m_test->start();
}

void TestCommand::add(const StepResult &result)
{
    m_results += result;
    if (!options().json)
        output().data(lineOf(result, output()));
}

void TestCommand::finish(int exitCode)
{
    if (!std::exchange(m_over, true))
        emit finished(exitCode);
}

} // namespace pilothouse

#include "moc_testcommand.cpp"
