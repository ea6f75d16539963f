// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/endlabels.h"

#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

QList<LineEnd> ends(const QList<double> &gib)
{
    QList<LineEnd> list;
    for (const double value : gib)
        list.append({static_cast<int>(list.size()), static_cast<int>(list.size()), value * 1024});
    return list;
}

QStringList texts(const QList<EndLabel> &labels)
{
    QStringList list;
    for (const EndLabel &label : labels)
        list << label.text;
    return list;
}

} // namespace

class TstEndLabels : public QObject
{
    Q_OBJECT
private slots:
    void grouping_data()
    {
        QTest::addColumn<QList<double>>("gib");
        QTest::addColumn<QStringList>("expected");
        QTest::newRow("none") << QList<double>() << QStringList();
        QTest::newRow("one") << QList<double>{12} << QStringList{u"GPU 0  12.0"_s};
        QTest::newRow("eight equal") << QList<double>(8, 94.4) << QStringList{u"8 equal 94.4"_s};
        QTest::newRow("two groups") << QList<double>{94.4, 94.4, 12, 12}
                                    << QStringList{u"2 equal 94.4"_s, u"2 equal 12.0"_s};
        QTest::newRow("too close to tell apart") << QList<double>{94.4, 94.0} << QStringList{u"2 near 94.2"_s};
        QTest::newRow("a staircase is not one group")
            << QList<double>{90.8, 90.0, 89.2} << QStringList{u"2 near 90.4"_s, u"GPU 2  89.2"_s};
    }
    void grouping()
    {
        QFETCH(QList<double>, gib);
        QFETCH(QStringList, expected);
        QCOMPARE(texts(endLabels(ends(gib), 1024, 4096)), expected);
    }

    void places_neverOverlap()
    {
        const double height = 4 * 1024;
        const QList<EndLabel> labels = endLabels(ends({10, 8.5, 7, 2, 0.2}), 1024, height);
        QCOMPARE(labels.size(), 5);
        for (qsizetype i = 1; i < labels.size(); ++i)
            QVERIFY(labels[i - 1].y - labels[i].y >= height);
        QVERIFY(labels.last().y >= 0);
    }
};

PILOTHOUSE_TEST_MAIN(TstEndLabels)
#include "tst_endlabels.moc"
