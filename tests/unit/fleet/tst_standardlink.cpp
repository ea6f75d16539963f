// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/linkenvironment.h"
#include "tests/support/sshdserver.h"
#include "tests/support/testmain.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// What the product's links share.
class TstStandardLink final : public QObject
{
    Q_OBJECT
private slots:
    void links_askSshOnceForOneTarget();

private:
    /// Opens a session to "gpu1", to its end: nobody listens there.
    void connectOnce(const LinkEnvironment &environment, const QString &config)
    {
        ConnectionSettings settings;
        settings.target.host = u"gpu1"_s;
        settings.sshConfigFile = config;
        settings.askPerson = false;
        const std::unique_ptr<LinkSession> session = environment.backend.makeSession(settings);
        QSignalSpy ended(session.get(), &LinkSession::ended);
        session->open();
        QTRY_COMPARE(ended.size(), 1);
        QCOMPARE(ended.first().first().value<Error>().code, ErrorCode::ConnectRefused);
    }
};

void TstStandardLink::links_askSshOnceForOneTarget()
{
    qRegisterMetaType<Error>();
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir(u"bin"_s));
    const QString ssh = folder.filePath(u"bin/ssh"_s);
    const QByteArray path = qgetenv("PATH");
    QVERIFY(writeFile(ssh, "#!/bin/sh\necho run >>" + QFile::encodeName(folder.filePath(u"runs"_s)) + "\nexec "
                               + QFile::encodeName(QStandardPaths::findExecutable(u"ssh"_s)) + " \"$@\"\n"));
    QVERIFY(QFile::setPermissions(ssh, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    const QString config = folder.filePath(u"config"_s);
    QVERIFY(writeFile(config, "Host gpu1\n  HostName 127.0.0.1\n  Port " + QByteArray::number(freePort()) + '\n'));
    qputenv("PATH", QFile::encodeName(folder.filePath(u"bin"_s)) + ':' + path);
    const LinkEnvironment environment = standardLinkEnvironment();
    connectOnce(environment, config);
    connectOnce(environment, config);
    qputenv("PATH", path);
    QCOMPARE(readFile(folder.filePath(u"runs"_s)), "run\n");
}

PILOTHOUSE_TEST_MAIN(TstStandardLink)
#include "tst_standardlink.moc"
