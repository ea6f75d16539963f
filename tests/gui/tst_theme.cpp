// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"

#include "tests/gui/windowfixture.h"
#include "tests/support/testmain.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain.h"

#include <QApplication>
#include <QLabel>
#include <QSet>
#include <QSignalSpy>
#include <QTextDocument>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

QPalette desktopPalette(const QColor &window)
{
    QPalette palette;
    palette.setColor(QPalette::Window, window);
    return palette;
}

} // namespace

class TstTheme : public QObject
{
    Q_OBJECT
private slots:
    void init() { test::failOnAnyWarning(); }

    void contrast_textOnEverySurface_data()
    {
        QTest::addColumn<ColorId>("text");
        QTest::addColumn<ColorId>("surface");
        QTest::addColumn<bool>("dark");
        using enum ColorId;
        for (const bool dark : {false, true}) {
            for (const ColorId surface : {Window, Panel, Chrome, Selection, Hover}) {
                for (const ColorId text : {Text, TextMuted, SeverityOk, SeverityNotice, SeverityWarning,
                                           SeverityCritical, SeverityStale}) {
                    const QString row = nameOf(text) + u" on "_s + nameOf(surface) + (dark ? u" dark"_s : u" light"_s);
                    QTest::newRow(qPrintable(row)) << text << surface << dark;
                }
            }
            QTest::newRow(dark ? "accent text dark" : "accent text light") << AccentText << Accent << dark;
        }
    }
    void contrast_textOnEverySurface()
    {
        QFETCH(ColorId, text);
        QFETCH(ColorId, surface);
        QFETCH(bool, dark);
        const double ratio = contrastRatio(colorOf(text, dark), colorOf(surface, dark));
        QVERIFY2(ratio >= 4.5, qPrintable(QString::number(ratio)));
    }

    void contrast_linesOnThePanel()
    {
        for (const bool dark : {false, true}) {
            for (int slot = 0; slot < 8; ++slot) {
                const QColor line = colorOf(seriesColorId(slot), dark);
                QVERIFY(contrastRatio(line, colorOf(ColorId::Panel, dark)) >= 3.0);
            }
        }
    }

    void series_sixteenDiffer()
    {
        const Theme theme(Theme::Mode::Light);
        for (int a = 0; a < 24; ++a) {
            for (int b = a + 1; b < 24; ++b) {
                const QPen first = theme.seriesPen(a, 1.6);
                const QPen second = theme.seriesPen(b, 1.6);
                QVERIFY2(first.color() != second.color() || first.dashPattern() != second.dashPattern(),
                         qPrintable(u"%1 and %2"_s.arg(a).arg(b)));
            }
        }
    }

    void mode_setsThePalette()
    {
        Theme theme(Theme::Mode::Dark);
        QCOMPARE(QApplication::palette().color(QPalette::Window), colorOf(ColorId::Window, true));
        QSignalSpy changed(&theme, &Theme::changed);
        theme.setMode(Theme::Mode::Light);
        QCOMPARE(changed.size(), 1);
        QVERIFY(!theme.isDark());
        QCOMPARE(QApplication::palette().color(QPalette::Window), colorOf(ColorId::Window, false));
    }

    void follow_theDesktopsPalette()
    {
        QApplication::setPalette(desktopPalette(Qt::white));
        const Theme theme(Theme::Mode::Follow);
        QVERIFY(!theme.isDark());
        QApplication::setPalette(desktopPalette(QColor(0x20, 0x20, 0x20)));
        QTRY_VERIFY(theme.isDark());
        QCOMPARE(QApplication::palette().color(QPalette::Window), colorOf(ColorId::Window, true));
        QApplication::setPalette(desktopPalette(Qt::white));
        QTRY_VERIFY(!theme.isDark());
    }

    void follow_notWhileChosen()
    {
        QApplication::setPalette(desktopPalette(Qt::white));
        const Theme theme(Theme::Mode::Light);
        QApplication::setPalette(desktopPalette(Qt::black));
        QTRY_COMPARE(QApplication::palette().color(QPalette::Window), colorOf(ColorId::Window, false));
        QVERIFY(!theme.isDark());
    }

    void icons_differByFormAndScale()
    {
        const Theme theme(Theme::Mode::Dark);
        QSet<QByteArray> forms;
        using enum Severity;
        for (const Severity severity : {Quiet, Ok, Notice, Stale, Warning, Critical}) {
            const QPixmap icon = severityPixmap(theme, severity, 16, 2.0);
            QCOMPARE(icon.size(), QSize(32, 32));
            const QImage alpha = icon.toImage().convertToFormat(QImage::Format_Alpha8);
            forms.insert(QByteArray(static_cast<const char *>(static_cast<const void *>(alpha.constBits())),
                                    alpha.sizeInBytes()));
            QVERIFY(!severityWord(severity).isEmpty());
        }
        QCOMPARE(forms.size(), 6);
        QVERIFY(!programIcon().isNull());
    }

    void icon_ofTheWorst_isReadable_data()
    {
        QTest::addColumn<Theme::Mode>("mode");
        QTest::newRow("light") << Theme::Mode::Light;
        QTest::newRow("dark") << Theme::Mode::Dark;
    }
    void icon_ofTheWorst_isReadable()
    {
        QFETCH(Theme::Mode, mode);
        const Theme theme(mode);
        const QImage icon = severityPixmap(theme, Severity::Critical, 16, 4.0).toImage();
        const QColor cross = icon.pixelColor(32, 32);
        const QColor form = icon.pixelColor(32, 8);
        QCOMPARE(form, theme.color(ColorId::SeverityCritical));
        QVERIFY2(contrastRatio(cross, form) >= 4.5, qPrintable(cross.name()));
    }

    void plainText_staysText_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("image") << u"<img src='http://evil.example/'>"_s;
        QTest::newRow("bold") << u"<b>process</b>"_s;
        QTest::newRow("entity") << u"&lt;b&gt;"_s;
        QTest::newRow("lines") << u"<i>a</i>\n<i>b</i>"_s;
        QTest::newRow("harmless") << u"VLLM::Worker_TP0"_s;
    }
    void plainText_staysText()
    {
        QFETCH(QString, text);
        const std::unique_ptr<QLabel> label(plainLabel(text));
        QCOMPARE(label->textFormat(), Qt::PlainText);
        // What a tooltip shows: rich text is laid out by a document, plain text as it is.
        const QString tip = plainToolTip(text);
        if (!Qt::mightBeRichText(tip)) {
            QCOMPARE(tip, text);
            return;
        }
        QTextDocument document;
        document.setHtml(tip);
        QCOMPARE(document.toPlainText(), text);
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstTheme)
#include "tst_theme.moc"
