// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What stands in place of figures while there are none: what goes on or went wrong, why, what to do, and the buttons
// for it. Never blank. GUI thread; owned by its parent.

#include "ui/theme/severity.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace pilothouse {

class RunLabel;
class Theme;

class StatePane final : public QWidget
{
    Q_OBJECT
public:
    struct Words
    {
        Severity severity = Severity::Notice;
        QString title;
        QString why;
        QString advice;
        QString next; ///< "Next try in 8 s", on a line of its own

        friend bool operator==(const Words &, const Words &) = default;
    };

    explicit StatePane(const Theme &theme, QWidget *parent = nullptr);

    void showWords(const Words &words);
    void focusButton(); ///< the first one
    /// The first is the primary one.
    [[nodiscard]] QPushButton *addButton(const QString &objectName, const QString &text);

private:
    RunLabel *m_title;
    QLabel *m_why;
    QLabel *m_advice;
    QLabel *m_next;
    QHBoxLayout *m_buttons;
};

} // namespace pilothouse
