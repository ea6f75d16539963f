// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// `pilothousectl status` against simulated GPU hosts and a real sshd at once.
#include "tests/support/simhosts.h"
#include "tests/support/sshdserver.h"
#include "tests/unit/ctl/ctlrun.h"

#include <QDir>
#include <QJsonArray>
#include <QTemporaryDir>

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstCtlStatus final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void demo_hasALineAService();
    void oneGoodHost_ends0();
    void table_isForPeople();
    void nothingWritten_servicesAreFound();
    void deadHost_hasItsLineAndDisturbsNobody();
    void several_endWithTheWorst_data();
    void several_endWithTheWorst();
    void whatConcernsSeveralServices_isSaidOnce();
    void tags_choose();
    void nothingToLookAt_saysWhatToDo_data();
    void nothingToLookAt_saysWhatToDo();
    void cleanupTestCase();

private:
    [[nodiscard]] CtlResult run(const QStringList &arguments) const
    {
        return runCtl(QStringList{u"status"_s, u"--config"_s, m_home.filePath(u"config"_s), u"--ssh-config"_s,
                                  m_home.filePath(u"ssh_config"_s)}
                          + arguments,
                      m_home.path());
    }
    void writeInventory(const QByteArray &text) const
    {
        QVERIFY(writeFile(m_home.filePath(u"config/hosts.toml"_s), text));
    }
    [[nodiscard]] static QJsonArray servicesOf(const CtlResult &result)
    {
        return result.json().value(0).value(u"services"_s).toArray();
    }

    QTemporaryDir m_home;
    SimHosts m_hosts;
    SshdServer m_server;
    QByteArray m_demo;
};

void TstCtlStatus::initTestCase()
{
    QVERIFY(QDir(m_home.path()).mkpath(u"config"_s));
    QVERIFY2(m_hosts.start({u"--scenario"_s, u"demo"_s}), m_hosts.errors().constData());
    QVERIFY2(m_server.start(), qPrintable(m_server.error()));
    QVERIFY(m_server.writeClientConfig());
    m_demo = readFile(m_hosts.folder() + u"/hosts.toml"_s);
    const QByteArray real = readFile(m_server.path(u"ssh_config"_s));
    const QByteArray refused = QByteArray(real).replace("gpu_01", "refused").replace("/id\n", "/stranger\n");
    const QByteArray unknown = QByteArray(real).replace("gpu_01", "unknown").replace("/known_hosts", "/none");
    QVERIFY(makeKey(m_server.path(u"stranger"_s)));
    QVERIFY(writeFile(m_home.filePath(u"ssh_config"_s),
                      readFile(m_hosts.folder() + u"/ssh_config"_s) + '\n' + real + '\n' + refused + '\n' + unknown
                          + "\nHost dead\n    HostName 127.0.0.1\n    Port " + QByteArray::number(freePort()) + '\n'));
}

void TstCtlStatus::init()
{
    writeInventory(m_demo);
}

void TstCtlStatus::cleanupTestCase()
{
    QVERIFY(m_hosts.end());
}

void TstCtlStatus::demo_hasALineAService()
{
    CtlResult result;
    const auto memory = [&] { // the simulated server takes some seconds to load its model
        result = run({u"--json"_s});
        return servicesOf(result).at(0)[u"memory_mib"].toInt();
    };
    QTRY_COMPARE_WITH_TIMEOUT(memory(), 8 * 96615, 60'000);
    const QJsonArray services = servicesOf(result);
    QCOMPARE(services.size(), 3);
    const QJsonValue serving = services.at(0);
    QCOMPARE(serving[u"host"].toString(), u"gpu1"_s);
    QCOMPARE(serving[u"service"].toString(), u"vllm-kimi-k25"_s);
    QCOMPARE(serving[u"state"].toString(), u"running"_s);
    QCOMPARE(serving[u"found"].toBool(), false);
    QVERIFY(QDateTime::fromString(serving[u"host_since"].toString(), Qt::ISODateWithMs).isValid());
    QCOMPARE(serving[u"leftovers_mib"].toInt(-1), 0);
    QCOMPARE(serving[u"exit_code"].toInt(), 0);
    QCOMPARE(services.at(1)[u"host"].toString(), u"gpu2"_s);
    // The founding case: the unit waits, others hold the memory.
    QCOMPARE(services.at(2)[u"host"].toString(), u"gpu3"_s);
    QCOMPARE(services.at(2)[u"service"].toString(), u"vllm-kimi-k25"_s);
    QCOMPARE(services.at(2)[u"memory_mib"].toInt(-1), 0);
    QVERIFY(services.at(2)[u"active"].toString() != u"active"_s);
    QCOMPARE(services.at(2)[u"exit_code"].toInt(), 1);
    // They are young: from one look they may be a server that loads, and are never called none.
    QVERIFY(services.at(2)[u"leftovers_mib"].isNull() || services.at(2)[u"leftovers_mib"].toInt() == 8 * 96615);
    QCOMPARE(services.at(2)[u"leftovers_mib"].isNull(), result.errors.contains("gpu3: An orphan is so young"));
    QCOMPARE(result.exitCode, 1);
    QVERIFY2(result.errors.count('\n') <= 1, result.errors.constData());
}

void TstCtlStatus::oneGoodHost_ends0()
{
    QCOMPARE(run({u"gpu1"_s}).exitCode, 0);
    const CtlResult twice = run({u"gpu1"_s, u"gpu1"_s, u"--json"_s});
    QCOMPARE(twice.exitCode, 0);
    QCOMPARE(servicesOf(twice).size(), 1);
    QCOMPARE(servicesOf(run({u"gpu1"_s, u"--all"_s, u"--json"_s})).size(), 3);
}

void TstCtlStatus::table_isForPeople()
{
    const CtlResult result = run({u"gpu1"_s});
    const QList<QByteArray> lines = result.output.split('\n');
    QCOMPARE(lines.at(0).simplified(), QByteArray("HOST SERVICE STATE SINCE MEMORY MIB LEFTOVERS MIB"));
    QVERIFY2(lines.at(1).startsWith("gpu1  vllm-kimi-k25  running"), result.output.constData());
    QVERIFY2(lines.at(1).endsWith(" 0"), result.output.constData());
}

void TstCtlStatus::nothingWritten_servicesAreFound()
{
    writeInventory("[[host]]\nname = \"gpu1\"\n\n[[host]]\nname = \"gpu2\"\n");
    const CtlResult result = run({u"--json"_s});
    const QJsonArray services = servicesOf(result);
    QCOMPARE(services.size(), 2);
    QCOMPARE(services.at(0)[u"unit"].toString(), u"vllm-kimi-k25.service"_s);
    QCOMPARE(services.at(0)[u"found"].toBool(), true);
    QCOMPARE(services.at(0)[u"state"].toString(), u"running"_s);
    QCOMPARE(services.at(0)[u"memory_mib"].toInt(), 8 * 96615);
}

void TstCtlStatus::deadHost_hasItsLineAndDisturbsNobody()
{
    writeInventory("[[host]]\nname = \"dead\"\n" + m_demo);
    const CtlResult result = run({u"dead"_s, u"gpu1"_s, u"--json"_s});
    QCOMPARE(result.exitCode, 3);
    const QJsonArray services = servicesOf(result);
    QCOMPARE(services.size(), 2);
    QCOMPARE(services.at(0)[u"host"].toString(), u"dead"_s);
    QCOMPARE(services.at(0)[u"error"].toString(), u"connect_refused"_s);
    QVERIFY(services.at(0)[u"memory_mib"].isNull());
    QVERIFY(services.at(0)[u"service"].isNull());
    QCOMPARE(services.at(1)[u"state"].toString(), u"running"_s);
    QVERIFY2(result.errors.contains("pilothousectl: dead: "), result.errors.constData());
    QVERIFY2(result.errors.contains("refuses the connection"), result.errors.constData());
    QCOMPARE(result.errors.count('\n'), 1);
}

void TstCtlStatus::several_endWithTheWorst_data()
{
    QTest::addColumn<QStringList>("targets");
    QTest::addColumn<int>("code");
    QTest::newRow("0 1") << QStringList{u"gpu1"_s, u"gpu3"_s} << 1;
    QTest::newRow("1 6") << QStringList{u"gpu3"_s, u"gpu_01"_s} << 6; // no nvidia-smi behind this sshd
    QTest::newRow("6 4") << QStringList{u"gpu_01"_s, u"refused"_s} << 4;
    QTest::newRow("4 5") << QStringList{u"unknown"_s, u"refused"_s} << 5;
    QTest::newRow("5 3 0") << QStringList{u"dead"_s, u"unknown"_s, u"gpu1"_s} << 3;
}

void TstCtlStatus::several_endWithTheWorst()
{
    QFETCH(const QStringList, targets);
    const CtlResult result = run(targets);
    QTEST(result.exitCode, "code");
    QCOMPARE(result.output.count('\n'), targets.size() + 1);
}

void TstCtlStatus::whatConcernsSeveralServices_isSaidOnce()
{
    writeInventory("[[host]]\nname = \"gpu_01\"\n[[host.service]]\nname = \"a\"\nunit = \"a\"\n"
                   "[[host.service]]\nname = \"b\"\nunit = \"b\"\n");
    const CtlResult result = run({});
    QCOMPARE(result.exitCode, 6);
    QCOMPARE(result.output.count('\n'), 3);
    QVERIFY2(result.errors.contains("gpu_01: "), result.errors.constData());
    QCOMPARE(result.errors.count('\n'), 1);
}

void TstCtlStatus::tags_choose()
{
    writeInventory("[[host]]\nname = \"gpu1\"\ntags = [\"prod\", \"a\"]\n[[host]]\nname = \"dead\"\ntags = [\"old\"]\n"
                   "[[host]]\nname = \"gpu2\"\ntags = [\"b\"]\n");
    const auto hosts = [&](const QStringList &arguments) {
        QStringList names;
        for (const QJsonValue &service : servicesOf(run(arguments + QStringList{u"--json"_s})))
            names += service[u"host"].toString();
        return names;
    };
    QCOMPARE(hosts({u"--tag"_s, u"prod"_s}), QStringList{u"gpu1"_s});
    QCOMPARE(hosts({u"--tag"_s, u"b"_s, u"--tag=a"_s}), (QStringList{u"gpu1"_s, u"gpu2"_s}));
    QCOMPARE(hosts({u"gpu2"_s, u"--tag"_s, u"a"_s}), (QStringList{u"gpu2"_s, u"gpu1"_s}));
}

void TstCtlStatus::nothingToLookAt_saysWhatToDo_data()
{
    QTest::addColumn<QByteArray>("inventory");
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("no hosts") << QByteArray() << QStringList() << QByteArray("Name one as TARGET, or add it there");
    QTest::newRow("no such tag") << QByteArray("[[host]]\nname = \"gpu1\"\ntags = [\"a\"]\n")
                                 << QStringList{u"--tag"_s, u"b"_s} << QByteArray("No host of the inventory has the tag \"b\".");
    QTest::newRow("no tag") << QByteArray() << QStringList{u"--tag"_s, QString()} << QByteArray("--tag: expected a tag");
    QTest::newRow("no target") << QByteArray() << QStringList{QString()} << QByteArray("cannot be understood");
}

void TstCtlStatus::nothingToLookAt_saysWhatToDo()
{
    QFETCH(const QByteArray, inventory);
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, words);
    writeInventory(inventory);
    const CtlResult result = run(arguments);
    QCOMPARE(result.exitCode, 2);
    QCOMPARE(result.output, QByteArray());
    QVERIFY2(result.errors.contains(words), result.errors.constData());
}

PILOTHOUSE_SIM_TEST_MAIN(TstCtlStatus)
#include "tst_ctlstatus.moc"
