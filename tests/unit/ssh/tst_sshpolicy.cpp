// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshconfig.h"
#include "tests/support/testmain.h"

#include <QFile>
#include <QMap>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

ResolvedHost hostWith(const QString &keyword, const QStringList &values)
{
    ResolvedHost host;
    host.alias = u"gpu1"_s;
    host.all.insert(keyword, values);
    return host;
}

/// keyword -> policy word of the table in core/ssh/README.md
QMap<QString, QString> documented()
{
    QFile file(QString::fromUtf8(PILOTHOUSE_SOURCE_DIR) + u"/core/ssh/README.md"_s);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("README.md missing");
    QMap<QString, QString> rows;
    for (const QString &line : QString::fromUtf8(file.readAll()).split(u'\n')) {
        const QStringList cells = line.split(u'|');
        if (cells.size() != 5 || cells[1].trimmed() == "keyword"_L1 || cells[1].startsWith(u'-'))
            continue;
        if (rows.contains(cells[1].trimmed()))
            qFatal("keyword twice in README.md");
        rows.insert(cells[1].trimmed(), cells[2].trimmed());
    }
    return rows;
}

} // namespace

class TstSshPolicy final : public QObject
{
    Q_OBJECT
private slots:
    void table_isTheDocumentedOne();
    void table_knowsEveryKeywordOfTheFixtures_data();
    void table_knowsEveryKeywordOfTheFixtures();
    void refused_namesKeywordAndValue_data();
    void refused_namesKeywordAndValue();
    void refused_notWhenNone_data();
    void refused_notWhenNone();
    void refused_socketOfAProxyCommand();
    void refused_anyOfSeveralValues();
    void refused_hostileValueIsCleaned();
    void allowed_harmlessAndUnknown_data();
    void allowed_harmlessAndUnknown();
};

void TstSshPolicy::table_isTheDocumentedOne()
{
    const QMap<QString, QString> rows = documented();
    QMap<QString, QString> ours;
    for (const auto &[policy, word] : {std::pair{SshKeywordPolicy::Honoured, u"honoured"_s},
                                       std::pair{SshKeywordPolicy::Refused, u"refused"_s},
                                       std::pair{SshKeywordPolicy::Harmless, u"harmless"_s}}) {
        for (const QString &keyword : keywordsWith(policy)) {
            QVERIFY2(!ours.contains(keyword), qPrintable(keyword));
            ours.insert(keyword, word);
            QCOMPARE(policyOf(keyword), policy);
        }
    }
    QCOMPARE(ours, rows);
    QVERIFY(keywordsWith(SshKeywordPolicy::Unknown).isEmpty());
    QCOMPARE(policyOf(u"nosuch"_s), SshKeywordPolicy::Unknown);
}

void TstSshPolicy::table_knowsEveryKeywordOfTheFixtures_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("defaults") << u"g-defaults.txt"_s;
    QTest::newRow("everything set") << u"g-gpu1.txt"_s;
}

void TstSshPolicy::table_knowsEveryKeywordOfTheFixtures()
{
    QFETCH(QString, name);
    QFile file(QString::fromUtf8(PILOTHOUSE_TEST_DATA) + u"/ssh/"_s + name);
    QVERIFY(file.open(QIODevice::ReadOnly));
    file.readLine();
    while (!file.atEnd()) {
        const QString keyword =
            QString::fromUtf8(file.readLine()).section(u' ', 0, 0).trimmed().toLower();
        QVERIFY2(policyOf(keyword) != SshKeywordPolicy::Unknown, qPrintable(keyword));
    }
}

void TstSshPolicy::refused_namesKeywordAndValue_data()
{
    QTest::addColumn<QString>("keyword");
    for (const QString &keyword : keywordsWith(SshKeywordPolicy::Refused))
        QTest::newRow(qPrintable(keyword)) << keyword;
}

void TstSshPolicy::refused_namesKeywordAndValue()
{
    QFETCH(QString, keyword);
    const Result<void> allowed = checkSshConfig(hostWith(keyword, {u"some value"_s}));
    QVERIFY(!allowed);
    QCOMPARE(allowed.error().code, ErrorCode::SshConfigRefused);
    QVERIFY(allowed.error().detail.contains(keyword));
    QVERIFY(allowed.error().detail.contains(u"some value"_s));
    QVERIFY(allowed.error().detail.contains(u"gpu1"_s));
    QVERIFY(allowed.error().detail.endsWith(u'.'));
}

void TstSshPolicy::refused_notWhenNone_data()
{
    refused_namesKeywordAndValue_data();
}

void TstSshPolicy::refused_notWhenNone()
{
    QFETCH(QString, keyword);
    for (const QString &none : {u"none"_s, u"None"_s, QString()})
        QVERIFY(checkSshConfig(hostWith(keyword, {none})));
    QVERIFY(checkSshConfig(ResolvedHost()));
}

void TstSshPolicy::refused_socketOfAProxyCommand()
{
    // ssh prints it always.
    QVERIFY(checkSshConfig(hostWith(u"proxyusefdpass"_s, {u"no"_s})));
    QVERIFY(!checkSshConfig(hostWith(u"proxyusefdpass"_s, {u"yes"_s})));
}

void TstSshPolicy::refused_anyOfSeveralValues()
{
    QVERIFY(!checkSshConfig(hostWith(u"revokedhostkeys"_s, {u"none"_s, u"/etc/ssh/revoked"_s})));
}

void TstSshPolicy::refused_hostileValueIsCleaned()
{
    const Result<void> allowed =
        checkSshConfig(hostWith(u"knownhostscommand"_s, {u"x\x1b]0;y\a"_s + QString(5'000, u'z')}));
    QVERIFY(!allowed);
    QVERIFY(!allowed.error().detail.contains(u'\x1b'));
    QVERIFY(allowed.error().detail.size() < 600);
}

void TstSshPolicy::allowed_harmlessAndUnknown_data()
{
    QTest::addColumn<QString>("keyword");
    for (const QString &keyword : keywordsWith(SshKeywordPolicy::Harmless)
                                      + keywordsWith(SshKeywordPolicy::Honoured)
                                      + QStringList{u"nosuch"_s})
        QTest::newRow(qPrintable(keyword)) << keyword;
}

void TstSshPolicy::allowed_harmlessAndUnknown()
{
    QFETCH(QString, keyword);
    QVERIFY(checkSshConfig(hostWith(keyword, {u"yes"_s})));
}

PILOTHOUSE_TEST_MAIN(TstSshPolicy)
#include "tst_sshpolicy.moc"
