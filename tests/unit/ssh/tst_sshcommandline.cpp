// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshcommandline.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstSshCommandLine final : public QObject
{
    Q_OBJECT
private slots:
    void line_data();
    void line();
};

void TstSshCommandLine::line_data()
{
    QTest::addColumn<ConnectionSettings>("settings");
    QTest::addColumn<QStringList>("words");
    ConnectionSettings settings;
    settings.target.host = u"gpu1"_s;
    QTest::newRow("alias alone") << settings << QStringList{u"ssh"_s, u"--"_s, u"gpu1"_s};
    settings.target.user = u"root"_s;
    QTest::newRow("user") << settings
                          << QStringList{u"ssh"_s, u"-l"_s, u"root"_s, u"--"_s, u"gpu1"_s};
    settings.target.port = quint16(2222);
    QTest::newRow("port") << settings << QStringList{u"ssh"_s,  u"-p"_s, u"2222"_s, u"-l"_s,
                                                     u"root"_s, u"--"_s, u"gpu1"_s};
    settings.target = {{}, u"fd00::5"_s, {}};
    QTest::newRow("ipv6 without brackets")
        << settings << QStringList{u"ssh"_s, u"--"_s, u"fd00::5"_s};
    settings.sshConfigFile = u"/my config"_s;
    QTest::newRow("configuration")
        << settings << QStringList{u"ssh"_s, u"-F"_s, u"/my config"_s, u"--"_s, u"fd00::5"_s};
    settings.knownHostsFile = u"/my kh"_s;
    QTest::newRow("known hosts") << settings
                                 << QStringList{u"ssh"_s,
                                                u"-F"_s,
                                                u"/my config"_s,
                                                u"-o"_s,
                                                u"UserKnownHostsFile=\"/my kh\""_s,
                                                u"-o"_s,
                                                u"GlobalKnownHostsFile=none"_s,
                                                u"--"_s,
                                                u"fd00::5"_s};
    settings = {};
    settings.target.host = u"gpu1"_s;
    settings.identityFile = u"/k/100%"_s;
    QTest::newRow("key") << settings << QStringList{u"ssh"_s,
                                                    u"-o"_s,
                                                    u"IdentityFile=\"/k/100%%\""_s,
                                                    u"-o"_s,
                                                    u"IdentitiesOnly=yes"_s,
                                                    u"--"_s,
                                                    u"gpu1"_s};
    settings.identityFile.clear();
    settings.acceptNewHostKey = true; // ours alone: the person's terminal asks for itself
    QTest::newRow("what ssh decides for itself")
        << settings << QStringList{u"ssh"_s, u"--"_s, u"gpu1"_s};
}

void TstSshCommandLine::line()
{
    QFETCH(ConnectionSettings, settings);
    QFETCH(QStringList, words);
    QCOMPARE(sshCommandLine(settings), words);
}

PILOTHOUSE_TEST_MAIN(TstSshCommandLine)
#include "tst_sshcommandline.moc"
