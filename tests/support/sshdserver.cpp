// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/sshdserver.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QHash>
#include <QHostAddress>
#include <QTcpServer>

#include <csignal>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pilothouse::test {

using namespace Qt::StringLiterals;

QString runTool(const QString &program, const QStringList &arguments, bool *ok)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    const bool done = process.waitForFinished(20'000) && process.exitStatus() == QProcess::NormalExit
        && process.exitCode() == 0;
    if (ok)
        *ok = done;
    return QString::fromUtf8(process.readAll());
}

bool makeKey(const QString &path, const QString &passphrase, const QString &type, const QStringList &more)
{
    bool ok = false;
    const QString output = runTool(
        u"ssh-keygen"_s,
        QStringList{u"-q"_s, u"-t"_s, type, u"-N"_s, passphrase, u"-C"_s, u"test"_s, u"-f"_s, path}
            + more,
        &ok);
    return ok;
}

bool writeFile(const QString &path, const QByteArray &content)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly | QIODevice::Truncate) && file.write(content) == content.size();
}

QByteArray readFile(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QList<pid_t> descendantsOf(pid_t root)
{
    QHash<pid_t, pid_t> parents;
    const QStringList entries = QDir(u"/proc"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QString &entry : entries) {
        bool number = false;
        const pid_t pid = entry.toInt(&number);
        if (!number)
            continue;
        const QByteArray stat = readFile(u"/proc/%1/stat"_s.arg(pid));
        const QList<QByteArray> fields = stat.mid(stat.lastIndexOf(')') + 2).split(' ');
        if (fields.size() > 1)
            parents.insert(pid, fields.at(1).toInt());
    }
    QList<pid_t> found;
    for (auto it = parents.cbegin(); it != parents.cend(); ++it) {
        for (pid_t up = it.value(); up > 1; up = parents.value(up)) {
            if (up == root) {
                found += it.key();
                break;
            }
        }
    }
    return found;
}

quint16 freePort(const QString &address)
{
    QTcpServer server;
    return server.listen(QHostAddress(address), 0) ? server.serverPort() : quint16(0);
}

SshdServer::SshdServer(const QStringList &config, const QString &address)
    : m_address(address)
    , m_config(config)
{
    m_process.setProcessChannelMode(QProcess::MergedChannels);
}

SshdServer::~SshdServer()
{
    stop();
}

QString SshdServer::user() const
{
    const passwd *self = ::getpwuid(::geteuid());
    return self ? QString::fromLocal8Bit(self->pw_name) : QString();
}

bool SshdServer::start()
{
    if (::geteuid() == 0)
        ::mkdir("/run/sshd", 0755); // sshd insists on it
    if (!QFile::exists(path(u"host"_s))) {
        if (!makeKey(path(u"host"_s)) || !makeKey(path(u"id"_s))) {
            m_error = u"ssh-keygen fails"_s;
            return false;
        }
        QFile::copy(path(u"id.pub"_s), path(u"authorized_keys"_s));
    }
    for (int attempt = 0; attempt < 5; ++attempt) {
        if (m_port == 0)
            m_port = freePort(m_address);
        const QString listen = m_address.contains(u':') ? QString(u'[' + m_address + u']') : m_address;
        const QStringList lines = m_config
            + QStringList{u"ListenAddress %1:%2"_s.arg(listen).arg(m_port), u"HostKey "_s + path(u"host"_s),
                          u"AuthorizedKeysFile "_s + path(u"authorized_keys"_s), u"PidFile none"_s,
                          u"StrictModes no"_s, u"UsePAM no"_s, u"PermitRootLogin yes"_s, u"SetEnv SHLVL=5"_s,
                          u"PasswordAuthentication no"_s, u"KbdInteractiveAuthentication no"_s, u"LogLevel VERBOSE"_s};
        if (!writeFile(path(u"sshd_config"_s), lines.join(u'\n').toUtf8() + '\n'))
            return false;
        m_log.clear();
        m_process.start(u"/usr/sbin/sshd"_s, {u"-D"_s, u"-e"_s, u"-f"_s, path(u"sshd_config"_s)});
        QElapsedTimer timer;
        timer.start();
        while (timer.elapsed() < 10'000 && m_process.state() != QProcess::NotRunning) {
            m_process.waitForReadyRead(200);
            if (log().contains("Server listening on"))
                return writeClientConfig()
                       && writeFile(path(u"known_hosts"_s), '[' + m_address.toUtf8()
                                                                + "]:" + QByteArray::number(m_port)
                                                                + ' ' + hostKeyLine() + '\n');
        }
        m_error = QString::fromUtf8(m_log);
        stop();
        m_port = 0;
    }
    return false;
}

void SshdServer::stop()
{
    if (m_process.state() == QProcess::NotRunning)
        return;
    // A stopped child would otherwise outlive us.
    for (const pid_t child : connectionProcesses())
        ::kill(child, SIGKILL);
    m_process.terminate();
    if (!m_process.waitForFinished(5'000)) {
        m_process.kill();
        m_process.waitForFinished(5'000);
    }
}

QByteArray SshdServer::hostKeyLine() const
{
    const QList<QByteArray> parts = readFile(path(u"host.pub"_s)).split(' ');
    return parts.value(0) + ' ' + parts.value(1).trimmed();
}

QList<pid_t> SshdServer::connectionProcesses() const
{
    return pid() > 0 ? descendantsOf(pid()) : QList<pid_t>();
}

QByteArray SshdServer::log()
{
    m_log += m_process.readAll();
    return m_log;
}

bool SshdServer::writeClientConfig(const QStringList &lines, const QString &identity)
{
    const QStringList host{u"Host gpu_01"_s,
                           u"HostName "_s + m_address,
                           u"Port %1"_s.arg(m_port),
                           u"User "_s + user(),
                           u"IdentityFile "_s + path(identity),
                           u"IdentityAgent none"_s,
                           u"UserKnownHostsFile "_s + path(u"known_hosts"_s),
                           u"GlobalKnownHostsFile /dev/null"_s};
    // The first value of a keyword counts in ssh_config.
    const QStringList all = QStringList{host.first()} + lines + host.mid(1);
    return writeFile(path(u"ssh_config"_s), all.join(u'\n').toUtf8() + '\n');
}

ConnectionSettings SshdServer::settings() const
{
    ConnectionSettings settings;
    settings.target.host = u"gpu_01"_s;
    settings.sshConfigFile = path(u"ssh_config"_s);
    settings.askPerson = false;
    settings.connectTimeout = std::chrono::seconds(8);
    settings.signInTimeout = std::chrono::seconds(8);
    return settings;
}

} // namespace pilothouse::test
