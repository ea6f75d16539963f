// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/hostremover.h"

#include "app/console/fleetbinding.h"
#include "tests/gui/windowfixture.h"
#include "tests/support/testmain.h"

#include <QDialog>
#include <QFile>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTemporaryDir>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

/// Nobody listens on port 1 of the loopback: the links fail at once.
const QByteArray text = "include = [\"shared.toml\"]\n\n# the first\n[[host]]\nname = \"a\"\nssh = \"127.0.0.1:1\"\n\n"
                        "[[host]]\nname = \"b\"\nssh = \"127.0.0.1:1\"\n";
const QByteArray sharedText = "[[host]]\nname = \"c\"\nssh = \"127.0.0.1:1\"\n";

struct Scene
{
    Scene()
    {
        write(u"hosts.toml"_s, text);
        write(u"shared.toml"_s, sharedText);
        write(u"ssh_config"_s, {});
        FleetSettings settings;
        settings.sshConfigFile = folder.filePath(u"ssh_config"_s);
        settings.knownHostsFile = folder.filePath(u"known_hosts"_s);
        settings.consoleId = u"0123456789abcdef0123456789abcdef"_s;
        fleet = std::make_unique<Fleet>(settings);
        binding = std::make_unique<FleetBinding>(*fleet, *fixture.window);
        remover = std::make_unique<HostRemover>(*fixture.window, *binding, folder.path());
        const Result<Inventory> inventory = loadInventory(folder.path());
        for (const HostSpec &host : inventory->hosts)
            binding->addHost(host);
        settle();
    }
    /// Every link has failed: a fleet that ends meanwhile has other tests.
    void settle() const
    {
        QTRY_VERIFY_WITH_TIMEOUT(binding->isSettled(), 20'000);
    }
    ~Scene()
    {
        remover.reset();
        binding.reset();
        fleet.reset();
    }
    void write(const QString &name, const QByteArray &bytes) const
    {
        QFile file(folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    [[nodiscard]] QByteArray read(const QString &name) const
    {
        QFile file(folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void request(const QString &host) const
    {
        fixture.window->openHost(host);
        fixture.press(Qt::Key_Delete, Qt::ControlModifier);
    }
    void confirm() const { QTest::keyClick(fixture.find<QPushButton>(u"removeHostRemove"_s), Qt::Key_Space); }
    [[nodiscard]] bool asks() const { return fixture.window->findChild<QDialog *>(u"removeHostDialog"_s); }
    [[nodiscard]] QStringList hosts() const { return fixture.window->store().names(); }

    QTemporaryDir folder;
    WindowFixture fixture;
    std::unique_ptr<Fleet> fleet;
    std::unique_ptr<FleetBinding> binding;
    std::unique_ptr<HostRemover> remover;
};

} // namespace

class TstHostRemover : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void confirmed_goesFromFileWindowAndFleet()
    {
        const Scene scene;
        scene.request(u"a"_s);
        QTRY_VERIFY(scene.asks());
        QCOMPARE(scene.fixture.find<QPlainTextEdit>(u"removeHostLines"_s)->toPlainText(),
                 u"# the first\n[[host]]\nname = \"a\"\nssh = \"127.0.0.1:1\""_s);
        QCOMPARE(scene.read(u"hosts.toml"_s), text);
        scene.confirm();
        QTRY_COMPARE(scene.hosts(), (QStringList{u"c"_s, u"b"_s}));
        QVERIFY(!scene.fleet->link(u"a"_s));
        QVERIFY(!scene.fixture.window->currentHost().isEmpty());
        QCOMPARE(scene.read(u"hosts.toml"_s), QByteArray("include = [\"shared.toml\"]\n\n"
                                                         "[[host]]\nname = \"b\"\nssh = \"127.0.0.1:1\"\n"));
    }

    void cancelled_staysEverywhere()
    {
        const Scene scene;
        scene.request(u"a"_s);
        QTRY_VERIFY(scene.asks());
        QTest::keyClick(scene.fixture.find<QDialog>(u"removeHostDialog"_s), Qt::Key_Escape);
        QTRY_VERIFY(!scene.asks());
        QCOMPARE(scene.hosts().size(), 3);
        QCOMPARE(scene.read(u"hosts.toml"_s), text);
    }

    void included_isSaidAndKept()
    {
        const Scene scene;
        scene.request(u"c"_s);
        QTRY_VERIFY(scene.fixture.find(u"failureDialog"_s));
        const QString said = scene.fixture.find<QPlainTextEdit>(u"failureDialogText"_s)->toPlainText();
        QVERIFY2(said.contains(u"shared.toml"_s), qPrintable(said));
        QVERIFY(!scene.asks());
        QCOMPARE(scene.hosts().size(), 3);
        QCOMPARE(scene.read(u"shared.toml"_s), sharedText);
    }

    void changedWhileAsked_isSaidAndKept()
    {
        const Scene scene;
        scene.request(u"b"_s);
        QTRY_VERIFY(scene.asks());
        const QByteArray changed = QByteArray(text).replace("name = \"b\"", "name = \"b\"\naccess = \"normal\"");
        scene.write(u"hosts.toml"_s, changed);
        scene.confirm();
        QTRY_VERIFY(scene.fixture.find(u"failureDialog"_s));
        QCOMPARE(scene.hosts().size(), 3);
        QCOMPARE(scene.read(u"hosts.toml"_s), changed);
    }

    void typed_goesFromTheWindowOnly()
    {
        const Scene scene;
        HostSpec typed = spec(u"127.0.0.1:1"_s);
        scene.binding->addHost(typed);
        scene.settle();
        scene.request(typed.name);
        QTRY_VERIFY(scene.asks());
        QVERIFY(!scene.fixture.window->findChild<QPlainTextEdit *>(u"removeHostLines"_s));
        scene.confirm();
        QTRY_COMPARE(scene.hosts().size(), 3);
        QCOMPARE(scene.read(u"hosts.toml"_s), text);
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstHostRemover)
#include "tst_hostremover.moc"
