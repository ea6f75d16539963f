// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The hosts at the left: filter, list, count. The choice belongs to a host's name and survives every tick and the
// filter. GUI thread; owned by the main window.

#include <QWidget>

class QLineEdit;
class QListView;
class QTimer;

namespace pilothouse {

class HostFilter;
class HostListModel;
class HostStore;
class RunLabel;
class Theme;

class HostList final : public QWidget
{
    Q_OBJECT
public:
    HostList(const Theme &theme, const HostStore &store, QWidget *parent = nullptr);

    [[nodiscard]] QString current() const; ///< empty: none
    void choose(const QString &name);
    void step(int by); ///< to the next or previous shown host
    void focusList(); ///< arrow keys choose a host
    void focusFilter();
    void refreshAges();

signals:
    /// A choice, by a person or choose().
    void chosen(const QString &name);
    /// Enter or double click.
    void activated(const QString &name);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void buildView(const Theme &theme);
    void showCount();
    void keepChoice();

    const Theme &m_theme;
    const HostStore &m_store;
    HostListModel *m_model;
    HostFilter *m_filter;
    QLineEdit *m_words;
    QListView *m_view;
    RunLabel *m_count;
    QString m_current;
};

} // namespace pilothouse
