// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/hosttestbinding.h"
#include "core/fleet/linkenvironment.h"
#include "tests/gui/windowfixture.h"
#include "tests/support/sshdserver.h"
#include "tests/support/testmain.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// The test in the add-host dialog, against a real server.
class TstHostTest final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { QVERIFY2(m_server.start(), qPrintable(m_server.error())); }
    void init();
    void cleanup();
    void steps_areShownAsTheyAreGone();
    void unknownKey_isAskedByTheUsualDialog();
    void failure_saysWhatToDo();
    void jumpHostIsWell_whenTheHostBehindIsDead();
    void stop_endsTheTest();
    void closingTheDialog_endsTheTest();
    void windowIsNeverBlocked();

private:
    void begin(const QString &target)
    {
        m_fixture->window->showAddHost({}, false);
        auto *field = m_fixture->find<QLineEdit>(u"addHostTarget"_s);
        QVERIFY(field);
        QVERIFY(!button()->isEnabled());
        QTest::keyClicks(field, target);
        QVERIFY(button()->isEnabled());
        QTest::mouseClick(button(), Qt::LeftButton);
    }
    [[nodiscard]] QPushButton *button() const { return m_fixture->find<QPushButton>(u"hostTestButton"_s); }
    [[nodiscard]] QStringList states() const
    {
        const auto *steps = m_fixture->find<QTreeWidget>(u"hostTestSteps"_s);
        QStringList states;
        for (int row = 0; steps && row < steps->topLevelItemCount(); ++row)
            states += steps->topLevelItem(row)->text(1) + u": "_s + steps->topLevelItem(row)->text(0);
        return states;
    }

    SshdServer m_server;
    std::unique_ptr<WindowFixture> m_fixture;
    std::unique_ptr<Fleet> m_fleet;
    std::unique_ptr<HostTestBinding> m_binding;
};

void TstHostTest::init()
{
    failOnAnyWarning();
    QVERIFY(m_server.writeClientConfig());
    QVERIFY(writeFile(m_server.path(u"known_hosts"_s),
                      "[127.0.0.1]:" + QByteArray::number(m_server.port()) + ' ' + m_server.hostKeyLine() + '\n'));
    m_fixture = std::make_unique<WindowFixture>();
    FleetSettings settings;
    settings.sshConfigFile = m_server.path(u"ssh_config"_s);
    m_fleet = std::make_unique<Fleet>(settings);
    m_binding = std::make_unique<HostTestBinding>(*m_fleet, *m_fixture->window);
}

void TstHostTest::cleanup()
{
    m_binding.reset();
    m_fleet.reset();
    m_fixture.reset();
}

void TstHostTest::steps_areShownAsTheyAreGone()
{
    begin(u"gpu_01"_s);
    QCOMPARE(button()->text(), u"S&top Test"_s);
    QTRY_COMPARE_WITH_TIMEOUT(states().size(), 8, 20'000);
    QCOMPARE(states().first(5), (QStringList{u"resolve: done"_s, u"connect: done"_s, u"host key: done"_s,
                                             u"sign in: done"_s, u"shell: done"_s}));
    QCOMPARE(states().at(5), u"nvidia-smi: failed"_s); // there is none here
    QTRY_COMPARE(button()->text(), u"&Test"_s);
    QTRY_VERIFY(m_server.connectionProcesses().isEmpty()); // nothing is left behind
}

void TstHostTest::unknownKey_isAskedByTheUsualDialog()
{
    QVERIFY(writeFile(m_server.path(u"known_hosts"_s), {}));
    begin(u"gpu_01"_s);
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->find<QPushButton>(u"hostKeyAccept"_s), 10'000);
    QTest::mouseClick(m_fixture->find<QPushButton>(u"hostKeyAccept"_s), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(states().size(), 8, 20'000);
    QCOMPARE(states().at(3), u"sign in: done"_s);
    QVERIFY(readFile(m_server.path(u"known_hosts"_s)).contains(m_server.hostKeyLine()));
    // Declined, it ends at once.
    QVERIFY(writeFile(m_server.path(u"known_hosts"_s), {}));
    QTRY_COMPARE(button()->text(), u"&Test"_s);
    QTest::mouseClick(button(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->find<QPushButton>(u"hostKeyCancel"_s), 10'000);
    QTest::mouseClick(m_fixture->find<QPushButton>(u"hostKeyCancel"_s), Qt::LeftButton);
    QTRY_COMPARE(button()->text(), u"&Test"_s);
    QVERIFY(m_fixture->find<QLabel>(u"hostTestWords"_s)->text().contains(u"declined"_s));
}

void TstHostTest::failure_saysWhatToDo()
{
    begin(u"127.0.0.1:%1"_s.arg(freePort()));
    QTRY_COMPARE_WITH_TIMEOUT(states().size(), 8, 20'000);
    QCOMPARE(states().at(1), u"connect: failed"_s);
    QCOMPARE(states().at(2), u"host key: not reached"_s);
    const auto *words = m_fixture->find<QLabel>(u"hostTestWords"_s);
    QVERIFY2(words->text().contains(u"refuses the connection"_s), qPrintable(words->text()));
    QCOMPARE(words->textFormat(), Qt::PlainText);
}

void TstHostTest::jumpHostIsWell_whenTheHostBehindIsDead()
{
    const QString config = m_server.path(u"ssh_config"_s);
    QVERIFY(writeFile(config, readFile(config) + "\nHost behind\n  HostName 127.0.0.1\n  ProxyJump gpu_01\n  Port "
                                  + QByteArray::number(freePort()) + '\n'));
    begin(u"behind"_s);
    QTRY_COMPARE_WITH_TIMEOUT(states().size(), 9, 20'000);
    QCOMPARE(states().first(4), (QStringList{u"resolve: done"_s, u"jump host gpu_01: done"_s, u"connect: failed"_s,
                                             u"host key: not reached"_s}));
    const QString words = m_fixture->find<QLabel>(u"hostTestWords"_s)->text();
    QVERIFY2(words.contains(u"the jump host gpu_01 answered that nothing listens at 127.0.0.1 port "_s),
             qPrintable(words));
}

void TstHostTest::stop_endsTheTest()
{
    QVERIFY(writeFile(m_server.path(u"known_hosts"_s), {}));
    begin(u"gpu_01"_s);
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->find<QPushButton>(u"hostKeyAccept"_s), 10'000);
    QTest::mouseClick(button(), Qt::LeftButton);
    QCOMPARE(button()->text(), u"&Test"_s);
    QTRY_VERIFY(!m_fixture->find<QPushButton>(u"hostKeyAccept"_s)); // nobody waits for the answer
    QTRY_VERIFY(m_server.connectionProcesses().isEmpty());
    QVERIFY(m_fixture->find<QWidget>(u"addHostDialog"_s));
}

void TstHostTest::closingTheDialog_endsTheTest()
{
    QVERIFY(writeFile(m_server.path(u"known_hosts"_s), {}));
    begin(u"gpu_01"_s);
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->find<QPushButton>(u"hostKeyAccept"_s), 10'000);
    m_fixture->find<QDialog>(u"addHostDialog"_s)->reject();
    QTRY_VERIFY(!m_fixture->find<QPushButton>(u"hostKeyAccept"_s));
    QTRY_VERIFY(m_server.connectionProcesses().isEmpty());
}

void TstHostTest::windowIsNeverBlocked()
{
    QElapsedTimer clock;
    qint64 longest = 0;
    QTimer beats;
    connect(&beats, &QTimer::timeout, this, [&] { longest = std::max(longest, clock.restart()); });
    clock.start();
    beats.start(5);
    begin(u"gpu_01"_s);
    QTRY_COMPARE_WITH_TIMEOUT(states().size(), 8, 20'000);
    QVERIFY2(longest < 500, qPrintable(QString::number(longest))); // a probe takes longer than that to start
}

PILOTHOUSE_GUI_TEST_MAIN(TstHostTest)
#include "tst_hosttest.moc"
