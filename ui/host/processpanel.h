// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The panel of GPU processes: table, filter, counts. GUI thread; owned by the page.

#include "core/host/snapshot.h"
#include "ui/host/processcolumns.h"

#include <QWidget>

#include <array>

class QLabel;
class QLineEdit;
class QStackedLayout;
class QTreeView;

namespace pilothouse {

class Panel;
class ProcessFilter;
class ProcessModel;
class Theme;

class ProcessPanel final : public QWidget
{
    Q_OBJECT
public:
    explicit ProcessPanel(const Theme &theme, QWidget *parent = nullptr);

    void showSnapshot(const Snapshot &snapshot, bool stale);
    void focusFilter();
    [[nodiscard]] QString text() const;
    /// Order, widths and sorting of the columns.
    [[nodiscard]] QByteArray columns() const;
    void setColumns(const QByteArray &columns);
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void buildView(const Theme &theme);
    void fitColumns();
    void showCounts();
    void showOrWords();

    Panel *m_panel;
    ProcessModel *m_model;
    ProcessFilter *m_filter;
    QTreeView *m_view;
    QLineEdit *m_words;
    QLabel *m_empty;
    QStackedLayout *m_stack;
    std::array<int, static_cast<std::size_t>(ProcessColumn::Count)> m_widths{}; ///< also of those that are hidden
    QString m_unreadable; ///< words in place of a list that could not be read
    Quantity<qint64> m_unattributedMib;
    std::optional<int> m_onGpus; ///< rows with GPU memory; no value: the driver could not be asked
};

} // namespace pilothouse
