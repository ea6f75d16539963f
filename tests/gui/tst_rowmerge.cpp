// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/rowmerge.h"

#include "tests/support/testmain.h"

#include <QAbstractItemModelTester>
#include <QAbstractListModel>
#include <QSignalSpy>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

struct Row
{
    QString key;
    int value = 0;

    friend bool operator==(const Row &, const Row &) = default;
};

class RowModel final : public QAbstractListModel
{
public:
    int rowCount(const QModelIndex &parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }
    QVariant data(const QModelIndex &index, int role) const override
    {
        return role == Qt::DisplayRole ? QVariant(m_rows[static_cast<std::size_t>(index.row())].key) : QVariant();
    }
    /// "a b3": keys with an optional value.
    void show(const QString &text)
    {
        std::vector<Row> rows;
        for (const QString &word : text.split(u' ', Qt::SkipEmptyParts))
            rows.push_back({word.left(1), QStringView(word).mid(1).toInt()});
        mergeRows<Row, FlatModelAccess<RowModel>>(*this, m_rows, std::move(rows));
    }
    QString keys() const
    {
        QStringList keys;
        for (const Row &row : m_rows)
            keys << row.key;
        return keys.join(u' ');
    }

private:
    friend struct FlatModelAccess<RowModel>;
    std::vector<Row> m_rows;
};

} // namespace

class TstRowMerge : public QObject
{
    Q_OBJECT
private slots:
    void merge_data()
    {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<int>("inserts");
        QTest::addColumn<int>("removes");
        QTest::addColumn<int>("moves");
        QTest::addColumn<int>("changes");
        QTest::newRow("from nothing") << u""_s << u"a b"_s << u"a b"_s << 2 << 0 << 0 << 0;
        QTest::newRow("to nothing") << u"a b"_s << u""_s << u""_s << 0 << 2 << 0 << 0;
        QTest::newRow("same") << u"a b c"_s << u"a b c"_s << u"a b c"_s << 0 << 0 << 0 << 0;
        QTest::newRow("one value") << u"a b c"_s << u"a b7 c"_s << u"a b c"_s << 0 << 0 << 0 << 1;
        QTest::newRow("one gone, one new") << u"a b c"_s << u"a c d"_s << u"a c d"_s << 1 << 1 << 0 << 0;
        QTest::newRow("new in the middle") << u"a c"_s << u"a b c"_s << u"a b c"_s << 1 << 0 << 0 << 0;
        QTest::newRow("turned round") << u"a b"_s << u"b a"_s << u"b a"_s << 0 << 0 << 1 << 0;
        QTest::newRow("repeated identity") << u"a"_s << u"a a a"_s << u"a a#1 a#2"_s << 2 << 0 << 0 << 0;
    }
    void merge()
    {
        QFETCH(QString, before);
        QFETCH(QString, after);
        QFETCH(QString, expected);
        RowModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.show(before);
        QSignalSpy inserts(&model, &QAbstractItemModel::rowsInserted);
        QSignalSpy removes(&model, &QAbstractItemModel::rowsRemoved);
        QSignalSpy moves(&model, &QAbstractItemModel::rowsMoved);
        QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        model.show(after);
        QCOMPARE(model.keys(), expected);
        QTEST(static_cast<int>(inserts.size()), "inserts");
        QTEST(static_cast<int>(removes.size()), "removes");
        QTEST(static_cast<int>(moves.size()), "moves");
        QTEST(static_cast<int>(changes.size()), "changes");
        QCOMPARE(resets.size(), 0);
    }

    void persistentIndex_staysWithItsKey()
    {
        RowModel model;
        model.show(u"a b c d"_s);
        const QPersistentModelIndex index = model.index(2, 0);
        model.show(u"x d c"_s);
        QVERIFY(index.isValid());
        QCOMPARE(index.data().toString(), u"c"_s);
    }
};

PILOTHOUSE_TEST_MAIN(TstRowMerge)
#include "tst_rowmerge.moc"
