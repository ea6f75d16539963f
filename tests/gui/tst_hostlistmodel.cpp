// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/hostlistmodel.h"

#include "tests/gui/windowfixture.h"
#include "tests/support/testmain.h"
#include "ui/host/hoststore.h"
#include "ui/theme/roles.h"
#include "ui/window/hostdelegate.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QImage>
#include <QPainter>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QWidget>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstHostListModel : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        failOnAnyWarning();
        m_now = sceneNow();
    }

    void rows_followTheStore()
    {
        HostStore store([this] { return m_now; });
        HostListModel model(store);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        store.add(spec(u"b"_s));
        store.add(spec(u"a"_s));
        QCOMPARE(printed(model), (QStringList{u"b"_s, u"a"_s}));
        store.setState(u"a"_s, connected());
        store.addSnapshot(u"a"_s, shared(servingHost(u"a"_s)));
        QCOMPARE(printed(model, DetailRole), (QStringList{u"not connected"_s, u"in use"_s}));
        QCOMPARE(printed(model, EndRole).last(), u"708 / 765 GiB"_s);
        QCOMPARE(printed(model, DetailEndRole).last(), u"0.8 s"_s);
        QCOMPARE(printed(model, Qt::AccessibleTextRole).last(), u"a, well, in use, 708 / 765 GiB"_s);
        store.remove(u"b"_s);
        QCOMPARE(printed(model), QStringList{u"a"_s});
    }

    void ages_changeOnlyTheirRows()
    {
        HostStore store([this] { return m_now; });
        HostListModel model(store);
        store.add(spec(u"quiet"_s));
        store.add(spec(u"live"_s));
        store.setState(u"live"_s, connected());
        store.addSnapshot(u"live"_s, shared(servingHost(u"live"_s)));
        QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
        model.refreshAges();
        QCOMPARE(changes.size(), 0);
        m_now = m_now.addMSecs(500);
        model.refreshAges();
        QCOMPARE(changes.size(), 1);
        QCOMPARE(changes.first().at(0).toModelIndex().row(), 1);
        m_now = m_now.addSecs(30);
        model.refreshAges();
        QCOMPARE(printed(model, DetailRole).last(), u"stale 31 s"_s);
        QVERIFY(model.index(1).data(StaleRole).toBool());
    }

    void readOnlyHost_hasAPadlockAndSaysWhy_data()
    {
        QTest::addColumn<HostOrigin>("origin");
        QTest::addColumn<QString>("why");
        QTest::newRow("own") << HostOrigin::OwnFile << QString();
        QTest::newRow("typed") << HostOrigin::Typed << QString();
        QTest::newRow("included")
            << HostOrigin::Included
            << u"\"a\" stands in /team/hosts.toml, a file that hosts.toml includes; it is changed "
               "there by whoever keeps that file."_s;
        QTest::newRow("imported") << HostOrigin::Imported
                                  << u"\"a\" stands in /team/hosts.toml, which an import wrote; the next import of the "
                                     "same source writes it anew."_s;
    }

    void readOnlyHost_hasAPadlockAndSaysWhy()
    {
        QFETCH(const HostOrigin, origin);
        QFETCH(const QString, why);
        HostStore store([this] { return m_now; });
        HostListModel model(store);
        HostSpec host = spec(u"a"_s);
        store.add(host);
        const QImage open = picture(model);
        host.origin = origin;
        host.source = u"/team/hosts.toml"_s;
        store.add(host); // as a file that is read again replaces it
        QCOMPARE(model.index(0).data(LockedRole).toBool(), !why.isEmpty());
        const QString toolTip = model.index(0).data(Qt::ToolTipRole).toString();
        QVERIFY2(toolTip.contains(why), qPrintable(toolTip));
        QCOMPARE(toolTip.contains(u"/team/hosts.toml"_s), !why.isEmpty());
        QCOMPARE(model.index(0).data(Qt::AccessibleTextRole).toString().contains(u"read-only"_s), !why.isEmpty());
        // Something is drawn below the state's icon, and nowhere else.
        const QImage locked = picture(model);
        QCOMPARE(locked != open, !why.isEmpty());
        QRect drawn;
        for (int y = 0; y < locked.height(); ++y) {
            for (int x = 0; x < locked.width(); ++x) {
                if (locked.pixel(x, y) != open.pixel(x, y))
                    drawn |= QRect(x, y, 1, 1);
            }
        }
        QVERIFY(drawn.isEmpty() || (drawn.top() >= locked.height() / 2 - 1 && drawn.right() < locked.height()));
        QVERIFY(drawn.isEmpty() || drawn.height() >= 6);
    }

    void filter_nameTagTargetState_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QStringList>("shown");
        QTest::newRow("all") << QString() << QStringList{u"gpu1"_s, u"gpu2"_s};
        QTest::newRow("name") << u"PU2"_s << QStringList{u"gpu2"_s};
        QTest::newRow("tag") << u"prod"_s << QStringList{u"gpu1"_s};
        QTest::newRow("target") << u"10.0.0.5"_s << QStringList{u"gpu1"_s};
        QTest::newRow("state") << u"refused"_s << QStringList{u"gpu2"_s};
        QTest::newRow("both words") << u"gpu prod"_s << QStringList{u"gpu1"_s};
        QTest::newRow("none") << u"gpu9"_s << QStringList();
    }
    void filter_nameTagTargetState()
    {
        QFETCH(QString, words);
        QFETCH(QStringList, shown);
        HostStore store([this] { return m_now; });
        HostListModel model(store);
        HostFilter filter;
        filter.setSourceModel(&model);
        const QAbstractItemModelTester tester(&filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
        HostSpec first = spec(u"gpu1"_s);
        first.ssh = u"root@10.0.0.5"_s;
        first.tags = QStringList{u"prod"_s, u"rack-3"_s};
        store.add(first);
        store.add(spec(u"gpu2"_s));
        store.setState(u"gpu2"_s, retrying({ErrorCode::ConnectRefused, {}, {}}, 3));
        filter.setWords(words);
        QCOMPARE(printed(filter), shown);
    }

    void longName_keepsWhatTellsItFromOthers_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("room"); // as wide as this text
        QTest::addColumn<QString>("shown"); // a pattern
        const QString node = u"inference-h200-rack-17-node-003"_s;
        const QString full = node + u".internal.example.org"_s;
        QTest::newRow("fits") << full << full << QString(node + u"\\.internal\\.example\\.org"_s);
        QTest::newRow("the domain goes first")
            << full << QString(node + u".internal…"_s) << QString(node + u"\\.i[a-z]+…"_s);
        QTest::newRow("then the middle of the name") << full << u"inference-node-003…"_s << u"infer.*….*e-003…"_s;
        QTest::newRow("of a name without a domain") << node << u"inference-node-003"_s << u"infer.*….*e-003"_s;
        QTest::newRow("an address is no name") << u"10.11.12.113"_s << u"10.1….113"_s << u"10.*….*13"_s;
        QTest::newRow("nothing fits") << full << QString() << u"…"_s;
    }
    void longName_keepsWhatTellsItFromOthers()
    {
        QFETCH(QString, name);
        QFETCH(QString, room);
        QFETCH(QString, shown);
        const QFontMetrics metrics(QApplication::font());
        const int width = metrics.horizontalAdvance(room);
        const QString fitted = fittedHostName(name, metrics, width);
        QVERIFY2(QRegularExpression(QRegularExpression::anchoredPattern(shown)).match(fitted).hasMatch(),
                 qPrintable(fitted));
        QVERIFY(metrics.horizontalAdvance(fitted) <= std::max(width, metrics.horizontalAdvance(u'…')));
    }

private:
    /// The first row as the list draws it.
    static QImage picture(const HostListModel &model)
    {
        const Theme theme(Theme::Mode::Light);
        HostDelegate delegate(theme);
        const QWidget list;
        QStyleOptionViewItem option;
        option.initFrom(&list);
        option.widget = &list;
        option.rect = QRect(QPoint(), QSize(300, delegate.sizeHint(option, model.index(0)).height()));
        QImage image(option.rect.size(), QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        delegate.paint(&painter, option, model.index(0));
        return image;
    }

    QDateTime m_now;
};

PILOTHOUSE_GUI_TEST_MAIN(TstHostListModel)
#include "tst_hostlistmodel.moc"
