// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The problems of a snapshot, worst first, each with its advice. Takes no room when there are none. Rebuilt only when
// they differ. GUI thread; owned by the page.

#include "core/host/system.h"

#include <QWidget>

class QScrollArea;
class QVBoxLayout;

namespace pilothouse {

class Theme;

class ProblemList final : public QWidget
{
    Q_OBJECT
public:
    explicit ProblemList(const Theme &theme, QWidget *parent = nullptr);

    /// Of the one whose text is `said` already only the advice is shown.
    void showProblems(QList<Problem> problems, const QString &said);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void addRow(const Problem &problem);

    const Theme &m_theme;
    QList<Problem> m_problems;
    QScrollArea *m_scroll;
    QWidget *m_content;
    QVBoxLayout *m_rows;
};

} // namespace pilothouse
