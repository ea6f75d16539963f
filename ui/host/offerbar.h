// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One quiet line on a host's page with buttons at its end: something that a person may take up or leave. Takes no room
// while it has nothing to say. GUI thread; owned by the page.

#include "ui/theme/colors.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace pilothouse {

class Theme;

class OfferBar : public QWidget
{
    Q_OBJECT
protected:
    /// The parts are found as `name`, `name`Text and `name` with the button's suffix.
    OfferBar(const Theme &theme, const QString &name, ColorId color, QWidget *parent);

    [[nodiscard]] QPushButton *addButton(const QString &suffix, const QString &text, const QString &accessibleName);
    /// Host text is shown as it is. Empty: the line is gone.
    void say(const QString &text, const QString &toolTip = {});

private:
    QLabel *m_text;
    QHBoxLayout *m_row;
};

} // namespace pilothouse
