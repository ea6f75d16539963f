// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/consoleoptions.h"

#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

Result<ConsoleOptions> parsed(const QString &line)
{
    return parseConsoleOptions(QStringList{u"pilothouse"_s} + line.split(u' ', Qt::SkipEmptyParts));
}

} // namespace

class TstConsoleOptions : public QObject
{
    Q_OBJECT
private slots:
    void everyOption()
    {
        const auto options = parsed(u"--config /c --ssh-config /s --known-hosts /k --identity /i "
                                    "--accept-new-host-key --timeout 2.5 --sudo ask --read-only --theme dark "
                                    "gpu1/kimi"_s);
        QVERIFY(options);
        QCOMPARE(options->configDir, u"/c"_s);
        QCOMPARE(options->fleet.sshConfigFile, u"/s"_s);
        QCOMPARE(options->fleet.knownHostsFile, u"/k"_s);
        QCOMPARE(options->fleet.identityFile, u"/i"_s);
        QVERIFY(options->fleet.acceptNewHostKey);
        QVERIFY(options->fleet.timeout == 2500ms);
        QVERIFY(options->fleet.sudo == SudoPolicy::Ask);
        QVERIFY(options->readOnly);
        QVERIFY(options->fleet.askPerson);
        QVERIFY(!options->fleet.consoleId.isEmpty());
        QCOMPARE(options->target, u"gpu1"_s);
        QCOMPARE(options->service, u"kimi"_s);
    }

    void screenshot_asksNobody()
    {
        const auto options = parsed(u"gpu1 --screenshot /tmp/x.png --offscreen --demo"_s);
        QVERIFY(options);
        QVERIFY(!options->fleet.askPerson);
        QVERIFY(options->offscreen);
        QVERIFY(options->demo);
        QCOMPARE(options->screenshot, u"/tmp/x.png"_s);
    }

    void defaults()
    {
        const auto options = parsed({});
        QVERIFY(options);
        QVERIFY(options->configDir.endsWith(u"/pilothouse"_s));
        QVERIFY(options->stateDir.endsWith(u"/pilothouse"_s));
        QVERIFY(!options->fleet.timeout);
        QVERIFY(!options->fleet.sudo);
        QVERIFY(options->target.isEmpty());
    }

    void usage_data()
    {
        QTest::addColumn<QString>("line");
        QTest::newRow("unknown option") << u"--frob"_s;
        QTest::newRow("two targets") << u"gpu1 gpu2"_s;
        QTest::newRow("timeout in words") << u"--timeout soon"_s;
        QTest::newRow("timeout zero") << u"--timeout 0"_s;
        QTest::newRow("timeout not a number") << u"--timeout nan"_s;
        QTest::newRow("sudo policy") << u"--sudo always"_s;
        QTest::newRow("theme") << u"--theme pink"_s;
        QTest::newRow("value missing") << u"--config"_s;
    }
    void usage()
    {
        QFETCH(QString, line);
        const auto options = parsed(line);
        QVERIFY(!options);
        QCOMPARE(exitCodeOf(options.error().code), 2);
    }

    void helpAndVersion()
    {
        for (const QString &word : {u"--help"_s, u"-h"_s})
            QVERIFY(parsed(word)->printAndExit.contains(u"--accept-new-host-key"_s));
        QVERIFY(parsed(u"--version"_s)->printAndExit.startsWith(u"pilothouse "_s));
    }

    void hostFor_inventoryFirst()
    {
        HostSpec known;
        known.name = u"gpu1"_s;
        known.ssh = u"root@10.0.0.5"_s;
        QCOMPARE(hostFor(u"gpu1"_s, {}, {known}), known);
        const HostSpec typed = hostFor(u"me@box:2222"_s, u"vllm"_s, {known});
        QCOMPARE(typed.name, u"me@box:2222"_s);
        QCOMPARE(typed.ssh, u"me@box:2222"_s);
        QCOMPARE(typed.services.first().unit, u"vllm.service"_s);
    }
};

PILOTHOUSE_TEST_MAIN(TstConsoleOptions)
#include "tst_consoleoptions.moc"
