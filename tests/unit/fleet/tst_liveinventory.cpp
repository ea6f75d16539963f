// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/imports/importfile.h"
#include "core/fleet/liveinventory.h"
#include "tests/support/testmain.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QTemporaryDir>

#include <sys/stat.h>

using namespace pilothouse;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

const QByteArray hostA = "[[host]]\nname = \"a\"\n";
const QByteArray hostB = "[[host]]\nname = \"b\"\n";

} // namespace

class TstLiveInventory final : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_live.reset();
        m_said.clear();
    }
    void cleanup() { m_live.reset(); }

    void writtenInPlace_isSaid()
    {
        begin("include = [\"sub/team.toml\"]\n" + hostA, hostB);
        write(u"hosts.toml"_s, "include = [\"sub/team.toml\"]\n" + hostA + "access = \"normal\"\n");
        QTRY_COMPARE(m_said, QStringList{u"changed a: access: confirm → normal"_s});
        QCOMPARE(m_live->hosts().size(), 2);
    }

    void replacedByRenaming_isSaidEachTime()
    {
        begin(hostA);
        for (int i = 1; i <= 3; ++i) {
            m_said.clear();
            replace(u"hosts.toml"_s, hostA + "expected_gpus = " + QByteArray::number(i) + '\n');
            QTRY_COMPARE(m_said.size(), 1);
            QVERIFY2(m_said.first().endsWith(u"→ %1"_s.arg(i)), qPrintable(m_said.first()));
        }
    }

    void includedFile_isWatchedToo()
    {
        begin("include = [\"sub/team.toml\"]\n", hostA);
        replace(u"sub/team.toml"_s, hostA + hostB);
        QTRY_COMPARE(m_said, QStringList{u"added b"_s});
        m_said.clear();
        write(u"sub/team.toml"_s, hostB);
        QTRY_COMPARE(m_said, QStringList{u"removed a"_s});
    }

    void importedFile_isWatchedToo()
    {
        const auto import = [this](const QStringList &names) {
            QList<HostSpec> hosts;
            for (const QString &name : names) {
                hosts += HostSpec();
                hosts.last().name = hosts.last().ssh = name;
            }
            QVERIFY(writeImport(m_dir->path(), u"ssh-config"_s, u"~/.ssh/config"_s, hosts));
        };
        write(u"hosts.toml"_s, hostA);
        import({u"x"_s, u"y"_s});
        start();
        QCOMPARE(m_live->hosts().size(), 3);
        import({u"x"_s, u"z"_s}); // by another console, or by pilothousectl
        QTRY_COMPARE(m_said, (QStringList{u"added z"_s, u"removed y"_s}));
        m_said.clear();
        const QString file = u"imported/ssh-config.toml"_s;
        write(file, "[[host]]\nname = \"x\"\nexpected_gpus = 4\naccess = \"read-only\"\n");
        QTRY_COMPARE(m_said.size(), 2);
        QVERIFY2(m_said.last().startsWith(u"changed x: "_s) && m_said.last().contains(u"expected_gpus: none → 4"_s),
                 qPrintable(m_said.join(u' ')));
        m_said.clear();
        QVERIFY(QFile::remove(m_dir->filePath(file)));
        QTRY_COMPARE(m_said.size(), 1);
        QVERIFY2(m_said.first().startsWith(u"failed "_s) && m_said.first().contains(u"does not exist"_s),
                 qPrintable(m_said.first()));
        QCOMPARE(m_live->hosts().size(), 2); // the last good ones
    }

    void includeThatIsAddedLater_isWatchedToo()
    {
        begin(hostA, hostB);
        write(u"hosts.toml"_s, "include = [\"sub/team.toml\"]\n" + hostA);
        QTRY_COMPARE(m_said, QStringList{u"added b"_s});
        m_said.clear();
        QTest::qWait(100); // its watch is in place
        write(u"sub/team.toml"_s, hostB + "access = \"normal\"\n");
        QTRY_COMPARE(m_said, QStringList{u"changed b: access: confirm → normal"_s});
    }

    void pipeInPlaceOfAFile_keepsTheLastGoodOne_data()
    {
        QTest::addColumn<QString>("file");
        QTest::newRow("hosts.toml") << u"hosts.toml"_s;
        QTest::newRow("included") << u"sub/team.toml"_s;
    }

    void pipeInPlaceOfAFile_keepsTheLastGoodOne()
    {
        QFETCH(const QString, file);
        const QByteArray whole = "include = [\"sub/team.toml\"]\n" + hostA;
        begin(whole, hostB);
        QVERIFY(QFile::remove(m_dir->filePath(file)));
        QCOMPARE(::mkfifo(QFile::encodeName(m_dir->filePath(file)).constData(), 0600), 0);
        QTRY_COMPARE(m_said.size(), 1);
        QVERIFY2(m_said.first().startsWith(u"failed "_s) && m_said.first().contains(u"not a file"_s),
                 qPrintable(m_said.first()));
        QCOMPARE(m_live->hosts().size(), 2);
        m_said.clear();
        QVERIFY(QFile::remove(m_dir->filePath(file)));
        write(file, file == u"hosts.toml" ? whole : hostB);
        QTRY_COMPARE(m_said, QStringList{u"mended"_s});
    }

    void fileBehindALink_isWatchedToo()
    {
        write(u"sub/real.toml"_s, hostA);
        QVERIFY(QFile::link(m_dir->filePath(u"sub/real.toml"_s), m_dir->filePath(u"hosts.toml"_s)));
        start();
        replace(u"sub/real.toml"_s, hostB);
        QTRY_COMPARE(m_said, (QStringList{u"added b"_s, u"removed a"_s}));
    }

    void fileBehindALink_thatGoesForAWhile_isSeenAgain()
    {
        write(u"sub/real.toml"_s, hostA);
        QVERIFY(QFile::link(m_dir->filePath(u"sub/real.toml"_s), m_dir->filePath(u"hosts.toml"_s)));
        start();
        QVERIFY(QFile::remove(m_dir->filePath(u"sub/real.toml"_s)));
        QTRY_COMPARE(m_said.size(), 1);
        QVERIFY2(m_said.first().startsWith(u"failed "_s), qPrintable(m_said.first()));
        m_said.clear();
        write(u"sub/real.toml"_s, hostB); // nothing has happened in the folder of the link
        QTRY_COMPARE(m_said, (QStringList{u"mended"_s, u"added b"_s, u"removed a"_s}));
    }

    void folderThatIsMadeLater_isSeen()
    {
        m_sub = u"not/yet"_s;
        start();
        write(u"not/yet/hosts.toml"_s, hostA);
        QTRY_COMPARE(m_said, QStringList{u"added a"_s});
        m_sub.clear();
    }

    void broken_keepsTheLastGoodOne()
    {
        begin(hostA + hostB);
        write(u"hosts.toml"_s, hostA + "acess = 1\n" + hostB);
        QTRY_COMPARE(m_said.size(), 1);
        QVERIFY2(m_said.first().startsWith(u"failed "_s) && m_said.first().contains(u"hosts.toml:3:1"_s),
                 qPrintable(m_said.first()));
        QCOMPARE(m_live->hosts().size(), 2);
        m_said.clear();
        write(u"hosts.toml"_s, hostA);
        QTRY_COMPARE(m_said, (QStringList{u"mended"_s, u"removed b"_s}));
    }

    void missingInclude_isSeenWhenItComes()
    {
        begin("include = [\"sub/team.toml\"]\n");
        QTRY_COMPARE(m_said.size(), 0); // said by whoever read it first
        QVERIFY(m_live->hosts().isEmpty());
        write(u"sub/team.toml"_s, hostA);
        QTRY_COMPARE(m_said, (QStringList{u"mended"_s, u"added a"_s}));
    }

    void emptyForAMoment_removesNothing()
    {
        m_timings.doubt = 600ms;
        begin(hostA + hostB);
        write(u"hosts.toml"_s, {});
        QTest::qWait(250); // it has been read meanwhile, empty
        write(u"hosts.toml"_s, hostA + hostB);
        QTest::qWait(900);
        QCOMPARE(m_said, QStringList());
        write(u"hosts.toml"_s, {});
        QTRY_COMPARE(m_said, (QStringList{u"removed a"_s, u"removed b"_s})); // and that is believed in the end
    }

    void changedAllTheTime_isReadNowAndThen()
    {
        begin(hostA);
        m_said.clear();
        for (int i = 1; i < 60 && m_said.isEmpty(); ++i) {
            replace(u"hosts.toml"_s, hostA + "expected_gpus = " + QByteArray::number(i) + '\n');
            QTest::qWait(20);
        }
        QVERIFY(!m_said.isEmpty());
    }

private:
    void write(const QString &name, const QByteArray &text) const
    {
        const QString path = m_dir->filePath(name);
        QVERIFY(QDir().mkpath(QFileInfo(path).path()));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(text), text.size());
    }
    void replace(const QString &name, const QByteArray &text) const
    {
        QSaveFile file(m_dir->filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        QVERIFY(file.commit());
    }
    void begin(const QByteArray &text, const QByteArray &team = {})
    {
        write(u"hosts.toml"_s, text);
        if (!team.isEmpty())
            write(u"sub/team.toml"_s, team);
        start();
    }
    void start()
    {
        const QString folder = m_sub.isEmpty() ? m_dir->path() : m_dir->filePath(m_sub);
        m_live = std::make_unique<LiveInventory>(folder, m_timings);
        connect(m_live.get(), &LiveInventory::changed, this, [this](const InventoryDifference &difference) {
            for (const QString &name : difference.added)
                m_said += u"added "_s + name;
            for (const QString &name : difference.removed)
                m_said += u"removed "_s + name;
            for (const HostChange &change : difference.changed)
                m_said += u"changed %1: %2"_s.arg(change.name, change.fields.join(u"; "_s));
        });
        connect(m_live.get(), &LiveInventory::failed, this,
                [this](const Error &error) { m_said += u"failed "_s + error.detail; });
        connect(m_live.get(), &LiveInventory::mended, this, [this] { m_said += u"mended"_s; });
        m_live->start(readInventory(folder));
        QTest::qWait(200); // the second reading, with all watches in place
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    QString m_sub;
    LiveInventory::Timings m_timings{50ms, 300ms, 200ms};
    std::unique_ptr<LiveInventory> m_live;
    QStringList m_said;
};

PILOTHOUSE_TEST_MAIN(TstLiveInventory)
#include "tst_liveinventory.moc"
