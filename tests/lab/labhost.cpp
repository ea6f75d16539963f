// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/lab/labhost.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>

#include <filesystem>

namespace pilothouse::test {

using namespace Qt::StringLiterals;

namespace {

QByteArray contents(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void writeText(const QString &path, const QByteArray &text)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qWarning("cannot write %s", qPrintable(path));
}

// The numbers of a status line: "NSpid:\t4711\t12" gives 4711, 12.
QList<qint64> statusNumbers(const QByteArray &status, QByteArrayView key)
{
    QList<qint64> numbers;
    for (const QByteArray &line : status.split('\n')) {
        if (!line.startsWith(key))
            continue;
        for (const QByteArray &word : line.mid(key.size()).simplified().split(' '))
            numbers.append(word.toLongLong());
    }
    return numbers;
}

QString commandLine(const QString &outsidePid)
{
    QByteArray command = contents(u"/proc/%1/cmdline"_s.arg(outsidePid));
    while (command.endsWith('\0'))
        command.chop(1);
    command.replace('\0', ' ');
    return QString::fromUtf8(command);
}

// Names the PID namespace of a process; empty when it is gone. (QFile would read the link as a path.)
std::string pidNamespaceOf(const QString &pid)
{
    std::error_code error;
    return std::filesystem::read_symlink(u"/proc/%1/ns/pid"_s.arg(pid).toStdString(), error).string();
}

} // namespace

QJsonObject Ran::json() const
{
    return QJsonDocument::fromJson(output).object();
}

QByteArray Ran::summary() const
{
    return "exit " + QByteArray::number(exitCode) + " after " + QByteArray::number(tookMs) + " ms\nOUT " + output.left(4000)
        + "\nERR " + errors.left(4000);
}

Ran run(const QString &program, const QStringList &arguments, const QByteArray &input, std::chrono::milliseconds limit)
{
    Ran ran;
    QElapsedTimer clock;
    clock.start();
    QProcess process;
    process.start(program, arguments);
    process.write(input);
    process.closeWriteChannel();
    if (!process.waitForFinished(int(limit.count()))) {
        process.kill();
        process.waitForFinished(5000);
    } else if (process.exitStatus() == QProcess::NormalExit) {
        ran.exitCode = process.exitCode();
    }
    ran.output = process.readAllStandardOutput();
    ran.errors = process.readAllStandardError();
    ran.tookMs = clock.elapsed();
    return ran;
}

QString labFolder()
{
    return qEnvironmentVariable("PILOTHOUSE_LAB");
}

LabHost::LabHost(int number)
    : m_name(u"lab"_s + QString::number(number))
    , m_address(QString::fromLatin1(contents(file(u"address"_s)).trimmed()))
{
}

QString LabHost::file(const QString &path) const
{
    return labFolder() + u"/hosts/"_s + m_name + u'/' + path;
}

qint64 LabHost::leader() const
{
    return contents(file(u"leader"_s)).trimmed().toLongLong();
}

Ran LabHost::in(const QString &script, std::chrono::milliseconds limit) const
{
    return run(u"nsenter"_s,
               {u"--target"_s, QString::number(leader()), u"--all"_s, u"--"_s, u"/bin/sh"_s, u"-c"_s, script}, {}, limit);
}

QByteArray LabHost::sh(const QString &script, std::chrono::milliseconds limit) const
{
    const Ran ran = in(script, limit);
    if (ran.exitCode != 0)
        QTest::qFail(ran.summary().constData(), __FILE__, __LINE__);
    return ran.output;
}

void LabHost::cutCable() const
{
    if (const Ran ran = run(u"ip"_s, {u"link"_s, u"set"_s, u"ve-"_s + m_name, u"down"_s}); ran.exitCode != 0)
        QTest::qFail(ran.summary().constData(), __FILE__, __LINE__);
}

void LabHost::joinCable() const
{
    if (const Ran ran = run(u"ip"_s, {u"link"_s, u"set"_s, u"ve-"_s + m_name, u"up"_s}); ran.exitCode != 0)
        QTest::qFail(ran.summary().constData(), __FILE__, __LINE__);
}

int LabHost::signIns() const
{
    const QByteArray journal = sh(u"journalctl --sync; journalctl --no-pager -o cat SYSLOG_IDENTIFIER=sshd"_s);
    int count = 0;
    for (const QByteArray &line : journal.split('\n'))
        count += line.startsWith("Accepted ") && line.contains(" from ") && line.contains(" port ");
    return count;
}

QList<qint64> LabHost::processes(const QString &expression) const
{
    const QRegularExpression wanted(expression);
    QList<qint64> found;
    const QList<qint64> chain = statusNumbers(contents(u"/proc/%1/status"_s.arg(leader())), "NSpid:");
    const std::string inside = pidNamespaceOf(QString::number(leader()));
    for (const QString &entry : QDir(u"/proc"_s).entryList(QDir::Dirs)) {
        if (!entry.at(0).isDigit() || pidNamespaceOf(entry) != inside)
            continue;
        const QList<qint64> numbers = statusNumbers(contents(u"/proc/%1/status"_s.arg(entry)), "NSpid:");
        if (numbers.size() == chain.size() && wanted.match(commandLine(entry)).hasMatch())
            found.append(numbers.last());
    }
    return found;
}

QString LabHost::commandOf(qint64 pid) const
{
    return commandLine(QString::number(outsidePid(pid)));
}

qint64 LabHost::outsidePid(qint64 pid) const
{
    const std::string inside = pidNamespaceOf(QString::number(leader()));
    for (const QString &entry : QDir(u"/proc"_s).entryList(QDir::Dirs)) {
        if (!entry.at(0).isDigit() || pidNamespaceOf(entry) != inside)
            continue;
        const QList<qint64> numbers = statusNumbers(contents(u"/proc/%1/status"_s.arg(entry)), "NSpid:");
        if (!numbers.isEmpty() && numbers.last() == pid)
            return entry.toLongLong();
    }
    return 0;
}

Ran ctl(const QStringList &arguments, std::chrono::milliseconds limit)
{
    const QStringList common{u"--config"_s, labFolder() + u"/home"_s, u"--ssh-config"_s, labFolder() + u"/ssh_config"_s};
    return run(qEnvironmentVariable("PILOTHOUSE_LAB_CTL"), common + arguments, {}, limit);
}

Frozen::Frozen(qint64 outsidePid)
    : m_group(qEnvironmentVariable("PILOTHOUSE_LAB_FREEZER") + u"/frozen-"_s + QString::number(outsidePid))
{
    if (!QDir().mkpath(m_group))
        qWarning("cannot make %s", qPrintable(m_group));
    writeText(m_group + u"/cgroup.procs"_s, QByteArray::number(outsidePid));
    writeText(m_group + u"/freezer.state"_s, "FROZEN");
}

Frozen::~Frozen()
{
    thaw();
}

bool Frozen::isFrozen() const
{
    return contents(m_group + u"/freezer.state"_s).trimmed() == "FROZEN";
}

void Frozen::thaw()
{
    writeText(m_group + u"/freezer.state"_s, "THAWED");
}

} // namespace pilothouse::test
