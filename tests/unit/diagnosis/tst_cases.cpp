// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis/rules.h"
#include "tests/unit/diagnosis/casefile.h"

#include "tests/support/testmain.h"

#include <QDir>
#include <QFile>

#include <algorithm>
#include <cstdio>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

const QString folder = QStringLiteral(PILOTHOUSE_TEST_DATA "/cases");

Case caseOf(const QString &name)
{
    QFile file(folder + u'/' + name);
    return file.open(QIODevice::ReadOnly) ? parseCase(file.readAll()) : Case();
}

QStringList caseNames()
{
    return QDir(folder).entryList({u"*.case"_s}, QDir::Files, QDir::Name);
}

} // namespace

/// Every case, as a console sees it that has just connected (cold) and one that has watched (warm).
class TstCases : public QObject
{
    Q_OBJECT

private slots:
    void everyCase_data();
    void everyCase();
    void everyModifierHasACase();
    void everyRuleAndCauseHasACase();
    void aWrongExpectationIsNoticed();
    void cleanupTestCase();

private:
    int m_right = 0;
};

void TstCases::everyCase_data()
{
    QTest::addColumn<QString>("name");
    for (const QString &name : caseNames())
        QTest::newRow(qPrintable(name)) << name;
}

void TstCases::everyCase()
{
    QFETCH(QString, name);
    const Case one = caseOf(name);
    QVERIFY2(!one.title.isEmpty(), "a case without a title");
    const QStringList cold = complaints(one, false);
    const QStringList warm = complaints(one, true);
    QVERIFY2(cold.isEmpty() && warm.isEmpty(),
        qPrintable(u"cold: "_s + cold.join(u"; "_s) + u" | warm: "_s + warm.join(u"; "_s)));
    ++m_right;
}

void TstCases::everyModifierHasACase()
{
    QSet<QString> seen;
    QStringList sentences;
    for (const QString &name : caseNames()) {
        for (const bool warm : {false, true}) {
            const Diagnosis diagnosis = diagnosed(caseOf(name), warm);
            for (const Family &family : diagnosis.families)
                seen.unite(QSet<QString>(family.modifiers.begin(), family.modifiers.end()));
            for (const ProcessVerdict &process : diagnosis.processes)
                sentences += process.evidence;
        }
    }
    for (const Modifier &modifier : Rules::builtIn().modifiers()) {
        const QString beginning = modifier.sentence.section(u'%', 0, 0);
        const auto said = [&](const QString &sentence) { return !beginning.isEmpty() && sentence.startsWith(beginning); };
        QVERIFY2(seen.contains(modifier.name) || std::ranges::any_of(sentences, said), qPrintable(modifier.name));
    }
}

void TstCases::everyRuleAndCauseHasACase()
{
    QSet<QString> rules;
    QSet<QString> causes;
    for (const QString &name : caseNames()) {
        for (const bool warm : {false, true}) {
            const Diagnosis diagnosis = diagnosed(caseOf(name), warm);
            for (const ProcessVerdict &process : diagnosis.processes)
                rules.insert(process.rule);
            for (const Family &family : diagnosis.families)
                causes.unite(QSet<QString>(family.causes.begin(), family.causes.end()));
            causes.unite(QSet<QString>(diagnosis.host.causes.begin(), diagnosis.host.causes.end()));
        }
    }
    for (int rule = 0; rule <= 25; ++rule)
        QVERIFY2(rules.contains(u"R%1"_s.arg(rule)), qPrintable(u"R%1"_s.arg(rule)));
    for (int cause = 1; cause <= 15; ++cause)
        QVERIFY2(causes.contains(u"C%1"_s.arg(cause)), qPrintable(u"C%1"_s.arg(cause)));
}

void TstCases::aWrongExpectationIsNoticed()
{
    Case one = caseOf(u"founding.case"_s);
    QVERIFY(complaints(one, false).isEmpty());
    one.cold.state = u"free"_s;
    QCOMPARE(complaints(one, false).size(), 1);
    one = caseOf(u"founding.case"_s);
    one.cold.processes.removeFirst();
    QVERIFY(!complaints(one, false).isEmpty()); // a kill that nobody asked for
}

void TstCases::cleanupTestCase()
{
    std::printf("cases %d right of %d\n", m_right, int(caseNames().size()));
    std::fflush(stdout);
}

PILOTHOUSE_TEST_MAIN(TstCases)
#include "tst_cases.moc"
