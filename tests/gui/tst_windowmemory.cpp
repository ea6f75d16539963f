// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/windowmemory.h"

#include "tests/support/testmain.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

WindowLayout arranged()
{
    WindowLayout layout;
    layout.geometry = QByteArray("\x01\x00\xFFgeometry", 11);
    layout.hosts = {240, 1040};
    layout.page = {{600, 420}, {360, 290}, QByteArray("\x00header", 7)};
    layout.theme = Theme::Mode::Dark;
    return layout;
}

} // namespace

class TstWindowMemory : public QObject
{
    Q_OBJECT
private slots:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void written_isReadBack()
    {
        writeWindowLayout(file(), arranged());
        const WindowLayout read = readWindowLayout(file());
        QCOMPARE(read.geometry, arranged().geometry);
        QCOMPARE(read.hosts, arranged().hosts);
        QCOMPARE(read.page.figures, arranged().page.figures);
        QCOMPARE(read.page.body, arranged().page.body);
        QCOMPARE(read.page.processColumns, arranged().page.processColumns);
        QCOMPARE(read.theme, Theme::Mode::Dark);
    }

    void unusable_isAnEmptyLayout_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("missing") << QByteArray();
        QTest::newRow("noise") << QByteArray("\x7F\x45LF\x02\x01\x00[[=;\n\xFF", 14);
        QTest::newRow("another version") << QByteArray("[General]\nversion=2\nhosts=1, 2\n");
        QTest::newRow("sizes that cannot be")
            << QByteArray("[General]\nversion=1\nhosts=0, -5\nbody=x, y\nfigures=7\n");
        QTest::newRow("other columns") << QByteArray(
            "[General]\nversion=1\nprocessColumnCount=3\nprocessColumns=abc\n");
    }

    void unusable_isAnEmptyLayout()
    {
        QFETCH(const QByteArray, text);
        if (!text.isEmpty()) {
            QFile out(file());
            QVERIFY(out.open(QIODevice::WriteOnly));
            out.write(text);
        }
        const WindowLayout read = readWindowLayout(file());
        QVERIFY(read.geometry.isEmpty());
        QVERIFY(read.hosts.isEmpty());
        QVERIFY(read.page.figures.isEmpty() && read.page.body.isEmpty() && read.page.processColumns.isEmpty());
        QCOMPARE(read.theme, Theme::Mode::Follow);
    }

    void folderThatCannotBeWritten_isPassedOver()
    {
        writeWindowLayout(u"/proc/nowhere/window.ini"_s, arranged());
        QVERIFY(readWindowLayout(u"/proc/nowhere/window.ini"_s).geometry.isEmpty());
    }

private:
    [[nodiscard]] QString file() const { return m_dir->filePath(u"window.ini"_s); }

    std::unique_ptr<QTemporaryDir> m_dir;
};

PILOTHOUSE_GUI_TEST_MAIN(TstWindowMemory)
#include "tst_windowmemory.moc"
