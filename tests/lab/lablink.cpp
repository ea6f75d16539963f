// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/lab/lablink.h"

#include "core/fleet/linkenvironment.h"
#include "core/fleet/linkthreads.h"

#include <QTest>

namespace pilothouse::test {

using namespace Qt::StringLiterals;

LabLink::LabLink(const LabHost &host)
    : LabLink(host, Options{})
{
}

LabLink::LabLink(const LabHost &host, const Options &options)
{
    const QString target = options.target.isEmpty() ? host.name() : options.target;
    ConnectionSettings settings;
    settings.target = parseTarget(target).value_or(SshTarget{});
    settings.sshConfigFile = labFolder() + u"/ssh_config"_s;
    settings.identityFile = options.identityFile;
    settings.askPerson = false;
    settings.connectTimeout = 2s;
    settings.signInTimeout = 5s;
    settings.keepaliveInterval = 1s;
    settings.deadAfter = 3s;
    ProbeSettings probe;
    probe.host = host.name();
    probe.consoleId = u"labconsole"_s;
    probe.units = options.units;
    probe.snapshotTimeout = options.snapshotTimeout;
    probe.smiTimeout = options.smiTimeout;
    HostSpec spec;
    spec.name = host.name();
    spec.ssh = target;
    LinkEnvironment environment = standardLinkEnvironment();
    m_threads = environment.threads;
    m_link = std::make_unique<HostLink>(spec, settings, probe, std::move(environment));
    QObject::connect(m_link.get(), &HostLink::snapshotArrived, m_link.get(), [this] { ++m_snapshots; });
    QObject::connect(m_link.get(), &HostLink::snapshotFailed, m_link.get(),
                     [this](const Error &error) { m_failures.append(error); });
    QObject::connect(m_link.get(), &HostLink::stateChanged, m_link.get(), [this](const LinkState &state) {
        m_words.append(QString::number(int(state.phase)) + u' ' + state.words);
        if (state.error)
            m_errors.append(*state.error);
    });
    m_link->setCadence(options.cadence);
    m_link->open();
}

LabLink::~LabLink()
{
    m_link.reset();
    if (!m_threads->waitForEnd(10s))
        QTest::qFail("the link's thread does not end", __FILE__, __LINE__);
}

GpuSource::Status LabLink::smiStatus() const
{
    return latest() ? latest()->gpuSource.status : GpuSource::Status::Absent;
}

QByteArray LabLink::story() const
{
    QStringList lines = m_words;
    for (const Error &error : m_errors)
        lines.append(u"link: "_s + sentenceOf(error));
    for (const Error &error : m_failures)
        lines.append(u"snapshot: "_s + sentenceOf(error));
    lines.append(QString::number(m_snapshots) + u" snapshots"_s);
    return lines.join(u'\n').toUtf8();
}

} // namespace pilothouse::test
