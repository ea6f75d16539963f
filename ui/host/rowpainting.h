// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the delegates of the console share: row background, muted text of stale rows. Roles only. GUI thread.

#include "ui/theme/colors.h"

#include <QStyledItemDelegate>

namespace pilothouse {

class Theme;

/// Selection and hover.
void paintRowBackground(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index,
                        const Theme &theme);

/// Draws text in a table cell as the model aligns it, elided, in the colour that severity and staleness ask for.
class RowDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    explicit RowDelegate(const Theme &theme, QObject *parent = nullptr);

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

protected:
    [[nodiscard]] const Theme &theme() const { return m_theme; }
    [[nodiscard]] QColor textColor(const QModelIndex &index) const;
    void paintText(QPainter *painter, const QStyleOptionViewItem &option, const QRect &cell,
                   const QModelIndex &index) const;

private:
    const Theme &m_theme;
};

} // namespace pilothouse
