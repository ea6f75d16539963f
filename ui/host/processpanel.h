// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Who holds the memory: table with verdicts and ticks, filter, counts, the evidence of the current row on demand, and
// the step after which others than leftovers can be ticked. GUI thread; owned by the page.

#include "ui/host/holderchoice.h"
#include "ui/host/processcolumns.h"

#include <QWidget>

#include <array>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QStackedLayout;
class QToolButton;
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

    /// `findings` of the same boot; null: no deep look yet. `now` is for the times of the evidence.
    void showSnapshot(const Snapshot &snapshot, bool stale, const FindingsPtr &findings = {},
                      const QDateTime &now = QDateTime::currentDateTimeUtc());
    void focusFilter();
    [[nodiscard]] QString text() const;
    [[nodiscard]] const HolderChoice &choice() const;
    /// Why nothing may be done to a process of the host; empty where it may.
    void setForbidden(const QString &why) { m_forbidden = why; }
    /// Order, widths and sorting of the columns.
    [[nodiscard]] QByteArray columns() const;
    void setColumns(const QByteArray &columns);
    bool eventFilter(QObject *watched, QEvent *event) override;

signals:
    /// Another family is to be ended, or another is not.
    void choiceChanged();
    /// That process alone is to end, at once or after a grace.
    void endRequested(const pilothouse::ProcessIdentity &process, bool atOnce);

private:
    void buildView(const Theme &theme);
    void buildHeader();
    void buildKnowBar(const Theme &theme);
    void buildEvidence();
    void fitColumns();
    void showCounts();
    void showOrWords();
    void showEvidence();
    void showKnowBar();
    void tickCurrent();
    void showMenu(const QPoint &position);
    [[nodiscard]] QToolButton *addButton(const QString &name, const QString &text, const QString &hint);

    Panel *m_panel;
    ProcessModel *m_model;
    ProcessFilter *m_filter;
    QTreeView *m_view;
    QLineEdit *m_words;
    QLabel *m_empty;
    QStackedLayout *m_stack;
    QWidget *m_knowBar;
    QLabel *m_knowWords;
    QPushButton *m_know;
    QPlainTextEdit *m_evidence;
    QToolButton *m_others;
    QToolButton *m_whyButton;
    std::array<int, static_cast<std::size_t>(ProcessColumn::Count)> m_widths{}; ///< also of those that are hidden
    QString m_unknownHolders; ///< words where it is not known who has memory; empty: it is
    QString m_unreadable; ///< words in place of a list that could not be read
    QString m_forbidden;
    FindingsPtr m_findings;
    QDateTime m_now;
    Quantity<qint64> m_unattributedMib;
    std::optional<int> m_onGpus; ///< rows with GPU memory; no value: the driver could not be asked
};

} // namespace pilothouse
