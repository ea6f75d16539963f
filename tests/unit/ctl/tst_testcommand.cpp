// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/testcommand.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;
using State = StepResult::State;

/// How a step is printed.
class TstTestCommand final : public QObject
{
    Q_OBJECT
private slots:
    void json_hasTheContractsWords();
    void line_isAligned();
};

void TstTestCommand::json_hasTheContractsWords()
{
    const StepResult result{TestStep::HostKey, State::Skipped, u"Not reached."_s, {}, {}, {}};
    QCOMPARE(toJson(result), (QJsonObject{{u"name"_s, u"host key"_s},
                                          {u"state"_s, u"skipped"_s},
                                          {u"text"_s, u"Not reached."_s},
                                          {u"duration_ms"_s, QJsonValue::Null}}));
}

void TstTestCommand::line_isAligned()
{
    const Output output(ColorMode::Never);
    QCOMPARE(lineOf({TestStep::SignIn, State::Done, u"Signed in."_s, 12.4, {}, {}}, output),
             u"done     sign in         12 ms  Signed in.\n"_s);
    const Output coloured(ColorMode::Always);
    QVERIFY(lineOf({TestStep::SignIn, State::Failed, {}, {}, ErrorCode::SignInRefused, {}}, coloured)
                .startsWith(u"\033[31;1mfailed"_s));
}

PILOTHOUSE_TEST_MAIN(TstTestCommand)
#include "tst_testcommand.moc"
