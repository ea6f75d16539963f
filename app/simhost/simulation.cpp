// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulation.h"

#include "memorybackend.h"
#include "namespacebackend.h"

#include <QDir>
#include <QFile>

#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// root, and the `user = NAME ID` lines where the machine lets us map more than one account.
std::set<std::string> usersOf(const ScenarioHost &host)
{
    std::set<std::string> users = {"root"};
    for (const QString &line : host.files.value(u"host.conf"_s).split(u'\n')) {
        const QStringList words = line.simplified().split(u' ');
        if (geteuid() == 0 && words.size() == 4 && words.at(0) == u"user"_s)
            users.insert(words.at(2).toStdString());
    }
    return users;
}

} // namespace

Simulation::Simulation(const SimulationOptions &options, ConsoleFolder folder)
    : m_options(options)
    , m_folder(std::move(folder))
{
}

Simulation::~Simulation()
{
    // Connections first: their threads use the hosts.
    m_server.reset();
    // All at once, not one after the other.
    for (const auto &backend : m_backends)
        backend->beginEnd();
    m_backends.clear();
}

Result<std::unique_ptr<Simulation>> Simulation::start(const SimulationOptions &options)
{
    auto folder = ConsoleFolder::claim(options.folder);
    if (!folder)
        return fail(folder.error());
    std::unique_ptr<Simulation> simulation(new Simulation(options, std::move(*folder)));
    auto key = makeKey(options.folder + u"/identity"_s);
    if (!key)
        return fail(key.error());
    simulation->m_userKey = std::move(*key);
    auto server = SshServer::make(options.address, simulation->m_userKey.get(), options.limits);
    if (!server)
        return fail(server.error());
    simulation->m_server = std::move(*server);
    if (!QDir().mkpath(options.folder + u"/host-keys"_s))
        return fail(ErrorCode::LocalIo, u"%1 cannot be written."_s.arg(options.folder));
    for (const ScenarioHost &host : options.hosts) {
        if (const auto added = simulation->addHost(host); !added)
            return fail(added.error());
    }
    if (const auto written = simulation->writeFiles(); !written)
        return fail(written.error());
    simulation->m_server->start();
    return simulation;
}

Result<std::unique_ptr<HostBackend>> Simulation::makeBackend(const ScenarioHost &host) const
{
    if (m_options.inMemory)
        return std::make_unique<MemoryBackend>(host.name, m_options.processes, host.inMemory);
    const auto folder = writeHost(host, m_options.folder + u"/hosts"_s);
    if (!folder)
        return fail(folder.error());
    auto booted = SimulatedHost::boot(m_options.toolsPath, *folder, host.name);
    if (!booted)
        return fail(booted.error());
    return std::make_unique<NamespaceBackend>(std::move(*booted), usersOf(host));
}

Result<void> Simulation::addHost(const ScenarioHost &host)
{
    const QString keyPath = m_options.folder + u"/host-keys/"_s + host.name;
    QFile::remove(keyPath);
    const auto key = makeKey(keyPath);
    if (!key)
        return fail(key.error());
    auto backend = makeBackend(host);
    if (!backend)
        return fail(backend.error());
    const auto port = m_server->addHost(**backend, keyPath);
    if (!port)
        return fail(port.error());
    m_backends.push_back(std::move(*backend));
    m_served.append({host, *port, publicLine(*key)});
    return {};
}

Result<void> Simulation::writeFiles()
{
    const QString &folder = m_options.folder;
    const QMap<QString, QString> files = {
        {u"ssh_config"_s, sshConfigText(m_served, folder, m_options.address)},
        {u"known_hosts"_s, knownHostsText(m_served, m_options.address)},
        {u"hosts.toml"_s, hostsTomlText(m_served)},
    };
    for (auto file = files.begin(); file != files.end(); ++file) {
        if (auto written = m_folder.write(file.key(), file.value()); !written)
            return written;
    }
    return {};
}

QByteArray Simulation::readyLine() const
{
    return pilothouse::readyLine(m_served, m_options.folder, m_options.inMemory);
}

} // namespace pilothouse
