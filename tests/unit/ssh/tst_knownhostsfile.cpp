// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/knownhosts.h"
#include "tests/support/testmain.h"
#include "tests/unit/ssh/testkeys.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QThread>

#include <memory>
#include <sys/stat.h>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

const HostKey key = ed25519Key('k');
const KnownHostsName gpu1{u"gpu1"_s, 22, {}};

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(unreadable)");
}

void put(const QString &path, const QByteArray &content)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(content), content.size());
}

uint modeOf(const QString &path)
{
    struct stat info
    { };
    return ::stat(QFile::encodeName(path).constData(), &info) == 0 ? info.st_mode & 0777U : 0;
}

} // namespace

class TstKnownHostsFile final : public QObject
{
    Q_OBJECT
private slots:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void load_missingIsEmpty();
    void load_keepsBytesAndPath();
    void load_nullDeviceIsEmpty();
    void load_folderIsAnError();
    void load_pipeIsAnErrorAndDoesNotWait();
    void load_tooLargeIsAnError();
    void load_unreadableIsAnError();
    void load_severalStopsAtTheFirstError();
    void load_binaryKnowsNobody();
    void append_makesFolderAndFile();
    void append_endsAnUnfinishedLine();
    void append_keepsModeAndBytes();
    void append_throughASymbolicLink();
    void append_hashed();
    void append_toTheNullDeviceIsNoError();
    void append_makesTheFoldersThatAreMissing();
    void append_refusedPlaces_data();
    void append_refusedPlaces();
    void append_refusedNames_data();
    void append_refusedNames();
    void append_fromThreadsKeepsWholeLines();

private:
    QString path(const char *name) const { return m_dir->filePath(QString::fromLatin1(name)); }

    std::unique_ptr<QTemporaryDir> m_dir;
};

void TstKnownHostsFile::load_missingIsEmpty()
{
    for (const QString &missing : {path("missing"), path("no/folder/either")}) {
        const Result<KnownHostsFile> file = loadKnownHosts(missing);
        QVERIFY(file);
        QCOMPARE(file->path, missing);
        QVERIFY(file->content.isEmpty());
    }
    put(path("file"), "x");
    QVERIFY(loadKnownHosts(path("file/below")));
}

void TstKnownHostsFile::load_keepsBytesAndPath()
{
    const QByteArray bytes("gpu1 a\r\n\0\xff", 10);
    put(path("kh"), bytes);
    const Result<KnownHostsFile> file = loadKnownHosts(path("kh"));
    QVERIFY(file);
    QCOMPARE(file->content, bytes);
}

void TstKnownHostsFile::load_nullDeviceIsEmpty()
{
    QVERIFY(loadKnownHosts(u"/dev/null"_s));
    const Result<KnownHostsFile> zero = loadKnownHosts(u"/dev/zero"_s);
    QVERIFY(!zero);
    QCOMPARE(zero.error().code, ErrorCode::LocalIo);
}

void TstKnownHostsFile::load_folderIsAnError()
{
    const Result<KnownHostsFile> file = loadKnownHosts(m_dir->path());
    QVERIFY(!file);
    QCOMPARE(file.error().code, ErrorCode::LocalIo);
    QVERIFY(file.error().detail.contains(m_dir->path()));
}

void TstKnownHostsFile::load_pipeIsAnErrorAndDoesNotWait()
{
    QCOMPARE(::mkfifo(QFile::encodeName(path("pipe")).constData(), 0600), 0);
    QVERIFY(!loadKnownHosts(path("pipe")));
}

void TstKnownHostsFile::load_tooLargeIsAnError()
{
    const auto resized = [&](qint64 size) {
        QFile file(path("big"));
        return file.open(QIODevice::ReadWrite) && file.resize(size);
    };
    QVERIFY(resized(16 * 1024 * 1024));
    QVERIFY(loadKnownHosts(path("big")));
    QVERIFY(resized(16 * 1024 * 1024 + 1));
    const Result<KnownHostsFile> file = loadKnownHosts(path("big"));
    QVERIFY(!file);
    QVERIFY(file.error().detail.contains(u"16 MiB"_s));
}

void TstKnownHostsFile::load_unreadableIsAnError()
{
    QVERIFY(QFile::link(path("loop"), path("loop"))); // unreadable for root too
    const Result<KnownHostsFile> file = loadKnownHosts(path("loop"));
    QVERIFY(!file); // it may hold a @revoked line: not the same as a missing file
    QCOMPARE(file.error().code, ErrorCode::LocalIo);
}

void TstKnownHostsFile::load_severalStopsAtTheFirstError()
{
    put(path("kh"), knownHostsLine(gpu1, key, false));
    const auto files = loadKnownHosts(QStringList{path("missing"), path("kh")});
    QVERIFY(files);
    QCOMPARE(files->size(), 2);
    QCOMPARE(checkHostKey(*files, gpu1, key).file, path("kh"));
    QVERIFY(!loadKnownHosts(QStringList{path("kh"), m_dir->path()}));
}

void TstKnownHostsFile::load_binaryKnowsNobody()
{
    QByteArray noise(4096, '\0');
    for (qsizetype i = 0; i < noise.size(); ++i)
        noise[i] = char(i * 131 + i / 7);
    put(path("noise"), noise);
    const auto file = loadKnownHosts(path("noise"));
    QVERIFY(file);
    const KnownHostsVerdict verdict = checkHostKey({*file}, gpu1, key);
    QCOMPARE(verdict.kind, KnownHostsVerdict::Kind::Unknown);
    QVERIFY(verdict.unreadableLines > 0);
}

void TstKnownHostsFile::append_makesFolderAndFile()
{
    const QString file = path("ssh/known_hosts");
    QVERIFY(appendKnownHost(file, gpu1, key, false));
    QCOMPARE(modeOf(path("ssh")), 0700U);
    QCOMPARE(modeOf(file) & 0177U, 0U);
    QCOMPARE(contentOf(file), "gpu1 " + keyText(key) + "\n");
}

void TstKnownHostsFile::append_endsAnUnfinishedLine()
{
    put(path("kh"), "gpu0 " + keyText(key));
    QVERIFY(appendKnownHost(path("kh"), gpu1, key, false));
    QVERIFY(appendKnownHost(path("kh"), {u"gpu2"_s, 2222, {}}, key, false));
    QCOMPARE(contentOf(path("kh")), "gpu0 " + keyText(key) + "\ngpu1 " + keyText(key)
                                        + "\n[gpu2]:2222 " + keyText(key) + "\n");
}

void TstKnownHostsFile::append_keepsModeAndBytes()
{
    put(path("kh"), "# mine\n\xff\n");
    QVERIFY(
        QFile::setPermissions(path("kh"), QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup));
    QVERIFY(appendKnownHost(path("kh"), gpu1, key, false));
    QCOMPARE(modeOf(path("kh")), 0640U);
    QVERIFY(contentOf(path("kh")).startsWith("# mine\n\xff\ngpu1 "));
}

void TstKnownHostsFile::append_throughASymbolicLink()
{
    put(path("real"), {});
    QVERIFY(QFile::link(path("real"), path("kh")));
    QVERIFY(appendKnownHost(path("kh"), gpu1, key, false));
    QVERIFY(QFileInfo(path("kh")).isSymLink());
    QVERIFY(contentOf(path("real")).startsWith("gpu1 "));
}

void TstKnownHostsFile::append_hashed()
{
    QVERIFY(appendKnownHost(path("kh"), gpu1, key, true));
    QVERIFY(!contentOf(path("kh")).contains("gpu1"));
    const auto file = loadKnownHosts(path("kh"));
    QVERIFY(file);
    QCOMPARE(checkHostKey({*file}, gpu1, key).kind, KnownHostsVerdict::Kind::Known);
}

void TstKnownHostsFile::append_toTheNullDeviceIsNoError()
{
    QVERIFY(appendKnownHost(u"/dev/null"_s, gpu1, key, false));
}

void TstKnownHostsFile::append_makesTheFoldersThatAreMissing()
{
    QVERIFY(appendKnownHost(path("new/sub/kh"), gpu1, key, false));
    QVERIFY(contentOf(path("new/sub/kh")).startsWith("gpu1 "));
    QCOMPARE(modeOf(path("new")), 0700U);
    QCOMPARE(modeOf(path("new/sub")), 0700U);
    QCOMPARE(modeOf(path("new/sub/kh")), 0600U);
}

void TstKnownHostsFile::append_refusedPlaces_data()
{
    QTest::addColumn<QString>("place");
    QTest::newRow("folder") << u"."_s;
    QTest::newRow("pipe") << u"pipe"_s;
    QTest::newRow("below a file") << u"file/known_hosts"_s;
    QTest::newRow("folders below a file") << u"file/a/known_hosts"_s;
    QTest::newRow("empty") << QString();
}

void TstKnownHostsFile::append_refusedPlaces()
{
    QFETCH(QString, place);
    QCOMPARE(::mkfifo(QFile::encodeName(path("pipe")).constData(), 0600), 0);
    put(path("file"), {});
    const Result<void> stored =
        appendKnownHost(place.isEmpty() ? place : m_dir->filePath(place), gpu1, key, false);
    QVERIFY(!stored);
    QCOMPARE(stored.error().code, ErrorCode::LocalIo);
}

void TstKnownHostsFile::append_refusedNames_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("empty") << QString();
    QTest::newRow("pattern") << u"*"_s;
    QTest::newRow("list") << u"a,b"_s;
    QTest::newRow("exclusion") << u"!a"_s;
    QTest::newRow("blank: another key type") << u"a b"_s;
    QTest::newRow("second line") << u"a\nb"_s;
    QTest::newRow("comment") << u"#a"_s;
    QTest::newRow("marker") << u"@revoked"_s;
    QTest::newRow("hash") << u"|1|"_s;
}

void TstKnownHostsFile::append_refusedNames()
{
    QFETCH(QString, name);
    for (const bool hashed : {false, true})
        QVERIFY(!appendKnownHost(path("kh"), {name, 22, {}}, key, hashed));
    QVERIFY(!appendKnownHost(path("kh"), {u"gpu1"_s, 22, u"*"_s}, key, false));
    QVERIFY(!appendKnownHost(path("kh"), gpu1, {u"ssh-rsa"_s, key.blob},
                             false)); // not what the blob is
    QVERIFY(!QFileInfo::exists(path("kh")));
}

void TstKnownHostsFile::append_fromThreadsKeepsWholeLines()
{
    const QString file = path("kh");
    std::vector<std::unique_ptr<QThread>> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back(QThread::create([file, t] {
            for (int i = 0; i < 25; ++i) {
                const KnownHostsName name{u"gpu-%1-%2"_s.arg(t).arg(i), 22, {}};
                if (!appendKnownHost(file, name, key, false))
                    return;
            }
        }));
        threads.back()->start();
    }
    for (const auto &thread : threads)
        QVERIFY(thread->wait());
    const auto loaded = loadKnownHosts(file);
    QVERIFY(loaded);
    QCOMPARE(loaded->content.count('\n'), 100);
    for (int t = 0; t < 4; ++t) {
        for (int i = 0; i < 25; ++i) {
            const KnownHostsVerdict verdict =
                checkHostKey({*loaded}, {u"gpu-%1-%2"_s.arg(t).arg(i), 22, {}}, key);
            QCOMPARE(verdict.kind, KnownHostsVerdict::Kind::Known);
            QCOMPARE(verdict.unreadableLines, 0);
        }
    }
}

PILOTHOUSE_TEST_MAIN(TstKnownHostsFile)
#include "tst_knownhostsfile.moc"
