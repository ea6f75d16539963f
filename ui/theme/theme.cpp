// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"

#include "ui/theme/consolestyle.h"
#include "ui/theme/desktopscheme.h"

#include <QApplication>
#include <QEvent>
#include <QFontMetrics>
#include <QPalette>
#include <QTimer>
#include <QWidget>

namespace pilothouse {

namespace {

constexpr int darkBelow = 128;

bool isDarkPalette(const QPalette &palette)
{
    return palette.color(QPalette::Window).lightness() < darkBelow;
}

QPalette paletteFor(bool dark)
{
    const auto c = [dark](ColorId id) { return colorOf(id, dark); };
    QPalette palette;
    palette.setColor(QPalette::Window, c(ColorId::Window));
    palette.setColor(QPalette::WindowText, c(ColorId::Text));
    palette.setColor(QPalette::Base, c(ColorId::Panel));
    palette.setColor(QPalette::AlternateBase, c(ColorId::Chrome));
    palette.setColor(QPalette::Text, c(ColorId::Text));
    palette.setColor(QPalette::PlaceholderText, c(ColorId::TextMuted));
    palette.setColor(QPalette::Button, c(ColorId::Chrome));
    palette.setColor(QPalette::ButtonText, c(ColorId::Text));
    palette.setColor(QPalette::BrightText, c(ColorId::SeverityCritical));
    palette.setColor(QPalette::ToolTipBase, c(ColorId::Chrome));
    palette.setColor(QPalette::ToolTipText, c(ColorId::Text));
    palette.setColor(QPalette::Highlight, c(ColorId::Accent));
    palette.setColor(QPalette::HighlightedText, c(ColorId::AccentText));
    palette.setColor(QPalette::Link, c(ColorId::SeverityNotice));
    palette.setColor(QPalette::LinkVisited, c(ColorId::Series4));
    palette.setColor(QPalette::Light, c(ColorId::Hover));
    palette.setColor(QPalette::Midlight, c(ColorId::Hover));
    palette.setColor(QPalette::Mid, c(ColorId::Border));
    palette.setColor(QPalette::Dark, c(ColorId::Border));
    palette.setColor(QPalette::Shadow, c(ColorId::Border));
    const std::array dimmed{QPalette::WindowText, QPalette::Text, QPalette::ButtonText};
    for (const QPalette::ColorRole role : dimmed)
        palette.setColor(QPalette::Disabled, role, c(ColorId::TextMuted));
    palette.setColor(QPalette::Disabled, QPalette::Highlight, c(ColorId::Border));
    return palette;
}

} // namespace

Theme::Theme(Mode mode, QObject *parent)
    : QObject(parent)
    , m_mode(mode)
    , m_desktopDark(isDarkPalette(QGuiApplication::palette()))
    , m_scheme(new DesktopScheme(this))
{
    QApplication::setStyle(new ConsoleStyle);
    connect(m_scheme, &DesktopScheme::changed, this, &Theme::decide);
    qApp->installEventFilter(this);
    m_dark = m_mode == Mode::Dark || (m_mode == Mode::Follow && m_desktopDark);
    apply();
    // After the first window is there: the bus must not keep it waiting.
    QTimer::singleShot(0, m_scheme, &DesktopScheme::ask);
}

Theme::~Theme() = default;

void Theme::setMode(Mode mode)
{
    m_mode = mode;
    decide();
}

QPen Theme::seriesPen(int slot, double width) const
{
    QPen pen(color(seriesColorId(slot)), width);
    constexpr int colours = 8;
    switch (slot / colours) {
    case 0: break;
    case 1: pen.setDashPattern({5, 2.5}); break;
    case 2: pen.setDashPattern({1.5, 2}); break;
    default: pen.setDashPattern({6, 2, 1.5, 2}); break;
    }
    pen.setCapStyle(Qt::FlatCap);
    return pen;
}

bool Theme::eventFilter(QObject *watched, QEvent *event)
{
    // The application's own palette is ours; a change that we did not make is the desktop's.
    if (watched == qApp && event->type() == QEvent::ApplicationPaletteChange && !m_applying) {
        m_desktopDark = isDarkPalette(QGuiApplication::palette());
        QTimer::singleShot(0, this, &Theme::decide);
    }
    return QObject::eventFilter(watched, event);
}

void Theme::decide()
{
    const bool desktop = m_scheme->prefersDark().value_or(m_desktopDark);
    m_dark = m_mode == Mode::Dark || (m_mode == Mode::Follow && desktop);
    apply();
}

void Theme::apply()
{
    m_applying = true;
    QApplication::setPalette(paletteFor(m_dark));
    m_applying = false;
    emit changed();
}

int space(const QWidget *widget, int units)
{
    constexpr double usualHeight = 18.0;
    const double unit = 4.0 * std::max(1.0, widget->fontMetrics().height() / usualHeight);
    return qRound(unit * units);
}

} // namespace pilothouse
