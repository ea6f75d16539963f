// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/hostkeycheck.h"
#include "tests/support/testmain.h"
#include "tests/unit/ssh/testkeys.h"

#include <QFile>
#include <QTemporaryDir>

#include <memory>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

const HostKey key = ed25519Key('k');
const HostKey otherKey = ed25519Key('o');

} // namespace

class TstHostKeyCheck final : public QObject
{
    Q_OBJECT
private slots:
    void init();

    void known_isAccepted();
    void unknown_strictness_data();
    void unknown_strictness();
    void unknown_acceptedNewIsStoredInTheFirstFile();
    void changed_isNeverAcceptedAsNew();
    void revoked_isNeverAcceptedAsNew();
    void optionReplacesAllFiles();
    void unreadableFile_isAnError();
    void garbageInsteadOfAKey_isAnError();
    void algorithms_knownTypesFirst();
    void store_withoutAFileIsAnError();

private:
    void write(const QString &path, const QByteArray &text) const;
    HostKeyCheck check() const;

    std::unique_ptr<QTemporaryDir> m_dir;
    ConnectionSettings m_settings;
    ResolvedHost m_host;
};

void TstHostKeyCheck::init()
{
    m_dir = std::make_unique<QTemporaryDir>();
    m_settings = {};
    m_host = {};
    m_host.hostName = u"gpu1"_s;
    m_host.strictHostKeyChecking = u"ask"_s;
    m_host.hostKeyAlgorithms = u"ssh-ed25519,rsa-sha2-512"_s;
    m_host.userKnownHostsFiles = {m_dir->filePath(u"kh"_s), m_dir->filePath(u"kh2"_s)};
    m_host.globalKnownHostsFiles = {m_dir->filePath(u"global"_s)};
}

void TstHostKeyCheck::write(const QString &path, const QByteArray &text) const
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text), text.size());
}

HostKeyCheck TstHostKeyCheck::check() const
{
    HostKeyCheck check(m_settings, m_host);
    if (!check.load())
        qWarning("known_hosts cannot be read");
    return check;
}

void TstHostKeyCheck::known_isAccepted()
{
    for (const QString &path : m_host.userKnownHostsFiles + m_host.globalKnownHostsFiles) {
        write(path, "gpu1 " + keyText(key) + '\n');
        QVERIFY(std::holds_alternative<HostKeyCheck::Accepted>(
            check().judge(key.blob, u"root@gpu1"_s)));
        QVERIFY(QFile::remove(path));
    }
}

void TstHostKeyCheck::unknown_strictness_data()
{
    QTest::addColumn<QString>("strictness");
    QTest::addColumn<bool>("person");
    QTest::addColumn<bool>("asked");
    QTest::newRow("ask") << u"ask"_s << true << true;
    QTest::newRow("ask, nobody there") << u"ask"_s << false << false;
    QTest::newRow("yes refuses unasked") << u"yes"_s << true << false;
    QTest::newRow("no never accepts") << u"no"_s << true << true;
    QTest::newRow("no, nobody there") << u"no"_s << false << false;
    QTest::newRow("accept-new never accepts") << u"accept-new"_s << true << true;
    QTest::newRow("accept-new, nobody there") << u"accept-new"_s << false << false;
}

void TstHostKeyCheck::unknown_strictness()
{
    QFETCH(QString, strictness);
    QFETCH(bool, person);
    QFETCH(bool, asked);
    m_host.strictHostKeyChecking = strictness;
    m_settings.askPerson = person;
    const HostKeyCheck::Verdict verdict = check().judge(key.blob, u"root@gpu1"_s);
    QCOMPARE(std::holds_alternative<Question>(verdict), asked);
    if (asked) {
        const Question &question = std::get<Question>(verdict);
        QCOMPARE(question.kind, Question::Kind::UnknownHostKey);
        QCOMPARE(question.fingerprint, key.fingerprint());
        QCOMPARE(question.knownHostsFile, m_dir->filePath(u"kh"_s));
    } else {
        QCOMPARE(std::get<Error>(verdict).code, ErrorCode::HostKeyUnknown);
        QVERIFY(std::get<Error>(verdict).detail.contains(key.fingerprint()));
    }
    QVERIFY(!QFile::exists(m_dir->filePath(u"kh"_s)));
}

void TstHostKeyCheck::unknown_acceptedNewIsStoredInTheFirstFile()
{
    m_settings.acceptNewHostKey = true;
    m_settings.askPerson = false;
    HostKeyCheck first = check();
    QVERIFY(
        std::holds_alternative<HostKeyCheck::AcceptedNew>(first.judge(key.blob, u"root@gpu1"_s)));
    QVERIFY(first.store());
    QVERIFY(QFile::exists(m_dir->filePath(u"kh"_s)));
    QVERIFY(
        std::holds_alternative<HostKeyCheck::Accepted>(check().judge(key.blob, u"root@gpu1"_s)));
}

void TstHostKeyCheck::changed_isNeverAcceptedAsNew()
{
    m_settings.acceptNewHostKey = true;
    for (const HostKey &known : {otherKey, rsaKey('r')}) {
        write(m_dir->filePath(u"global"_s), "gpu1 " + keyText(known) + '\n');
        const HostKeyCheck::Verdict verdict = check().judge(key.blob, u"root@gpu1"_s);
        QCOMPARE(std::get<Error>(verdict).code, ErrorCode::HostKeyChanged);
    }
}

void TstHostKeyCheck::revoked_isNeverAcceptedAsNew()
{
    m_settings.acceptNewHostKey = true;
    write(m_dir->filePath(u"global"_s), "@revoked * " + keyText(key) + '\n');
    const HostKeyCheck::Verdict verdict = check().judge(key.blob, u"root@gpu1"_s);
    QCOMPARE(std::get<Error>(verdict).code, ErrorCode::HostKeyRevoked);
}

void TstHostKeyCheck::optionReplacesAllFiles()
{
    write(m_dir->filePath(u"global"_s), "gpu1 " + keyText(otherKey) + '\n');
    m_settings.knownHostsFile = m_dir->filePath(u"option"_s);
    HostKeyCheck own = check();
    const HostKeyCheck::Verdict verdict = own.judge(key.blob, u"root@gpu1"_s);
    QCOMPARE(std::get<Question>(verdict).knownHostsFile, m_settings.knownHostsFile);
    QVERIFY(own.store());
    QVERIFY(QFile::exists(m_settings.knownHostsFile));
}

void TstHostKeyCheck::unreadableFile_isAnError()
{
    m_host.globalKnownHostsFiles = {m_dir->path()}; // a folder
    const Result<void> loaded = HostKeyCheck(m_settings, m_host).load();
    QVERIFY(!loaded);
    QCOMPARE(loaded.error().code, ErrorCode::LocalIo);
}

void TstHostKeyCheck::garbageInsteadOfAKey_isAnError()
{
    for (const QByteArray &blob : {QByteArray(), QByteArray("\0\0\0\1x", 5), key.blob.chopped(1)})
        QCOMPARE(std::get<Error>(check().judge(blob, u"root@gpu1"_s)).code,
                 ErrorCode::HandshakeFailed);
}

void TstHostKeyCheck::algorithms_knownTypesFirst()
{
    QCOMPARE(check().algorithms(), u"ssh-ed25519,rsa-sha2-512"_s);
    write(m_dir->filePath(u"kh2"_s), "gpu1 " + keyText(rsaKey('r')) + '\n');
    QCOMPARE(check().algorithms(), u"rsa-sha2-512,ssh-ed25519"_s);
}

void TstHostKeyCheck::store_withoutAFileIsAnError()
{
    m_host.userKnownHostsFiles.clear(); // UserKnownHostsFile none
    HostKeyCheck none = check();
    (void)none.judge(key.blob, u"root@gpu1"_s);
    const Result<void> stored = none.store();
    QVERIFY(!stored);
    QCOMPARE(stored.error().code, ErrorCode::LocalIo);
}

PILOTHOUSE_TEST_MAIN(TstHostKeyCheck)
#include "tst_hostkeycheck.moc"
