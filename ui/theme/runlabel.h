// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One line of text in runs of different colour and weight, elided at its end, of constant height: new text never moves
// the layout. Always plain text. GUI thread; owned by its parent.

#include "ui/theme/colors.h"

#include <QList>
#include <QWidget>

#include <optional>

namespace pilothouse {

class Theme;

struct TextRun
{
    QString text;
    ColorId color = ColorId::Text;
    bool bold = false;

    friend bool operator==(const TextRun &, const TextRun &) = default;
};

class RunLabel final : public QWidget
{
    Q_OBJECT
public:
    explicit RunLabel(const Theme &theme, QWidget *parent = nullptr);

    /// Shown one after the other with a gap between them; empty runs are left out.
    void setRuns(const QList<TextRun> &runs);
    /// An icon before the text.
    void setSeverity(std::optional<Severity> severity);
    /// Text size relative to the widget's font; 1 by default.
    void setScale(double scale);
    [[nodiscard]] QString text() const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    [[nodiscard]] QFont runFont(bool bold) const;

    const Theme &m_theme;
    QList<TextRun> m_runs;
    std::optional<Severity> m_severity;
    double m_scale = 1.0;
};

} // namespace pilothouse
