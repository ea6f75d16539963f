// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/hosttestbinding.h"

#include "ui/window/mainwindow.h"

namespace pilothouse {

HostTestBinding::HostTestBinding(const Fleet &fleet, MainWindow &window, QObject *parent)
    : QObject(parent)
    , m_fleet(fleet)
    , m_window(window)
{
    connect(&window, &MainWindow::testRequested, this, &HostTestBinding::start);
    connect(&window, &MainWindow::testStopped, this, [this] { m_tester.reset(); });
    connect(&window, &MainWindow::testAnswered, this, [this](const Answer &answer) {
        if (m_tester)
            m_tester->answer(answer);
    });
}

void HostTestBinding::start(const HostSpec &host)
{
    m_tester.reset();
    Result<std::unique_ptr<HostTester>> tester = m_fleet.test(host);
    if (!tester) {
        m_window.addTestStep({TestStep::Resolve, StepResult::State::Failed, sentenceOf(tester.error()), std::nullopt,
                              tester.error().code, {}});
        m_window.finishTest(false);
        return;
    }
    m_tester = std::move(*tester);
    connect(m_tester.get(), &HostTester::stepDone, &m_window, &MainWindow::addTestStep);
    connect(m_tester.get(), &HostTester::said, &m_window, &MainWindow::showTestWords);
    connect(m_tester.get(), &HostTester::asked, &m_window, &MainWindow::askForTest);
    connect(m_tester.get(), &HostTester::finished, this, [this](bool declined) {
        m_tester.release()->deleteLater(); // its connection is of no more use
        m_window.finishTest(declined);
    });
}

} // namespace pilothouse
