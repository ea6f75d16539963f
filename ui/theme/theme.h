// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Light or dark, and what follows from it: palette, colours, spacing. One for the program, made by app after the
// QApplication; widgets hold a reference and repaint on changed(). GUI thread.

#include "ui/theme/colors.h"

#include <QObject>
#include <QPen>

class QWidget;

namespace pilothouse {

class DesktopScheme;

class Theme final : public QObject
{
    Q_OBJECT
public:
    enum class Mode { Follow, Light, Dark };
    Q_ENUM(Mode)

    /// Follow: the desktop's portal decides where there is one, else the lightness of the desktop's palette.
    explicit Theme(Mode mode, QObject *parent = nullptr);
    ~Theme() override;

    [[nodiscard]] Mode mode() const { return m_mode; }
    void setMode(Mode mode);
    [[nodiscard]] bool isDark() const { return m_dark; }

    [[nodiscard]] QColor color(ColorId id) const { return colorOf(id, m_dark); }
    [[nodiscard]] QColor color(Severity severity) const { return color(colorIdOf(severity)); }
    /// Line of a series: one colour for each of eight slots, dashed from the ninth on. Width in device-independent px.
    [[nodiscard]] QPen seriesPen(int slot, double width) const;

    bool eventFilter(QObject *watched, QEvent *event) override;

signals:
    /// After the palette was set.
    void changed();

private:
    void decide();
    void apply();

    Mode m_mode;
    bool m_dark = false;
    bool m_desktopDark = false;
    bool m_applying = false;
    DesktopScheme *m_scheme;
};

/// `units` times 4 px at the usual text size, scaled with the widget's font.
[[nodiscard]] int space(const QWidget *widget, int units);

} // namespace pilothouse
