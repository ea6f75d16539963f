// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/specialfile.h"
#include "tests/support/testmain.h"
#include "tests/unit/ctl/ctlrun.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>

#include <csignal>
#include <sys/stat.h>

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstCtl final : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void usage_saysWhatIsWrong_data();
    void usage_saysWhatIsWrong();
    void help_isPrinted_data();
    void help_isPrinted();
    void version_isPrinted();
    void laterCommand_isRefusedInOneSentence_data();
    void laterCommand_isRefusedInOneSentence();
    void hosts_withoutAFile_isEmpty();
    void noFile_inPlaceOfAnInventory_data();
    void noFile_inPlaceOfAnInventory();
    void hosts_areListed();
    void hosts_asJson();
    void hosts_brokenInventory_isALocalFailure_data();
    void hosts_brokenInventory_isALocalFailure();
    void hosts_colours_data();
    void hosts_colours();
    void commonOptions_standBeforeAndAfter();
    void brokenInventory_isALocalFailure_data();
    void brokenInventory_isALocalFailure();
    void missingFile_isALocalFailure_data();
    void missingFile_isALocalFailure();
    void fullOutput_isALocalFailure();
    void closedOutput_isALocalFailure();
    void readerGone_isNoCrash();
    void plainLocale_bringsNoWarning();
    void interruptWhileSshIsAsked_isQuiet_data();
    void interruptWhileSshIsAsked_isQuiet();

private:
    [[nodiscard]] QString home() const { return m_home->path(); }
    void writeInventory(const QByteArray &text) const;

    std::unique_ptr<QTemporaryDir> m_home;
};

void TstCtl::init()
{
    m_home = std::make_unique<QTemporaryDir>();
    QVERIFY(m_home->isValid());
}

void TstCtl::writeInventory(const QByteArray &text) const
{
    QVERIFY(QDir().mkpath(home() + u"/.config/pilothouse"_s));
    QFile file(home() + u"/.config/pilothouse/hosts.toml"_s);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text), text.size());
}

void TstCtl::usage_saysWhatIsWrong_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char *name, const QStringList &arguments, const char *words) {
        QTest::newRow(name) << arguments << QByteArray(words);
    };
    row("nothing", {}, "No command is given. See pilothousectl --help.");
    row("unknown command", {u"shapsnot"_s}, "There is no command \"shapsnot\".");
    row("help for an unknown command", {u"help"_s, u"shapsnot"_s}, "There is no command \"shapsnot\".");
    row("help is no target", {u"help"_s, u"help"_s}, "There is no command \"help\".");
    row("hostile command", {u"a\033[31mb"_s}, "There is no command \"a\u241B[31mb\".");
    row("unknown option", {u"--frobnicate"_s, u"hosts"_s}, "There is no option --frobnicate before the command.");
    row("unknown option of a command", {u"hosts"_s, u"--deep"_s}, "There is no option --deep for hosts.");
    row("own option before the command", {u"--deep"_s, u"snapshot"_s, u"a"_s}, "There is no option --deep before");
    row("short option", {u"hosts"_s, u"-j"_s}, "There is no option -j for hosts.");
    row("value missing", {u"hosts"_s, u"--config"_s}, "--config needs a value (DIR).");
    row("value empty", {u"hosts"_s, u"--config="_s}, "--config: expected a path, found \"\".");
    row("value for a flag", {u"hosts"_s, u"--json=yes"_s}, "--json takes no value.");
    row("no target", {u"snapshot"_s}, "snapshot needs more: snapshot TARGET");
    row("two targets", {u"test"_s, u"a"_s, u"b"_s}, "\"b\" is one argument too many for test.");
    row("argument for hosts", {u"hosts"_s, u"a"_s}, "\"a\" is one argument too many for hosts.");
    row("nobody to ask", {u"reclaim"_s, u"a"_s}, "There is no terminal to ask for consent. Use --yes, or --dry-run");
    row("plan and deed", {u"reclaim"_s, u"a"_s, u"--dry-run"_s, u"--yes"_s}, "--dry-run and --yes exclude each other.");
    row("plan without yes", {u"reclaim"_s, u"a"_s, u"--plan"_s, u"0123456789ab"_s}, "--plan goes with --yes.");
    row("plan's id", {u"reclaim"_s, u"a"_s, u"--yes"_s, u"--plan"_s, u"../../etc/x"_s}, "--plan: expected the id that --dry-run prints");
    row("process without its start", {u"reclaim"_s, u"a"_s, u"--include"_s, u"4242"_s}, "--include: expected PID:START");
    row("process 1", {u"reclaim"_s, u"a"_s, u"--include"_s, u"1:1"_s}, "--include: expected PID:START");
    row("GPU as a word", {u"reclaim"_s, u"a"_s, u"--gpu"_s, u"-1"_s}, "--gpu: expected the index of a GPU");
    row("below nothing", {u"reclaim"_s, u"a"_s, u"--below"_s, u"1.5"_s}, "--below: expected a whole number of MiB");
    row("timeout as a word", {u"hosts"_s, u"--timeout"_s, u"soon"_s}, "--timeout: expected a number of seconds");
    row("timeout of nothing", {u"hosts"_s, u"--timeout"_s, u"0"_s}, "--timeout: expected a number of seconds");
    row("timeout without end", {u"hosts"_s, u"--timeout"_s, u"inf"_s}, "--timeout: expected a number of seconds");
    row("timeout that is none", {u"hosts"_s, u"--timeout"_s, u"nan"_s}, "--timeout: expected a number of seconds");
    row("sudo unheard of", {u"hosts"_s, u"--sudo"_s, u"yes"_s}, "--sudo: expected never, nopasswd, ask, found \"yes\".");
    row("colour unheard of", {u"hosts"_s, u"--color"_s, u"red"_s}, "--color: expected auto, always, never, found");
    row("count alone", {u"snapshot"_s, u"a"_s, u"--count"_s, u"2"_s}, "--count goes with --watch.");
    row("count of nothing", {u"snapshot"_s, u"a"_s, u"--watch"_s, u"1"_s, u"--count"_s, u"0"_s},
        "--count: expected a whole number from 1, found \"0\".");
    row("watch of nothing", {u"snapshot"_s, u"a"_s, u"--watch"_s, u"0"_s}, "--watch: expected a number of seconds");
    row("bad unit", {u"snapshot"_s, u"a"_s, u"--unit"_s, u"a b"_s}, "--unit: expected the name of a systemd unit");
    row("evidence to nowhere", {u"evidence"_s, u"a"_s}, "evidence needs -o FILE.tar.gz.");
    row("evidence to an empty name", {u"evidence"_s, u"a"_s, u"-o"_s, QString()}, "-o: expected a path");
    row("target with a dash", {u"snapshot"_s, u"--"_s, u"-oProxyCommand=x"_s}, "The command cannot be understood");
    row("empty target", {u"snapshot"_s, QString()}, "The command cannot be understood");
    row("target with a port out of range", {u"test"_s, u"a:70000"_s}, "The command cannot be understood");
    row("target with an open bracket", {u"test"_s, u"[::1"_s}, "The command cannot be understood");
}

void TstCtl::usage_saysWhatIsWrong()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, words);
    const CtlResult result = runCtl(arguments, home());
    QCOMPARE(result.exitCode, 2);
    QCOMPARE(result.output, QByteArray());
    QVERIFY2(result.errors.contains(words), result.errors.constData());
    QVERIFY(result.errors.startsWith("pilothousectl: "));
    QCOMPARE(result.errors.count('\n'), 1);
}

void TstCtl::help_isPrinted_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("general") << QStringList{u"--help"_s} << QByteArray("usage: pilothousectl COMMAND");
    QTest::newRow("snapshot") << QStringList{u"snapshot"_s, u"--help"_s}
                              << QByteArray("usage: pilothousectl snapshot TARGET [--unit U]... [--deep]");
    QTest::newRow("before") << QStringList{u"--help"_s, u"test"_s}
                            << QByteArray("usage: pilothousectl test TARGET [OPTION...]");
    QTest::newRow("hosts") << QStringList{u"hosts"_s, u"--help"_s}
                           << QByteArray("usage: pilothousectl hosts [OPTION...]");
    QTest::newRow("short") << QStringList{u"-h"_s} << QByteArray("usage: pilothousectl COMMAND");
    QTest::newRow("short, of a command") << QStringList{u"test"_s, u"-h"_s}
                                         << QByteArray("usage: pilothousectl test TARGET [OPTION...]");
    QTest::newRow("as a command") << QStringList{u"help"_s} << QByteArray("usage: pilothousectl COMMAND");
    QTest::newRow("as a command, of one") << QStringList{u"help"_s, u"snapshot"_s}
                                          << QByteArray("usage: pilothousectl snapshot TARGET [--unit U]");
}

void TstCtl::help_isPrinted()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, words);
    const CtlResult result = runCtl(arguments, home());
    QCOMPARE(result.exitCode, 0);
    QVERIFY2(result.output.startsWith(words), result.output.constData());
    for (const char *option : {"--json", "--config DIR", "--ssh-config FILE", "--known-hosts FILE", "--identity FILE",
                               "--accept-new-host-key", "--timeout SEC", "--sudo never|nopasswd|ask", "--read-only",
                               "--color auto|always|never", "--version", "--help"})
        QVERIFY2(result.output.contains(option), option);
    QCOMPARE(result.errors, QByteArray());
}

void TstCtl::version_isPrinted()
{
    for (const QStringList &arguments : {QStringList{u"--version"_s}, QStringList{u"hosts"_s, u"--version"_s}}) {
        const CtlResult result = runCtl(arguments, home());
        QCOMPARE(result.exitCode, 0);
        QVERIFY2(result.output.startsWith("pilothousectl 0."), result.output.constData());
        QCOMPARE(result.output.count('\n'), 1);
    }
}

void TstCtl::laterCommand_isRefusedInOneSentence_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("history") << QStringList{u"--json"_s, u"history"_s, u"gpu1"_s};
}

void TstCtl::laterCommand_isRefusedInOneSentence()
{
    QFETCH(const QStringList, arguments);
    const CtlResult result = runCtl(arguments, home());
    QCOMPARE(result.exitCode, 2);
    QCOMPARE(result.output, QByteArray());
    const QByteArray name = arguments.value(arguments.first().startsWith(u'-') ? 1 : 0).toUtf8();
    QCOMPARE(result.errors, QByteArray("pilothousectl: The command " + name + " is not in this version.\n"));
}

void TstCtl::hosts_withoutAFile_isEmpty()
{
    const CtlResult table = runCtl({u"hosts"_s}, home());
    QCOMPARE(table.exitCode, 0);
    QCOMPARE(table.output, QByteArray());
    QVERIFY(table.errors.contains("/.config/pilothouse/hosts.toml"));
    const CtlResult json = runCtl({u"hosts"_s, u"--json"_s}, home());
    QCOMPARE(json.exitCode, 0);
    QCOMPARE(json.json().value(0).value(u"hosts"_s).toArray(), QJsonArray());
    QCOMPARE(json.errors, QByteArray());
}

void TstCtl::noFile_inPlaceOfAnInventory_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QByteArray>("words");
    for (const QString &kind : {u"pipe"_s, u"folder"_s, u"socket"_s}) {
        QTest::addRow("hosts.toml is a %s", qPrintable(kind))
            << u"hosts.toml"_s << kind << QByteArray("/hosts.toml cannot be read: it is not a file.");
        QTest::addRow("an included file is a %s", qPrintable(kind))
            << u"team.toml"_s << kind << QByteArray("/hosts.toml:1:12: the included file ");
        QTest::addRow("an imported file is a %s", qPrintable(kind))
            << u"imported/x.toml"_s << kind << QByteArray("/hosts.toml:1:12: the included file ");
    }
}

void TstCtl::noFile_inPlaceOfAnInventory()
{
    QFETCH(const QString, file);
    QFETCH(const QString, kind);
    QFETCH(const QByteArray, words);
    if (file != u"hosts.toml")
        writeInventory("include = [\"" + file.toUtf8() + "\"]\n");
    const QString path = home() + u"/.config/pilothouse/"_s + file;
    QVERIFY(QDir().mkpath(QFileInfo(path).path()));
    QFile::remove(path);
    if (kind == u"pipe")
        QCOMPARE(::mkfifo(QFile::encodeName(path).constData(), 0600), 0);
    else
        QVERIFY(kind == u"folder" ? QDir().mkpath(path) : makeSocket(path));
    for (const QStringList &command : {QStringList{u"hosts"_s}, QStringList{u"status"_s}, QStringList{u"snapshot"_s, u"a"_s},
                                       QStringList{u"test"_s, u"a"_s}}) {
        const CtlResult result = runCtl(command, home(), 10'000);
        QVERIFY2(result.exitCode == 8, qPrintable(command.first() + u": "_s + QString::fromUtf8(result.errors)));
        QCOMPARE(result.output, QByteArray());
        QVERIFY2(result.errors.contains(words) && result.errors.contains("not a file"), result.errors.constData());
    }
}

void TstCtl::hosts_areListed()
{
    writeInventory("include = [\"team.toml\"]\n"
                   "[[host]]\nname = \"gpu1\"\nssh = \"root@10.0.0.5\"\ntags = [\"prod\", \"rack-3\"]\n"
                   "[[host.service]]\nname = \"kimi\"\nunit = \"vllm\"\n[[host]]\nname = \"b\"\naccess = \"read-only\"\n");
    QFile team(home() + u"/.config/pilothouse/team.toml"_s);
    QVERIFY(team.open(QIODevice::WriteOnly));
    team.write("[[host]]\nname = \"t\"\n");
    team.close();
    const CtlResult result = runCtl({u"hosts"_s}, home());
    QCOMPARE(result.exitCode, 0);
    QCOMPARE(result.output, QByteArray("HOST  SSH            TAGS          ACCESS     SUDO   SERVICES  FILE\n"
                                       "t     t                            confirm    never            team.toml (read-only)\n"
                                       "gpu1  root@10.0.0.5  prod, rack-3  confirm    never  kimi      hosts.toml\n"
                                       "b     b                            read-only  never            hosts.toml\n"));
}

void TstCtl::hosts_asJson()
{
    writeInventory("[[host]]\nname = \"gpu1\"\nexpected_gpus = 8\n"
                   "[[host.service]]\nname = \"kimi\"\nunit = \"vllm\"\ngpus = [0, \"GPU-1\"]\n[[host]]\nname = \"b\"\n");
    const CtlResult result = runCtl({u"hosts"_s, u"--json"_s}, home());
    QCOMPARE(result.exitCode, 0);
    QCOMPARE(result.json().size(), 1);
    const QJsonArray hosts = result.json().first().value(u"hosts"_s).toArray();
    QCOMPARE(hosts.size(), 2);
    const QJsonObject gpu1 = hosts.at(0).toObject();
    QCOMPARE(gpu1.value(u"expected_gpus"_s).toInt(), 8);
    QCOMPARE(gpu1.value(u"threshold_mib"_s).toInt(), 1000);
    QCOMPARE(gpu1.value(u"access"_s).toString(), u"confirm"_s);
    QCOMPARE(gpu1.value(u"origin"_s).toString(), u"own"_s);
    QCOMPARE(gpu1.value(u"read_only_source"_s), QJsonValue(false));
    const QJsonObject kimi = gpu1.value(u"services"_s).toArray().at(0).toObject();
    QCOMPARE(kimi.value(u"gpus"_s).toArray(), (QJsonArray{0, u"GPU-1"_s}));
    QVERIFY(kimi.value(u"health"_s).isNull());
    QVERIFY(hosts.at(1).toObject().value(u"expected_gpus"_s).isNull()); // not said is not zero
}

void TstCtl::hosts_brokenInventory_isALocalFailure_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("circle") << QByteArray("include = [\"hosts.toml\"]\n") << QByteArray("hosts.toml:1:12: the included file ");
    QTest::newRow("missing include") << QByteArray("include = [\"n.toml\"]\n") << QByteArray("n.toml does not exist.");
    QTest::newRow("mistakes") << QByteArray("[[host]]\nnmae = 1\n") << QByteArray("perhaps \"name\" is meant");
    QTest::newRow("binary") << QByteArray("\0\1", 2) << QByteArray("this is no TOML file");
}

void TstCtl::hosts_brokenInventory_isALocalFailure()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QByteArray, words);
    writeInventory(text);
    const CtlResult result = runCtl({u"hosts"_s}, home());
    QCOMPARE(result.exitCode, 8);
    QCOMPARE(result.output, QByteArray());
    QVERIFY2(result.errors.contains(words), result.errors.constData());
}

void TstCtl::hosts_colours_data()
{
    QTest::addColumn<QString>("mode");
    QTest::addColumn<bool>("coloured");
    QTest::newRow("auto, no terminal") << u"auto"_s << false;
    QTest::newRow("always") << u"always"_s << true;
    QTest::newRow("never") << u"never"_s << false;
}

void TstCtl::hosts_colours()
{
    QFETCH(const QString, mode);
    QFETCH(const bool, coloured);
    writeInventory("[[host]]\nname = \"gpu1\"\n");
    const CtlResult result = runCtl({u"hosts"_s, u"--color"_s, mode}, home());
    QCOMPARE(result.output.contains('\033'), coloured);
}

void TstCtl::commonOptions_standBeforeAndAfter()
{
    QTemporaryDir other;
    QFile file(other.filePath(u"hosts.toml"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("[[host]]\nname = \"other\"\n");
    file.close();
    const QString folder = other.path();
    for (const QStringList &arguments :
         {QStringList{u"--json"_s, u"--config"_s, folder, u"hosts"_s},
          QStringList{u"hosts"_s, u"--config="_s + folder, u"--json"_s},
          QStringList{u"--json"_s, u"hosts"_s, u"--config"_s, folder, u"--sudo"_s, u"ask"_s, u"--read-only"_s,
                      u"--timeout"_s, u"2.5"_s, u"--accept-new-host-key"_s, u"--known-hosts"_s, u"/k"_s}}) {
        const CtlResult result = runCtl(arguments, home());
        QVERIFY2(result.exitCode == 0, result.errors.constData());
        QCOMPARE(result.json().value(0).value(u"hosts"_s).toArray().at(0).toObject().value(u"name"_s).toString(),
                 u"other"_s);
    }
}

void TstCtl::brokenInventory_isALocalFailure_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("hosts") << QStringList{u"hosts"_s};
    QTest::newRow("snapshot") << QStringList{u"snapshot"_s, u"127.0.0.1:1"_s};
    QTest::newRow("test") << QStringList{u"test"_s, u"127.0.0.1:1"_s, u"--json"_s};
}

void TstCtl::brokenInventory_isALocalFailure()
{
    QFETCH(const QStringList, arguments);
    writeInventory("[[host]]\nname = 1\n");
    const CtlResult result = runCtl(arguments, home());
    QCOMPARE(result.exitCode, 8);
    QCOMPARE(result.output, QByteArray());
    QVERIFY2(result.errors.contains("/hosts.toml:2:8: expected a string for \"name\", found an integer."),
             result.errors.constData());
}

void TstCtl::missingFile_isALocalFailure_data()
{
    QTest::addColumn<QString>("option");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char *name, const QString &option, const QString &value, const char *words) {
        QTest::newRow(name) << option << value << QByteArray(words);
    };
    row("identity", u"--identity"_s, u"/nowhere"_s, "/nowhere cannot be read.");
    row("identity is a folder", u"--identity"_s, u"/"_s, "/ is a folder, not a file.");
    row("SSH configuration", u"--ssh-config"_s, u"/nowhere"_s, "/nowhere cannot be read.");
    row("SSH configuration is a folder", u"--ssh-config"_s, u"/"_s, "/ is a folder, not a file.");
    row("configuration", u"--config"_s, u"/nowhere"_s, "/nowhere is no folder.");
    row("configuration is a file", u"--config"_s, u"/dev/null"_s, "/dev/null is no folder.");
}

void TstCtl::missingFile_isALocalFailure()
{
    QFETCH(const QString, option);
    QFETCH(const QString, value);
    QFETCH(const QByteArray, words);
    const CtlResult result = runCtl({u"snapshot"_s, u"127.0.0.1:1"_s, option, value}, home());
    QCOMPARE(result.exitCode, 8);
    QVERIFY2(result.errors.contains(words), result.errors.constData());
}

void TstCtl::fullOutput_isALocalFailure()
{
    writeInventory("[[host]]\nname = \"gpu1\"\n");
    QProcess process;
    process.setProcessEnvironment(ctlEnvironment(home()));
    process.setStandardOutputFile(u"/dev/full"_s);
    process.start(ctlProgram(), {u"hosts"_s});
    QVERIFY(process.waitForFinished(30'000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 8);
    QVERIFY(process.readAllStandardError().contains("Standard output cannot be written"));
}

void TstCtl::closedOutput_isALocalFailure()
{
    // What is opened next must not take the place of standard output: it could be a connection.
    writeInventory("[[host]]\nname = \"gpu1\"\n");
    QProcess shell;
    shell.setProcessEnvironment(ctlEnvironment(home()));
    shell.start(u"/bin/sh"_s, {u"-c"_s, u"\"$0\" hosts >&-; echo \"code $?\"; \"$0\" hosts <&- >/dev/null 2>&-; echo \"code $?\""_s,
                               ctlProgram()});
    QVERIFY(shell.waitForFinished(30'000));
    QCOMPARE(shell.readAllStandardOutput(), QByteArray("code 8\ncode 0\n"));
    const QByteArray errors = shell.readAllStandardError();
    QVERIFY2(errors.contains("Standard output cannot be written: Bad file descriptor."), errors.constData());
}

void TstCtl::readerGone_isNoCrash()
{
    writeInventory("[[host]]\nname = \"gpu1\"\n");
    QProcess piped;
    piped.setProcessEnvironment(ctlEnvironment(home()));
    piped.start(u"/bin/bash"_s,
                {u"-c"_s, u"set -o pipefail; ( sleep 0.3; exec \"$0\" hosts ) | true; echo \"code $?\""_s, ctlProgram()});
    QVERIFY(piped.waitForFinished(30'000));
    QCOMPARE(piped.readAllStandardOutput(), QByteArray("code 0\n"));
    QCOMPARE(piped.readAllStandardError(), QByteArray());
}

void TstCtl::plainLocale_bringsNoWarning()
{
    writeInventory("[[host]]\nname = \"gpu-é\"\nssh = \"gpu1\"\n");
    QProcess process;
    QProcessEnvironment environment = ctlEnvironment(home());
    environment.insert(u"LC_ALL"_s, u"C"_s);
    process.setProcessEnvironment(environment);
    process.start(ctlProgram(), {u"hosts"_s});
    QVERIFY(process.waitForFinished(30'000));
    QCOMPARE(process.readAllStandardError(), QByteArray());
    QVERIFY(process.readAllStandardOutput().contains("gpu-é"));
}

void TstCtl::interruptWhileSshIsAsked_isQuiet_data()
{
    QTest::addColumn<QString>("command");
    QTest::newRow("snapshot") << u"snapshot"_s;
    QTest::newRow("test") << u"test"_s;
}

void TstCtl::interruptWhileSshIsAsked_isQuiet()
{
    QFETCH(const QString, command);
    // An ssh that is still thinking when Ctrl+C comes.
    QFile ssh(home() + u"/ssh"_s);
    QVERIFY(ssh.open(QIODevice::WriteOnly));
    ssh.write("#!/bin/sh\n: >\"${0%/*}/asked\"\nexec /bin/sleep 30\n");
    ssh.close();
    QVERIFY(ssh.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    QProcessEnvironment environment = ctlEnvironment(home());
    environment.insert(u"PATH"_s, home());
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(ctlProgram(), {command, u"gpu1"_s});
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(home() + u"/asked"_s), 20'000);
    ::kill(pid_t(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(10'000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 130);
    QCOMPARE(process.readAllStandardError(), QByteArray());
}

PILOTHOUSE_TEST_MAIN(TstCtl)
#include "tst_ctl.moc"
