// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the unit check found, one below the other: how grave, where, why, and the line to copy. Scrolls. GUI thread;
// owned by its parent.

#include "core/units/checkunit.h"

#include <QScrollArea>

class QVBoxLayout;

namespace pilothouse {

class Theme;

class FindingList final : public QScrollArea
{
    Q_OBJECT
public:
    explicit FindingList(const Theme &theme, QWidget *parent = nullptr);

    void showFindings(const QList<UnitFinding> &findings);
    /// In place of findings.
    void showWords(const QString &words);

private:
    void clear();
    void addFinding(const UnitFinding &finding);
    QWidget *suggestionOf(const UnitFinding &finding);

    const Theme &m_theme;
    QVBoxLayout *m_rows;
};

} // namespace pilothouse
