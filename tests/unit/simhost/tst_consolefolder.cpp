// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/simhost/consolefolder.h"
#include "tests/support/testmain.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <optional>
#include <sys/stat.h>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

void put(const QString &path, const QByteArray &text)
{
    QFile file(path);
    QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(path));
    QCOMPARE(file.write(text), text.size());
}

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("no file");
}

unsigned modeOf(const QString &path)
{
    struct stat info = {};
    return ::stat(QFile::encodeName(path).constData(), &info) == 0 ? info.st_mode & 07777 : 0;
}

} // namespace

class TstConsolefolder final : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_dir;

    [[nodiscard]] QString path(const QString &name = {}) const { return m_dir->filePath(u"there/"_s + name); }
    [[nodiscard]] QString folder() const { return m_dir->filePath(u"there"_s); }

private slots:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void made_isClosedToOthersAndGoneAfterwards()
    {
        const QString deep = m_dir->filePath(u"new/sub/dir"_s);
        {
            auto claimed = ConsoleFolder::claim(deep);
            QVERIFY2(claimed, claimed ? "" : qPrintable(claimed.error().detail));
            QCOMPARE(modeOf(deep), 0700U);
            QCOMPARE(modeOf(m_dir->filePath(u"new"_s)), 0700U);
            QVERIFY(claimed->write(u"hosts.toml"_s, ConsoleFolder::firstLine() + u"x\n"_s));
            put(deep + u"/identity"_s, "key");
            QVERIFY(QDir(deep).mkpath(u"host-keys"_s));
            put(deep + u"/host-keys/gpu1"_s, "key");
        }
        QVERIFY(!QFile::exists(m_dir->filePath(u"new"_s)));
        QVERIFY(QFile::exists(m_dir->path()));
    }

    void existing_staysWithWhatElseIsInIt()
    {
        QVERIFY(QDir().mkpath(path()));
        QVERIFY(QDir().mkpath(path(u"mine"_s)));
        put(path(u"mine/notes"_s), "keep");
        {
            auto claimed = ConsoleFolder::claim(folder());
            QVERIFY(claimed);
            QVERIFY(claimed->write(u"hosts.toml"_s, ConsoleFolder::firstLine()));
        }
        QCOMPARE(QDir(folder()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot), QStringList{u"mine"_s});
        QCOMPARE(contentOf(path(u"mine/notes"_s)), QByteArray("keep"));
    }

    void made_staysWhenSomebodyPutsSomethingInto()
    {
        {
            auto claimed = ConsoleFolder::claim(folder());
            QVERIFY(claimed);
            put(path(u"notes"_s), "keep");
        }
        QCOMPARE(contentOf(path(u"notes"_s)), QByteArray("keep"));
        QVERIFY(!QFile::exists(path(u"ssh_config"_s)));
    }

    void changedFile_stays()
    {
        {
            auto claimed = ConsoleFolder::claim(folder());
            QVERIFY(claimed);
            QVERIFY(claimed->write(u"hosts.toml"_s, ConsoleFolder::firstLine()));
            QVERIFY(claimed->write(u"known_hosts"_s, ConsoleFolder::firstLine()));
            put(path(u"hosts.toml"_s), ConsoleFolder::firstLine().toUtf8() + "[[host]]\nname = \"mine\"\n");
        }
        QVERIFY(contentOf(path(u"hosts.toml"_s)).endsWith("name = \"mine\"\n"));
        QVERIFY(!QFile::exists(path(u"known_hosts"_s)));
    }

    void somebodyElsesFile_isRefusedAndUntouched_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"ssh_config", "known_hosts", "hosts.toml", "identity", "host-keys", "hosts"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void somebodyElsesFile_isRefusedAndUntouched()
    {
        QFETCH(const QString, name);
        QVERIFY(QDir().mkpath(path()));
        put(path(name), "mine\n");
        const auto claimed = ConsoleFolder::claim(folder());
        QVERIFY(!claimed);
        QCOMPARE(claimed.error().code, ErrorCode::LocalIo);
        QVERIFY2(claimed.error().detail.contains(name), qPrintable(claimed.error().detail));
        QCOMPARE(contentOf(path(name)), QByteArray("mine\n"));
        QCOMPARE(QDir(folder()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot), QStringList{name});
    }

    void killedRun_isTakenOver()
    {
        QVERIFY(QDir().mkpath(path(u"hosts/gpu1"_s)));
        put(path(u"ssh_config"_s), ConsoleFolder::firstLine().toUtf8() + "Host gpu1\n");
        put(path(u"identity"_s), "old key");
        {
            const auto claimed = ConsoleFolder::claim(folder());
            QVERIFY2(claimed, claimed ? "" : qPrintable(claimed.error().detail));
            QVERIFY(!QFile::exists(path(u"identity"_s)));
            QVERIFY(!QFile::exists(path(u"hosts"_s)));
        }
        QVERIFY(QDir(folder()).isEmpty());
    }

    void livingRun_keepsItsFolder()
    {
        auto first = ConsoleFolder::claim(folder());
        QVERIFY(first);
        put(path(u"identity"_s), "its key");
        {
            const auto second = ConsoleFolder::claim(folder());
            QVERIFY(!second);
            QCOMPARE(second.error().code, ErrorCode::LocalIo);
            QVERIFY2(second.error().detail.contains(u"still run"_s), qPrintable(second.error().detail));
        }
        QCOMPARE(contentOf(path(u"identity"_s)), QByteArray("its key"));
        const ConsoleFolder moved(std::move(*first));
        QVERIFY(!ConsoleFolder::claim(folder()));
    }

    void whereOthersWrite_isRefused()
    {
        QVERIFY(QDir().mkpath(path()));
        put(path(u"something"_s), "x");
        QCOMPARE(::chmod(QFile::encodeName(folder()).constData(), 0777), 0);
        const auto claimed = ConsoleFolder::claim(folder());
        QVERIFY(!claimed);
        QVERIFY2(claimed.error().detail.contains(u"not yours alone"_s), qPrintable(claimed.error().detail));
        QCOMPARE(modeOf(folder()), 0777U);
    }

    void stickyFolder_isRefusedEvenWhenEmpty()
    {
        QVERIFY(QDir().mkpath(path()));
        QCOMPARE(::chmod(QFile::encodeName(folder()).constData(), 01777), 0);
        QVERIFY(!ConsoleFolder::claim(folder()));
        QCOMPARE(modeOf(folder()), 01777U);
    }

    void emptyFolderOfAWideUmask_isClosed()
    {
        QVERIFY(QDir().mkpath(path()));
        QCOMPARE(::chmod(QFile::encodeName(folder()).constData(), 0775), 0);
        {
            QVERIFY(ConsoleFolder::claim(folder()));
            QCOMPARE(modeOf(folder()), 0700U);
        }
        QVERIFY(QFile::exists(folder())); // it was there before
    }

    void fileInItsPlace_isRefused()
    {
        put(folder(), "a file");
        const auto claimed = ConsoleFolder::claim(folder());
        QVERIFY(!claimed);
        QVERIFY(claimed.error().detail.contains(u"is no folder"_s));
        const auto below = ConsoleFolder::claim(path(u"sub"_s));
        QVERIFY(!below);
        QCOMPARE(contentOf(folder()), QByteArray("a file"));
    }
};

PILOTHOUSE_TEST_MAIN(TstConsolefolder)
#include "tst_consolefolder.moc"
