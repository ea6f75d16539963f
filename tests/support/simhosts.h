// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A pilothouse-simhost and the files by which a console finds its hosts; ends with the object. For tests only: the test
// depends on the targets pilothouse-simhost and pilothouse-simtools.

#include "tests/support/testmain.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

#include <cstdio>

namespace pilothouse::test {

class SimHosts final
{
public:
    ~SimHosts() { (void)end(); }

    /// False: errors() says why, within 30 s.
    [[nodiscard]] bool start(const QStringList &options)
    {
        m_process.start(QStringLiteral(PILOTHOUSE_BINARY_DIR "/bin/pilothouse-simhost"),
                        QStringList{QStringLiteral("--dir"), folder()} + options);
        while (m_process.state() != QProcess::NotRunning && !m_process.canReadLine()) {
            if (!m_process.waitForReadyRead(30'000))
                break;
        }
        m_ready = QJsonDocument::fromJson(m_process.readLine()).object();
        return m_ready.value(QStringLiteral("ready")).toBool();
    }
    /// False: it did not end within 10 s after its standard input.
    bool end()
    {
        m_process.closeWriteChannel();
        return m_process.state() == QProcess::NotRunning || m_process.waitForFinished(10'000);
    }
    [[nodiscard]] QString folder() const { return m_folder.path(); }
    /// For pilothousectl and pilothouse.
    [[nodiscard]] QStringList arguments() const
    {
        return {QStringLiteral("--config"), folder(), QStringLiteral("--ssh-config"),
                m_folder.filePath(QStringLiteral("ssh_config"))};
    }
    /// For ssh: to `host`, with its own key alone and nothing of the person's.
    [[nodiscard]] QStringList sshArguments(const QString &host) const
    {
        return {QStringLiteral("-F"), m_folder.filePath(QStringLiteral("ssh_config")), QStringLiteral("-o"),
                QStringLiteral("BatchMode=yes"), host};
    }
    [[nodiscard]] QByteArray errors() { return m_process.readAllStandardError(); }
    [[nodiscard]] QProcess &process() { return m_process; }
    [[nodiscard]] const QJsonObject &ready() const { return m_ready; }

private:
    QTemporaryDir m_folder;
    QProcess m_process;
    QJsonObject m_ready;
};

/// The hosts need namespaces: on a machine that allows none a program of simulated hosts is skipped.
template <class Test, class Application = QCoreApplication>
int runWithSimHosts(int argc, char **argv)
{
    prepare();
    Application app(argc, argv);
    SimHosts trial;
    if (!trial.start({QStringLiteral("--scenario"), QStringLiteral("plain")})) {
        std::printf("SKIP: %s\n", trial.errors().trimmed().constData());
        return 77;
    }
    if (!trial.end())
        return 1;
    Test test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace pilothouse::test

#define PILOTHOUSE_SIM_TEST_MAIN(Test)                                                                       \
    int main(int argc, char **argv)                                                                          \
    {                                                                                                        \
        return pilothouse::test::runWithSimHosts<Test>(argc, argv);                                          \
    }

#define PILOTHOUSE_SIM_GUI_TEST_MAIN(Test)                                                                   \
    int main(int argc, char **argv)                                                                          \
    {                                                                                                        \
        return pilothouse::test::runWithSimHosts<Test, QApplication>(argc, argv);                            \
    }
