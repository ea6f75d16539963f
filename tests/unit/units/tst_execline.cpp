// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Exec lines split as systemd 252 splits them, and what it replaces in their words; tests/lab/tst_labunitcheck.cpp
// holds
// the same against a real one.
#include "core/units/execline.h"
#include "core/units/expansion.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

QStringList textsOf(const ExecCommand &command)
{
    QStringList texts;
    for (const ExecWord &word : command.words)
        texts += word.text;
    return texts;
}

} // namespace

class TstExecLine final : public QObject
{
    Q_OBJECT
private slots:
    void words_data()
    {
        QTest::addColumn<QString>("value");
        QTest::addColumn<QStringList>("words");
        QTest::newRow("blanks") << u"/bin/a  b\tc"_s << QStringList{u"/bin/a"_s, u"b"_s, u"c"_s};
        QTest::newRow("quotes") << u"/bin/sh -c 'a \"b\" c'"_s << QStringList{u"/bin/sh"_s, u"-c"_s, u"a \"b\" c"_s};
        QTest::newRow("quotes inside a word") << u"/bin/a x\"y z\"'w'"_s << QStringList{u"/bin/a"_s, u"xy zw"_s};
        QTest::newRow("empty word") << u"/bin/a '' b"_s << QStringList{u"/bin/a"_s, QString(), u"b"_s};
        QTest::newRow("escapes") << u"/bin/a \\x41\\101\\n\\s\\u00e9\\\\ '\\''"_s
                                 << QStringList{u"/bin/a"_s, u"AA\n é\\"_s, u"'"_s};
        QTest::newRow("unknown escapes stay")
            << u"/bin/a '\\.\\$' \\400"_s << QStringList{u"/bin/a"_s, u"\\.\\$"_s, u"\\400"_s};
        QTest::newRow("semicolon escaped")
            << u"/usr/bin/find / -exec ls {} \\; -print"_s
            << QStringList{u"/usr/bin/find"_s, u"/"_s, u"-exec"_s, u"ls"_s, u"{}"_s, u";"_s, u"-print"_s};
        QTest::newRow("glued semicolon") << u"/bin/a b; c"_s << QStringList{u"/bin/a"_s, u"b;"_s, u"c"_s};
    }

    void words()
    {
        QFETCH(QString, value);
        const ExecLine line = readExecLine(value);
        QCOMPARE(line.commands.size(), 1);
        QTEST(textsOf(line.commands.first()), "words");
        for (const ExecWord &word : line.commands.first().words)
            QCOMPARE(word.from.size(), word.text.size() + 1);
    }

    void prefixes_inAnyOrder_data()
    {
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("prefix");
        QTest::addColumn<QString>("program");
        for (const QString &prefix : {u"-"_s, u"@"_s, u":"_s, u"+"_s, u"!"_s, u"!!"_s, u"-:+"_s, u"+:-"_s, u"!!-@"_s})
            QTest::newRow(qPrintable(prefix)) << QString(prefix + u"/bin/a b"_s) << prefix << u"/bin/a"_s;
        QTest::newRow("only once") << u"--/bin/a"_s << u"-"_s << u"-/bin/a"_s;
        QTest::newRow("+ and ! are one") << u"+!/bin/a"_s << u"+"_s << u"!/bin/a"_s;
    }

    void prefixes_inAnyOrder()
    {
        QFETCH(QString, value);
        const ExecLine line = readExecLine(value);
        QTEST(line.commands.first().prefix, "prefix");
        QTEST(line.commands.first().words.first().text, "program");
    }

    void lonelySemicolon_separates()
    {
        const ExecLine line = readExecLine(u"/bin/a 1 ; -/bin/b ';' 2 ;"_s);
        QCOMPARE(line.commands.size(), 2);
        QCOMPARE(textsOf(line.commands.at(0)), (QStringList{u"/bin/a"_s, u"1"_s}));
        QCOMPARE(textsOf(line.commands.at(1)), (QStringList{u"/bin/b"_s, u";"_s, u"2"_s}));
        QVERIFY(line.commands.at(1).mayFail());
    }

    void openQuote_isTold()
    {
        QVERIFY(readExecLine(u"/bin/sh -c 'a"_s).unbalanced);
        QVERIFY(readExecLine(u"/bin/sh -c \"a'"_s).unbalanced);
        QVERIFY(!readExecLine(u"/bin/sh -c \"a'\""_s).unbalanced);
    }

    void variables_data()
    {
        QTest::addColumn<QString>("word");
        QTest::addColumn<QStringList>("names");
        QTest::newRow("word of its own") << u"$free"_s << QStringList{u"=free"_s};
        QTest::newRow("all behind the dollar is the name") << u"$HOME/x"_s << QStringList{u"=HOME/x"_s};
        QTest::newRow("substitution") << u"$(nvidia-smi -L)"_s << QStringList{u"=(nvidia-smi -L)"_s};
        QTest::newRow("in the middle stays") << u"test $free -lt 1"_s << QStringList();
        QTest::newRow("braces anywhere") << u"a${b}c${d}"_s << QStringList{u"b"_s, u"d"_s};
        QTest::newRow("doubled") << u"$$free a$${b} $$$${c}"_s << QStringList();
        QTest::newRow("two and one") << u"a$$${b}"_s << QStringList{u"b"_s};
        QTest::newRow("colon is not known and stays") << u"${a:-1} ${b}"_s << QStringList{u"b"_s};
        QTest::newRow("odd names") << u"x${#a[@]}"_s << QStringList{u"#a[@]"_s};
        QTest::newRow("open brace") << u"x${a"_s << QStringList();
        QTest::newRow("a lone dollar") << u"$"_s << QStringList();
        QTest::newRow("dollar at the end") << u"a$"_s << QStringList();
    }

    void variables()
    {
        QFETCH(QString, word);
        QStringList names;
        for (const VariableUse &use : variablesIn(word))
            names += (use.kind == VariableUse::Kind::Whole ? u"="_s : QString()) + use.name;
        QTEST(names, "names");
    }

    void specifiers()
    {
        QString letters;
        for (const SpecifierUse &use : specifiersIn(u"%i 100%% %Y-%m %%d %"))
            letters += use.letter;
        QCOMPARE(letters, u"iYm"_s);
        QCOMPARE(meaningOfSpecifier(u'F'), QString());
        QCOMPARE(meaningOfSpecifier(u'm'), u"the machine id"_s);
    }
};

PILOTHOUSE_TEST_MAIN(TstExecLine)
#include "tst_execline.moc"
