// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/console.h"

#include "app/console/terminal.h"
#include "app/console/windowmemory.h"
#include "core/base/quoting.h"
#include "core/ssh/sshaliases.h"
#include "core/ssh/sshcommandline.h"
#include "ui/text/errortext.h"

#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <QLoggingCategory>
#include <QProcess>
#include <QTimer>

#include <algorithm>
#include <cstdio>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

Q_LOGGING_CATEGORY(startup, "pilothouse.startup", QtWarningMsg)

Theme::Mode modeOf(const QString &theme)
{
    return theme == "light"_L1 ? Theme::Mode::Light : theme == "dark"_L1 ? Theme::Mode::Dark : Theme::Mode::Follow;
}

} // namespace

Console::Console(ConsoleOptions options, std::unique_ptr<SingleInstance> instance)
    : m_options(std::move(options))
    , m_instance(std::move(instance))
    , m_theme(modeOf(m_options.theme))
    , m_window(m_theme)
    , m_audit(m_window, m_options.stateDir)
    , m_aliases([this](const AliasAnswer &answer) {
        m_window.showAddHost(answer.aliases, answer.byAlias, answer.start ? &*answer.start : nullptr);
    })
    , m_saves([this](const SaveAnswer &answer) {
        for (const HostSpec &host : answer.hosts)
            addHost(host);
        m_window.hostsSaved(answer.failure);
        if (answer.failure.isEmpty() && !answer.hosts.isEmpty())
            m_window.openHost(answer.hosts.first().name);
    })
{
    QGuiApplication::setQuitOnLastWindowClosed(false);
    connect(qGuiApp, &QGuiApplication::lastWindowClosed, this, [this] { stop(m_exitCode); });
    connect(&m_signals, &StopSignals::stopRequested, this, [this] { stop(0); });
    if (m_instance) {
        connect(m_instance.get(), &SingleInstance::raised, this, [this](const QString &target) {
            m_window.showNormal();
            m_window.raise();
            m_window.activateWindow();
            if (!target.isEmpty())
                openTarget(target.section(u'/', 0, 0), target.section(u'/', 1));
        });
    }
    wireWindow();
}

Console::~Console()
{
    // The links first: they tell the binding, and through it the window, that they end.
    m_firstHost.reset();
    m_picture.reset();
    m_incidents.reset();
    m_unitCheck.reset();
    m_reminder.reset();
    m_reclaims.reset();
    m_follower.reset();
    m_services.reset();
    m_importer.reset();
    m_editor.reset();
    m_remover.reset();
    m_test.reset();
    m_binding.reset();
    m_fleet.reset();
}

void Console::wireWindow()
{
    connect(&m_window, &MainWindow::firstPainted, this, [] { qCInfo(startup, "first window painted"); });
    connect(&m_window, &MainWindow::terminalRequested, this, &Console::openTerminalOn);
    connect(&m_window, &MainWindow::sshCommandRequested, this, &Console::copySshCommand);
    connect(&m_window, &MainWindow::editRequested, this, &Console::editHost);
    connect(&m_window, &MainWindow::addHostRequested, this, [this](bool byAlias) { listAliases(byAlias, nullptr); });
    connect(&m_window, &MainWindow::hostsSubmitted, this, &Console::saveHosts);
    connect(&m_window, &MainWindow::demoRequested, this, &Console::tryDemo);
}

QString Console::layoutFile() const
{
    return m_instance ? m_options.stateDir + u"/window.ini"_s : QString();
}

void Console::start()
{
    if (const QString file = layoutFile(); !file.isEmpty()) {
        const WindowLayout layout = readWindowLayout(file);
        m_window.setWindowLayout(layout);
        if (m_options.theme.isEmpty())
            m_theme.setMode(layout.theme);
    }
    m_window.show();
    // After the first frame: nothing that a host or a file does keeps the window waiting.
    QTimer::singleShot(0, this, [this] {
        if (m_options.demo)
            startDemo();
        else
            openInventory();
    });
}

void Console::startDemo()
{
    m_demo = std::make_unique<DemoHosts>();
    connect(m_demo.get(), &DemoHosts::ready, this, [this] {
        m_options.configDir = m_demo->folder();
        m_options.fleet.sshConfigFile = m_demo->folder() + u"/ssh_config"_s;
        openInventory();
    });
    connect(m_demo.get(), &DemoHosts::failed, this, [this](const Error &error) {
        if (!m_options.screenshot.isEmpty()) {
            std::fprintf(stderr, "pilothouse: %s\n", qPrintable(sentenceOf(error)));
            stop(exitCodeOf(error.code));
            return;
        }
        m_window.showFailure(tr("The Simulated Hosts"), paragraphOf(error));
    });
    connect(m_demo.get(), &DemoHosts::ended, this, [this] { QCoreApplication::exit(m_exitCode); });
    m_window.showNotice(tr("Starting three simulated hosts"), tr("It takes a few seconds."));
    m_demo->start();
}

void Console::openInventory()
{
    m_window.showNotice({}, {});
    m_fleet = std::make_unique<Fleet>(m_options.fleet);
    m_binding = std::make_unique<FleetBinding>(*m_fleet, m_window);
    m_test = std::make_unique<HostTestBinding>(*m_fleet, m_window);
    m_remover = std::make_unique<HostRemover>(m_window, *m_binding, m_options.configDir);
    m_editor = std::make_unique<HostEditor>(m_theme, m_window, *m_binding, m_options.configDir, m_options.readOnly);
    m_importer = std::make_unique<HostImporter>(m_theme, m_window, *m_binding, m_options.configDir,
                                                m_options.fleet.sshConfigFile);
    m_services = std::make_unique<ServiceAdder>(m_window, *m_binding, m_options.configDir);
    m_follower = std::make_unique<InventoryFollower>(m_window, *m_binding, m_options.configDir, m_options.readOnly);
    m_reclaims = std::make_unique<ReclaimDesk>(m_theme, m_window, *m_fleet, *m_binding, m_options.stateDir,
                                               [this](const QString &name) { return sshLineOf(name); });
    if (!m_demo) // whose hosts bear names of real ones
        m_reminder = std::make_unique<RunReminder>(m_window, *m_reclaims, m_options.stateDir);
    m_incidents = std::make_unique<IncidentExport>(m_window, *m_fleet);
    m_unitCheck = std::make_unique<UnitCheckDesk>(m_theme, m_window, *m_fleet, *m_binding);
    const InventoryReading reading = readInventory(m_options.configDir);
    const Result<Inventory> &inventory = reading.inventory;
    if (inventory) {
        for (const HostSpec &host : inventory->hosts)
            addHost(host);
    } else if (m_options.screenshot.isEmpty()) {
        m_window.showFailure(tr("The Inventory"), paragraphOf(inventory.error()));
    } else {
        std::fprintf(stderr, "pilothouse: %s\n", qPrintable(sentenceOf(inventory.error())));
        stop(exitCodeOf(inventory.error().code));
        return;
    }
    if (!m_options.target.isEmpty())
        openTarget(m_options.target, m_options.service);
    else
        m_firstHost = std::make_unique<FirstHost>(m_window, *m_binding);
    m_follower->start(reading);
    if (m_options.screenshot.isEmpty())
        return;
    FleetPicture::Plan plan{.file = m_options.screenshot, .keepHost = m_demo || !m_options.target.isEmpty()};
    if (m_demo)
        plan.watchMs = 24'000; // long enough for the leftover to be told, and its host to be opened
    m_picture = std::make_unique<FleetPicture>(m_window, *m_binding, plan);
    connect(m_picture.get(), &FleetPicture::done, this, &Console::stop);
}

void Console::openTarget(const QString &target, const QString &service)
{
    if (!m_binding)
        return;
    m_firstHost.reset(); // this one was asked for
    QList<HostSpec> known;
    for (const QString &name : m_window.store().names())
        known << m_window.store().find(name)->spec;
    const HostSpec spec = hostFor(target, service, known);
    addHost(spec);
    m_window.openHost(spec.name);
}

void Console::addHost(HostSpec spec)
{
    if (m_options.readOnly)
        spec.access = Access::ReadOnly;
    m_binding->addHost(spec);
}

Result<QStringList> Console::sshLineOf(const QString &name) const
{
    const HostData *host = m_window.store().find(name);
    if (!host)
        return fail(ErrorCode::Internal, u"No such host."_s);
    const Result<LinkSettings> settings = linkSettingsFor(host->spec, m_options.fleet);
    if (!settings)
        return fail(settings.error());
    return sshCommandLine(settings->connection);
}

void Console::openTerminalOn(const QString &name)
{
    const Result<QStringList> line = sshLineOf(name);
    if (!line) {
        m_window.showFailure(tr("Open Terminal"), paragraphOf(line.error()));
        return;
    }
    if (const Result<void> opened = openTerminal(*line); !opened) {
        const QString command = shellQuoted(*line);
        m_window.showFailure(tr("Open Terminal"), paragraphOf(opened.error()) + u"\n\n"_s + command);
    }
}

void Console::copySshCommand(const QString &name)
{
    const Result<QStringList> line = sshLineOf(name);
    if (line)
        QGuiApplication::clipboard()->setText(shellQuoted(*line));
    else
        m_window.showFailure(tr("Copy SSH Command"), paragraphOf(line.error()));
}

void Console::editHost(const QString &name)
{
    const HostData *host = m_window.store().find(name);
    if (!host)
        return;
    if (host->spec.source.isEmpty())
        listAliases(false, &host->spec);
    else if (m_editor)
        m_editor->edit(name);
}

void Console::listAliases(bool byAlias, const HostSpec *start)
{
    AliasAnswer answer;
    answer.byAlias = byAlias;
    if (start)
        answer.start = *start;
    m_aliases.run([answer, file = m_options.fleet.sshConfigFile]() mutable {
        for (const SshAlias &alias : listSshAliases(SshConfigRoots::of(file, QDir::homePath())).aliases)
            answer.aliases << alias.name;
        return answer;
    });
}

void Console::saveHosts(const QList<HostSpec> &hosts)
{
    m_saves.run([hosts, folder = m_options.configDir] {
        SaveAnswer answer;
        for (const HostSpec &host : hosts) {
            const Result<Inventory> saved = appendHost(folder, host);
            if (!saved) {
                answer.failure = paragraphOf(saved.error());
                break;
            }
            const auto it = std::ranges::find(saved->hosts, host.name, &HostSpec::name);
            answer.hosts << (it == saved->hosts.end() ? host : *it);
        }
        return answer;
    });
}

void Console::tryDemo()
{
    if (!QProcess::startDetached(QCoreApplication::applicationFilePath(), {u"--demo"_s}))
        m_window.showFailure(tr("Try the Demo"), tr("The demo could not be started."));
}

void Console::stop(int exitCode)
{
    m_exitCode = exitCode;
    if (const QString file = layoutFile(); !file.isEmpty() && !m_stopped) {
        WindowLayout layout = m_window.windowLayout();
        if (!m_options.theme.isEmpty())
            layout.theme = readWindowLayout(file).theme; // --theme is for this time
        writeWindowLayout(file, layout);
    }
    m_stopped = true;
    m_window.hide();
    if (m_demo)
        m_demo->stop(); // goes on in ended()
    else
        QCoreApplication::exit(exitCode);
}

} // namespace pilothouse
