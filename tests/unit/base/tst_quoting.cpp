// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/quoting.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstQuoting final : public QObject
{
    Q_OBJECT
private slots:
    void shellQuoted_survivesAPosixShell_data();
    void shellQuoted_survivesAPosixShell();
};

void TstQuoting::shellQuoted_survivesAPosixShell_data()
{
    QTest::addColumn<QString>("word");
    QTest::addColumn<QString>("quoted");
    QTest::newRow("plain") << u"root@gpu1:22"_s << u"root@gpu1:22"_s;
    QTest::newRow("empty") << QString() << u"''"_s;
    QTest::newRow("blank") << u"a b"_s << u"'a b'"_s;
    QTest::newRow("quote") << u"it's"_s << u"'it'\\''s'"_s;
    QTest::newRow("dollar and backquote") << u"$(x)`y`"_s << u"'$(x)`y`'"_s;
    QTest::newRow("tilde") << u"~/x"_s << u"'~/x'"_s;
}

void TstQuoting::shellQuoted_survivesAPosixShell()
{
    QFETCH(QString, word);
    QFETCH(QString, quoted);
    QCOMPARE(shellQuoted(word), quoted);
}

PILOTHOUSE_TEST_MAIN(TstQuoting)
#include "tst_quoting.moc"
