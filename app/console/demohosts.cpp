// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/demohosts.h"

#include "core/base/cleantext.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTimer>

namespace pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

DemoHosts::DemoHosts(QObject *parent)
    : QObject(parent)
{
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &DemoHosts::onOutput);
    connect(&m_process, &QProcess::finished, this, &DemoHosts::onFinished);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            fail(m_process.errorString() + u'.');
    });
}

DemoHosts::~DemoHosts()
{
    m_process.disconnect(this);
    m_process.closeWriteChannel();
}

void DemoHosts::start()
{
    const QString program = QCoreApplication::applicationDirPath() + u"/pilothouse-simhost"_s;
    m_process.setProcessChannelMode(QProcess::SeparateChannels);
    m_process.start(program, {u"--scenario"_s, u"demo"_s, u"--or-fast"_s, u"--dir"_s, folder()});
}

void DemoHosts::stop()
{
    m_stopping = true;
    if (m_process.state() == QProcess::NotRunning) {
        emit ended();
        return;
    }
    // It ends with its standard input; the rest is for one that does not.
    m_process.closeWriteChannel();
    QTimer::singleShot(2s, &m_process, &QProcess::kill);
}

void DemoHosts::onOutput()
{
    if (m_ready || !m_process.canReadLine())
        return;
    const QJsonObject line = QJsonDocument::fromJson(m_process.readLine()).object();
    if (!line.value(u"ready"_s).toBool())
        return;
    m_ready = true;
    emit ready();
}

void DemoHosts::onFinished()
{
    if (m_stopping) {
        emit ended();
        return;
    }
    const QString said = cleanText(m_process.readAllStandardError()).trimmed();
    fail(said.isEmpty() ? u"The simulated hosts ended."_s : said);
}

void DemoHosts::fail(const QString &detail)
{
    emit failed({ErrorCode::LocalIo, detail, {}});
}

} // namespace pilothouse
