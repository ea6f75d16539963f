// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/simhost/consolefiles.h"
#include "app/simhost/options.h"
#include "tests/support/testmain.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstScenario : public QObject
{
    Q_OBJECT

    static Result<SimhostOptions> parse(const QStringList &arguments)
    {
        return parseOptions(QStringList{u"pilothouse-simhost"_s} + arguments);
    }

private slots:
    void presets_areAllThere()
    {
        for (const QString &name : presetNames())
            QVERIFY(presetHosts(name).has_value());
        QCOMPARE(presetHosts(u"demo"_s)->size(), 3);
        QCOMPARE(presetHosts(u"nonsense"_s).error().code, ErrorCode::Usage);
    }

    void manyHosts_haveNamesAndCrowds()
    {
        const QList<ScenarioHost> hosts = manyHosts(120, 300);
        QCOMPARE(hosts.size(), 120);
        QCOMPARE(hosts.last().name, u"gpu120"_s);
        QVERIFY(hosts.at(1).files.value(u"host.conf"_s).contains(u"crowd = 300 "_s));
    }

    void folder_isReadBackAsWritten()
    {
        QTemporaryDir folder;
        const ScenarioHost host = presetHosts(u"demo"_s)->first();
        QVERIFY(writeHost(host, folder.path()).has_value());
        const auto hosts = readScenario(folder.path());
        QVERIFY(hosts.has_value());
        QCOMPARE(hosts->first().files, host.files);
        QCOMPARE(hosts->first().services, host.services);
        QTemporaryDir empty;
        QCOMPARE(readScenario(empty.path()).error().code, ErrorCode::LocalIo);
    }

    void consoleFiles_nameTheHosts()
    {
        const QList<ServedHost> hosts = {{presetHosts(u"demo"_s)->first(), 4711, u"ssh-ed25519 AAAA"_s}};
        const QString config = sshConfigText(hosts, u"/tmp/a b"_s, u"127.0.0.1"_s);
        QVERIFY(config.contains(u"Host gpu1\n    HostName 127.0.0.1\n    Port 4711\n"_s));
        QVERIFY(config.contains(u"IdentityFile \"/tmp/a b/identity\""_s));
        QCOMPARE(knownHostsText(hosts, u"127.0.0.1"_s),
                 u"# Simulated hosts of pilothouse-simhost; gone when it ends.\n[127.0.0.1]:4711 ssh-ed25519 AAAA\n"_s);
        QVERIFY(hostsTomlText(hosts).contains(u"[[host.service]]\nname = \"vllm-kimi-k25\"\n"
                                              "unit = \"vllm-kimi-k25.service\"\n"_s));
        const QJsonObject ready = QJsonDocument::fromJson(readyLine(hosts, u"/d"_s, true)).object();
        QCOMPARE(ready.value(u"mode"_s).toString(), u"memory"_s);
        QCOMPARE(ready.value(u"hosts"_s).toArray().at(0).toObject().value(u"port"_s).toInt(), 4711);
    }

    void options_areUnderstood()
    {
        QTemporaryDir parent;
        const QString folder = parent.filePath(u"new/dir"_s);
        const auto options = parse({u"--dir"_s, folder, u"--hosts"_s, u"4"_s, u"--fast"_s});
        QVERIFY(options.has_value());
        QCOMPARE(options->simulation.hosts.size(), 4);
        QVERIFY(options->simulation.inMemory);
        QCOMPARE(options->simulation.folder, folder);
        QVERIFY(!QFileInfo::exists(folder)); // nothing is made before it runs
    }

    void options_refused_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("no folder") << QStringList{u"--fast"_s};
        QTest::newRow("unknown option") << QStringList{u"--listen-everywhere"_s};
        QTest::newRow("stray word") << QStringList{u"gpu1"_s};
        QTest::newRow("no number") << QStringList{u"--dir"_s, u"/tmp/x"_s, u"--hosts"_s, u"many"_s};
        QTest::newRow("too many") << QStringList{u"--dir"_s, u"/tmp/x"_s, u"--hosts"_s, u"100000"_s};
        QTest::newRow("unknown scenario") << QStringList{u"--dir"_s, u"/tmp/x"_s, u"--scenario"_s, u"x"_s};
    }
    void options_refused()
    {
        QFETCH(QStringList, arguments);
        const auto options = parse(arguments);
        QVERIFY(!options);
        QCOMPARE(options.error().code, ErrorCode::Usage);
    }
};

PILOTHOUSE_TEST_MAIN(TstScenario)
#include "tst_scenario.moc"
