// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/mainwindow.h"

#include "ui/commands/commandset.h"
#include "ui/dialogs/addhostdialog.h"
#include "ui/dialogs/hosttestpanel.h"
#include "ui/dialogs/questiondesk.h"
#include "ui/dialogs/removehostdialog.h"
#include "ui/dialogs/textdialog.h"
#include "ui/host/hostpage.h"
#include "ui/host/statepane.h"
#include "ui/plots/plotpanel.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/window/hostlist.h"
#include "ui/window/inventorynotice.h"
#include "ui/window/networkbanner.h"
#include "ui/window/statusline.h"

#include <QEvent>
#include <QGuiApplication>
#include <QMenuBar>
#include <QPushButton>
#include <QScreen>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

namespace pilothouse {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto ageStep = 500ms;

/// In place of a host's name; no name that was typed ends in a blank.
QString testName()
{
    return MainWindow::tr("the test") + u'\u00a0';
}

HostStore::Clock clockOr(HostStore::Clock clock)
{
    return clock ? std::move(clock) : HostStore::Clock(&QDateTime::currentDateTimeUtc);
}

} // namespace

MainWindow::MainWindow(Theme &theme, HostStore::Clock clock, QWidget *parent)
    : QMainWindow(parent)
    , m_theme(theme)
    , m_store(new HostStore(clockOr(std::move(clock)), this))
    , m_list(new HostList(theme, *m_store))
    , m_splitter(new QSplitter(Qt::Horizontal))
    , m_pages(new QStackedWidget)
    , m_empty(new StatePane(theme))
    , m_status(new StatusLine(theme))
    , m_network(new NetworkBanner(theme))
    , m_inventory(new InventoryNotice(theme))
    , m_commands(new CommandSet(this, menuBar()))
    , m_questions(new QuestionDesk(theme, this))
    , m_tick(new QTimer(this))
{
    setObjectName(u"mainWindow"_s);
    setWindowTitle(u"Pilothouse"_s);
    setWindowIcon(programIcon());
    m_splitter->setObjectName(u"mainSplitter"_s);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(1);
    m_splitter->addWidget(m_list);
    m_splitter->addWidget(m_pages);
    m_splitter->setStretchFactor(0, 0);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({fontMetrics().averageCharWidth() * 34, width()});
    auto *central = new QWidget;
    auto *column = new QVBoxLayout(central);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_network);
    column->addWidget(m_inventory);
    column->addWidget(m_splitter, 1);
    column->addWidget(m_status);
    setCentralWidget(central);
    buildEmpty();
    resize(
        firstSize(QGuiApplication::primaryScreen()->availableSize(), style()->pixelMetric(QStyle::PM_TitleBarHeight)));

    connect(m_commands, &CommandSet::triggered, this, &MainWindow::onCommand);
    connect(m_questions, &QuestionDesk::answered, this, [this](const QString &host, const Answer &answer) {
        if (host == testName())
            emit testAnswered(answer);
        else
            emit answered(host, answer);
    });
    connect(m_list, &HostList::chosen, this, &MainWindow::showChosen);
    connect(m_store, &HostStore::changed, this, [this](const QString &name) {
        if (name == currentHost())
            refreshPage();
    });
    connect(m_tick, &QTimer::timeout, this, &MainWindow::tick);
    m_tick->start(ageStep);
    updateCommands();
    m_status->showHost(nullptr, m_store->now());
}

MainWindow::~MainWindow() = default;

void MainWindow::buildEmpty()
{
    m_empty->setObjectName(u"emptyPane"_s);
    showNotice({}, {});
    const auto addButton = [this](const QString &name, const QString &text, CommandId id) {
        connect(m_empty->addButton(name, text), &QPushButton::clicked, this, [this, id] { onCommand(id, false); });
    };
    addButton(u"emptyImport"_s, tr("Import…"), CommandId::ImportHosts);
    addButton(u"emptyAdd"_s, tr("Add by Hand…"), CommandId::AddHost);
    addButton(u"emptyDemo"_s, tr("Try the Demo"), CommandId::TryDemo);
    m_pages->addWidget(m_empty);
    m_empty->focusButton();
}

void MainWindow::showNotice(const QString &title, const QString &text)
{
    if (!title.isEmpty()) {
        m_empty->showWords({Severity::Notice, title, text, {}, {}});
        return;
    }
    const QString words = tr("Pilothouse reads GPU hosts over SSH with your own SSH configuration. "
                             "Nothing is installed on them.");
    m_empty->showWords({Severity::Notice, tr("No hosts yet"), words, {}, {}});
}

void MainWindow::addHost(const HostSpec &spec)
{
    m_store->add(spec);
    if (currentHost().isEmpty()) {
        if (!focusWidget() || m_empty->isAncestorOf(focusWidget()))
            m_list->focusList();
        m_list->choose(spec.name);
    }
    updateCommands();
}

void MainWindow::removeHost(const QString &name)
{
    m_questions->withdraw(name);
    delete m_pageByName.take(name);
    const bool wasCurrent = name == currentHost();
    m_store->remove(name);
    if (wasCurrent)
        m_list->step(0);
    if (m_store->names().isEmpty()) {
        m_pages->setCurrentWidget(m_empty);
        m_empty->focusButton();
    }
    updateCommands();
}

void MainWindow::setState(const QString &name, const LinkState &state)
{
    if (state.phase != LinkState::Phase::Waiting)
        m_questions->withdraw(name);
    m_store->setState(name, state);
}

void MainWindow::addSnapshot(const QString &name, const SnapshotPtr &snapshot)
{
    m_store->addSnapshot(name, snapshot);
}

void MainWindow::addFindings(const QString &name, const FindingsPtr &findings)
{
    m_store->addFindings(name, findings);
}

void MainWindow::addMark(const QString &name, const QDateTime &at, const QString &text)
{
    m_store->addMark(name, at, text);
}

void MainWindow::setReclaiming(const QString &name, bool reclaiming)
{
    if (m_store->find(name))
        pageOf(name)->setReclaiming(reclaiming);
}

void MainWindow::setInterrupted(const QString &name, const QList<InterruptedRun> &runs)
{
    if (m_store->find(name))
        pageOf(name)->setInterrupted(runs);
}

void MainWindow::addFailure(const QString &name, const Error &error)
{
    m_store->addFailure(name, error);
}

void MainWindow::ask(const QString &name, const Question &question)
{
    if (m_store->find(name))
        m_questions->ask(name, question);
}

void MainWindow::setNetworkTrouble(const NetworkTrouble &trouble)
{
    m_network->showTrouble(trouble);
}

void MainWindow::openHost(const QString &name)
{
    m_list->choose(name);
}

QString MainWindow::currentHost() const
{
    return m_list->current();
}

void MainWindow::showAddHost(const QStringList &aliases, bool byAlias, const HostSpec *start)
{
    if (!m_addHost) {
        m_addHost = new AddHostDialog(m_theme, aliases, m_store->names(), this);
        connect(m_addHost, &AddHostDialog::submitted, this, &MainWindow::hostsSubmitted);
        connect(m_addHost, &AddHostDialog::testRequested, this, &MainWindow::testRequested);
        connect(m_addHost, &AddHostDialog::testStopped, this, &MainWindow::stopTest);
        connect(m_addHost, &QDialog::finished, this, &MainWindow::stopTest);
    }
    if (byAlias)
        m_addHost->startWithAliases();
    if (start)
        m_addHost->startWith(*start);
    m_addHost->open();
}

void MainWindow::hostsSaved(const QString &failure)
{
    if (!m_addHost)
        return;
    if (failure.isEmpty())
        m_addHost->accept();
    else
        m_addHost->showFailure(failure);
}

void MainWindow::stopTest()
{
    m_questions->withdraw(testName());
    emit testStopped();
}

HostTestPanel *MainWindow::testPanel() const
{
    return m_addHost ? m_addHost->testPanel() : nullptr;
}

void MainWindow::addTestStep(const StepResult &result)
{
    if (HostTestPanel *panel = testPanel())
        panel->addStep(result);
}

void MainWindow::showTestWords(const QString &words)
{
    m_questions->withdraw(testName()); // it went on
    if (HostTestPanel *panel = testPanel())
        panel->showWords(words);
}

void MainWindow::askForTest(const Question &question)
{
    m_questions->ask(testName(), question);
}

void MainWindow::finishTest(bool declined)
{
    m_questions->withdraw(testName());
    if (HostTestPanel *panel = testPanel())
        panel->finish(declined ? tr("Ended: the question was declined.") : tr("All steps went well."));
}

void MainWindow::showRemoveHost(const QString &name, const QString &file, const QString &lines)
{
    if (findChild<RemoveHostDialog *>())
        return;
    auto *dialog = new RemoveHostDialog(m_theme, name, file, lines, this);
    connect(dialog, &RemoveHostDialog::confirmed, this, [this, name] { emit removeConfirmed(name); });
    dialog->open();
}

void MainWindow::showInventoryChange(const InventoryDifference &difference)
{
    m_inventory->showChange(difference, m_store->now());
}

void MainWindow::showInventoryFailure(const Error &error)
{
    m_inventory->showFailure(error);
}

void MainWindow::showInventoryMended()
{
    m_inventory->showMended();
}

void MainWindow::showFailure(const QString &title, const QString &text)
{
    showText(this, u"failureDialog"_s, title, text);
}

void MainWindow::keepPageLayout()
{
    const auto *page = qobject_cast<HostPage *>(m_pages->currentWidget());
    if (!page)
        return;
    if (const std::optional<PageLayout> layout = page->pageLayout())
        m_pageLayout = *layout;
}

WindowLayout MainWindow::windowLayout()
{
    keepPageLayout();
    return {saveGeometry(), m_splitter->sizes(), m_pageLayout, m_theme.mode()};
}

void MainWindow::setWindowLayout(const WindowLayout &layout)
{
    m_pageLayout = layout.page;
    if (!layout.hosts.isEmpty())
        m_splitter->setSizes(layout.hosts);
    if (layout.geometry.isEmpty() || !restoreGeometry(layout.geometry) || isMaximized() || isFullScreen())
        return;
    QList<QRect> screens{QGuiApplication::primaryScreen()->availableGeometry()};
    for (const QScreen *screen : QGuiApplication::screens())
        screens << screen->availableGeometry();
    setGeometry(reachable(geometry(), screens));
}

bool MainWindow::event(QEvent *event)
{
    const bool done = QMainWindow::event(event);
    if (event->type() == QEvent::Paint && !m_painted) {
        m_painted = true;
        emit firstPainted();
    }
    return done;
}

void MainWindow::showChosen(const QString &name)
{
    keepPageLayout();
    HostPage *page = pageOf(name);
    page->setPageLayout(m_pageLayout);
    m_pages->setCurrentWidget(page);
    setWindowTitle(tr("%1 – Pilothouse").arg(name));
    refreshPage();
    emit hostChosen(name);
}

void MainWindow::refreshPage()
{
    const QString name = currentHost();
    if (const HostData *host = m_store->find(name)) {
        pageOf(name)->showHost(*host, m_store->now());
        m_status->showHost(host, m_store->now());
    }
    updateCommands();
}

void MainWindow::tick()
{
    m_list->refreshAges();
    const QString name = currentHost();
    const HostData *host = m_store->find(name);
    if (host)
        pageOf(name)->showTime(*host, m_store->now());
    m_status->showHost(host, m_store->now());
}

HostPage *MainWindow::pageOf(const QString &name)
{
    HostPage *&page = m_pageByName[name];
    if (page)
        return page;
    page = new HostPage(m_theme);
    m_pages->addWidget(page);
    connect(page, &HostPage::retryRequested, this, [this, name] { emit retryRequested(name); });
    connect(page, &HostPage::editRequested, this, [this, name] { emit editRequested(name); });
    connect(page, &HostPage::servicesWanted, this,
            [this, name](const QList<ServiceSpec> &services) { emit servicesWanted(name, services); });
    connect(page, &HostPage::reclaimRequested, this,
            [this, name](const PlanOptions &options) { emit reclaimRequested(name, options); });
    connect(page, &HostPage::interruptedDismissed, this, [this, name] { emit interruptedDismissed(name); });
    connect(page, &HostPage::offerChanged, this, &MainWindow::updateCommands);
    connect(page->plotPanel(), &PlotPanel::pausedChanged, this, &MainWindow::updateCommands);
    return page;
}

} // namespace pilothouse
