// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/problems.h"
#include "tests/support/testmain.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstProblems final : public QObject
{
    Q_OBJECT
private slots:
    void codes_areUniqueDottedAndLowerCase();
    void codes_usedInTheSourcesStandInTheTable();
    void problem_takesWeightAndAdviceFromTheTable();
    void problem_unknownCodeIsAWarning();
};

void TstProblems::codes_areUniqueDottedAndLowerCase()
{
    const QStringList codes = problemCodes();
    static const QRegularExpression form(u"^[a-z]+\\.[a-z_]+$"_s);
    QCOMPARE(QSet<QString>(codes.begin(), codes.end()).size(), codes.size());
    for (const QString &code : codes) {
        QVERIFY2(form.match(code).hasMatch(), qPrintable(code));
        const QString advice = problemOf(code, {}).advice;
        QVERIFY2(advice.isEmpty() || advice.endsWith(u'.'), qPrintable(code));
    }
}

void TstProblems::codes_usedInTheSourcesStandInTheTable()
{
    const QDir folder(QStringLiteral(PILOTHOUSE_SOURCE_DIR "/core/probe"));
    static const QRegularExpression literal(u"u\"([a-z]+\\.[a-z_]+)\""_s);
    const QStringList codes = problemCodes();
    QSet<QString> used;
    for (const QString &name : folder.entryList({u"assemble*.cpp"_s, u"sudorefusal.cpp"_s})) {
        QFile file(folder.filePath(name));
        QVERIFY(file.open(QIODevice::ReadOnly));
        auto matches = literal.globalMatch(QString::fromUtf8(file.readAll()));
        while (matches.hasNext())
            used.insert(matches.next().captured(1));
    }
    for (const QString &code : used)
        QVERIFY2(codes.contains(code), qPrintable(code));
    for (const QString &code : codes)
        QVERIFY2(used.contains(code), qPrintable(code));
}

void TstProblems::problem_takesWeightAndAdviceFromTheTable()
{
    const Problem lost = problemOf(u"gpu.lost"_s, u"x"_s, 3);
    QCOMPARE(lost.severity, Problem::Severity::Critical);
    QCOMPARE(lost.gpu, std::optional<int>(3));
    QVERIFY(!lost.advice.isEmpty());
    QVERIFY(!problemOf(u"gpu.lost"_s, u"x"_s).gpu);
    QCOMPARE(problemOf(u"gpu.lost"_s, u"x"_s, 0, Problem::Severity::Notice).severity, Problem::Severity::Notice);
}

void TstProblems::problem_unknownCodeIsAWarning()
{
    const Problem problem = problemOf(u"no.such"_s, u"x"_s);
    QCOMPARE(problem.severity, Problem::Severity::Warning);
    QVERIFY(problem.advice.isEmpty());
}

PILOTHOUSE_TEST_MAIN(TstProblems)
#include "tst_problems.moc"
