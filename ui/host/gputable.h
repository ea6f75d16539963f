// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The panel of GPUs: a bar of used memory, figures, load and temperature each. GUI thread; owned by the page.

#include "core/history/memoryhistory.h"

#include <QWidget>

class QLabel;
class QStackedLayout;
class QTreeView;

namespace pilothouse {

class GpuModel;
class Panel;
class Theme;

class GpuTable final : public QWidget
{
    Q_OBJECT
public:
    explicit GpuTable(const Theme &theme, QWidget *parent = nullptr);

    void showSnapshot(const Snapshot &snapshot, const MemoryHistory &history, bool stale);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void fitColumns();
    [[nodiscard]] static QString emptyWords(const Snapshot &snapshot);

    Panel *m_panel;
    GpuModel *m_model;
    QTreeView *m_view;
    QLabel *m_empty;
    QStackedLayout *m_stack;
};

} // namespace pilothouse
