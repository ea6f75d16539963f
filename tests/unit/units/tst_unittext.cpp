// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// `systemctl cat` read as systemd reads the files.
#include "core/units/unittext.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

const QStringList paths{u"/etc/systemd/system/x.service"_s, u"/etc/systemd/system/x.service.d/10-a.conf"_s};

QStringList valuesOf(const UnitText &text, const QString &key)
{
    QStringList values;
    for (const UnitLine &line : text.listOf(u"Service", key))
        values += line.value;
    return values;
}

} // namespace

class TstUnitText final : public QObject
{
    Q_OBJECT
private slots:
    void filesAndLines_areThose()
    {
        const UnitText text =
            readUnitText("# /etc/systemd/system/x.service\n[Unit]\nDescription=X\n\n[Service]\nExecStart=/bin/a\n\n"
                         "# /etc/systemd/system/x.service.d/10-a.conf\n[Service]\nExecStart=/bin/b\n",
                         paths);
        QCOMPARE(text.files, paths);
        QCOMPARE(text.lines.size(), 3);
        QCOMPARE(text.lines.at(1), (UnitLine{paths.at(0), 5, 5, u"Service"_s, u"ExecStart"_s, u"/bin/a"_s}));
        QCOMPARE(text.lines.at(2), (UnitLine{paths.at(1), 2, 2, u"Service"_s, u"ExecStart"_s, u"/bin/b"_s}));
    }

    void commentThatLooksLikeAHeader_isAComment()
    {
        const UnitText text = readUnitText("# /etc/systemd/system/x.service\n# "
                                           "/etc/systemd/system/x.service\n[Service]\n"
                                           "# /etc/systemd/system/fake.service\nNice=5\n",
                                           paths);
        QCOMPARE(text.files, QStringList{paths.first()});
        QCOMPARE(text.lines.size(), 1);
        QCOMPARE(text.lines.first().line, 4);
    }

    void withoutKnownPaths_headersAreGuessed()
    {
        const UnitText text = readUnitText("# /run/x.service\n[Service]\nNice=1\n# /opt is full\n# "
                                           "/run/x.service.d/a.conf\n[Service]\nNice=2\n",
                                           {});
        QCOMPARE(text.files, (QStringList{u"/run/x.service"_s, u"/run/x.service.d/a.conf"_s}));
        QCOMPARE(text.last(u"Service", {u"Nice"_s})->value, u"2"_s);
    }

    void continuation_joinsWithABlankAndSkipsComments()
    {
        const UnitText text = readUnitText("# /etc/systemd/system/x.service\n[Service]\nExecStart=/bin/a \\\n  one "
                                           "\\\n# not this\n"
                                           "; nor this\n  two\\\\\nNice=3\n",
                                           paths);
        QCOMPARE(valuesOf(text, u"ExecStart"_s), QStringList{u"/bin/a    one    two\\\\"_s});
        QCOMPARE(text.lines.first().line, 2);
        QCOMPARE(text.lines.first().lastLine, 6);
        QCOMPARE(text.lines.at(1).line, 7);
    }

    void continuationAtTheEnd_isNotJoinedWithTheNextFile()
    {
        const UnitText text = readUnitText("# /etc/systemd/system/x.service\n[Service]\nExecStart=/bin/a \\\n"
                                           "# /etc/systemd/system/x.service.d/10-a.conf\n[Service]\nNice=2\n",
                                           paths);
        QCOMPARE(valuesOf(text, u"ExecStart"_s), QStringList{u"/bin/a"_s});
        QCOMPARE(text.files.size(), 2);
    }

    void emptyAssignment_resets()
    {
        const UnitText text =
            readUnitText("# /etc/systemd/system/x.service\n[Service]\nExecStart=/bin/a\nExecStart=\nExecStart=/bin/b\n"
                         "ExecStart=/bin/c\nKillMode=process\nKillMode=\n",
                         paths);
        QCOMPARE(valuesOf(text, u"ExecStart"_s), (QStringList{u"/bin/b"_s, u"/bin/c"_s}));
        QVERIFY(!text.last(u"Service", {u"KillMode"_s}));
    }

    void sectionDecides_andLinesOfNoneAreLeftOut()
    {
        const UnitText text = readUnitText(
            "# /etc/systemd/system/x.service\nNice=1\n[Install]\nNice=2\n[Broken\nnonsense\n=x\n[Service]\n"
            "  Nice = 3  \n# Nice=4\n",
            paths);
        QCOMPARE(valuesOf(text, u"Nice"_s), QStringList{u"3"_s});
        QCOMPARE(text.lines.size(), 2);
    }

    void hostileText_isBounded()
    {
        QByteArray huge = "# /etc/systemd/system/x.service\n[Service]\n" + QByteArray("Nice=1\n").repeated(30'000);
        QVERIFY(readUnitText(huge, paths).cut);
        huge = "# /etc/systemd/system/x.service\n[Service]\nExecStart=" + QByteArray(3'000'000, 'a');
        QVERIFY(readUnitText(huge, paths).cut);
        static constexpr char oddText[] = "\xEF\xBB\xBF# /etc/systemd/system/x.service\r\n[Service]\r\nNice=1\r\n"
                                          "ExecStart=\xff\xfe\nA=1\0B=2\n";
        const UnitText odd = readUnitText(QByteArray(oddText, sizeof oddText - 1), paths);
        QCOMPARE(valuesOf(odd, u"Nice"_s), QStringList{u"1"_s});
        QVERIFY(valuesOf(odd, u"ExecStart"_s).isEmpty());
    }
};

PILOTHOUSE_TEST_MAIN(TstUnitText)
#include "tst_unittext.moc"
