// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/hostkeylistdialog.h"

#include "ui/theme/plain.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHeaderView>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

enum Column { HostColumn, KeyOfColumn, ThroughColumn, TypeColumn, FingerprintColumn, ColumnCount };

} // namespace

HostKeyListDialog::HostKeyListDialog(const Theme &theme, QWidget *parent)
    : QDialog(parent)
    , m_theme(theme)
    , m_what(plainLabel({}))
    , m_table(new QTreeWidget)
    , m_details(plainLabel({}))
    , m_compared(new QCheckBox)
    , m_store(new QCheckBox(tr("&Remember these keys")))
    , m_trust(nullptr)
    , m_decline(nullptr)
{
    setObjectName(u"hostKeyListDialog"_s);
    setWindowTitle(tr("Unknown Host Keys"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto *column = new QVBoxLayout(this);
    column->setSpacing(space(this, 3));
    m_what->setObjectName(u"hostKeysWhat"_s);
    column->addWidget(m_what);
    buildTable();
    column->addWidget(m_table, 1);
    m_details->setObjectName(u"hostKeysDetails"_s);
    m_details->setWordWrap(true);
    m_details->setMinimumHeight(fontMetrics().lineSpacing() * 2);
    m_details->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    column->addWidget(m_details);
    QLabel *advice = plainLabel(tr("Compare each fingerprint with one that you got from the owner of the host. Anyone "
                                   "between you and the hosts could show keys of their own."));
    advice->setWordWrap(true);
    tint(advice, theme, ColorId::TextMuted);
    column->addWidget(advice);
    m_compared->setObjectName(u"hostKeysCompared"_s);
    m_store->setObjectName(u"hostKeysStore"_s);
    m_store->setChecked(true);
    column->addWidget(m_compared);
    column->addWidget(m_store);
    buildButtons();
    resize(fontMetrics().averageCharWidth() * 130, fontMetrics().height() * 26);
    connect(this, &QDialog::rejected, this, [this] {
        QList<QTreeWidgetItem *> all;
        for (int row = 0; row < m_table->topLevelItemCount(); ++row)
            all += m_table->topLevelItem(row);
        answerRows(all, false);
    });
    check();
}

void HostKeyListDialog::buildTable()
{
    m_table->setObjectName(u"hostKeysTable"_s);
    m_table->setAccessibleName(tr("Unknown host keys"));
    m_table->setHeaderLabels({tr("Host"), tr("Key of"), tr("Through"), tr("Type"), tr("Fingerprint")});
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setTextElideMode(Qt::ElideMiddle);
    m_table->header()->setStretchLastSection(true);
    auto *copy = new QAction(tr("Copy"), m_table);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    m_table->addAction(copy);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(copy, &QAction::triggered, this, [this] { copyRows(true); });
    connect(m_table, &QTreeWidget::itemChanged, this, &HostKeyListDialog::rowsChanged);
    connect(m_table, &QTreeWidget::currentItemChanged, this, &HostKeyListDialog::showDetails);
    connect(m_compared, &QCheckBox::toggled, this, &HostKeyListDialog::check);
}

void HostKeyListDialog::buildButtons()
{
    auto *buttons = new QDialogButtonBox;
    const auto add = [&](const QString &name, const QString &text) {
        QPushButton *button = buttons->addButton(text, QDialogButtonBox::ActionRole);
        button->setObjectName(name);
        return button;
    };
    QPushButton *all = add(u"hostKeysAll"_s, tr("Check &All"));
    QPushButton *copy = add(u"hostKeysCopy"_s, tr("&Copy Fingerprints"));
    m_decline = add(u"hostKeysDecline"_s, {});
    m_trust = add(u"hostKeysTrust"_s, {});
    QPushButton *cancel = buttons->addButton(tr("Decline All"), QDialogButtonBox::RejectRole);
    cancel->setObjectName(u"hostKeysCancel"_s);
    static_cast<QVBoxLayout *>(layout())->addWidget(buttons);
    for (QPushButton *button : {all, copy, m_decline, m_trust})
        button->setAutoDefault(false);
    cancel->setDefault(true);
    connect(all, &QPushButton::clicked, this, [this] {
        for (int row = 0; row < m_table->topLevelItemCount(); ++row)
            m_table->topLevelItem(row)->setCheckState(HostColumn, Qt::Checked);
    });
    connect(copy, &QPushButton::clicked, this, [this] { copyRows(false); });
    connect(m_trust, &QPushButton::clicked, this, [this] { answerRows(checkedRows(), true); });
    connect(m_decline, &QPushButton::clicked, this, [this] { answerRows(checkedRows(), false); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

void HostKeyListDialog::addKey(const QString &host, const Question &question)
{
    removeKey(host);
    m_questions.insert(host, question);
    auto *row = new QTreeWidgetItem({host, question.host, question.through, question.keyType, question.fingerprint});
    row->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    row->setCheckState(HostColumn, Qt::Unchecked);
    row->setFont(FingerprintColumn, QFontDatabase::systemFont(QFontDatabase::FixedFont));
    for (int column = 0; column < ColumnCount; ++column)
        row->setToolTip(column, plainToolTip(row->text(column)));
    m_table->addTopLevelItem(row);
    for (int column = 0; column < FingerprintColumn; ++column) {
        const int widest = fontMetrics().averageCharWidth() * 34;
        m_table->resizeColumnToContents(column);
        m_table->setColumnWidth(column, std::min(m_table->columnWidth(column), widest));
    }
    if (!m_table->currentItem())
        m_table->setCurrentItem(row);
    rowsChanged();
}

void HostKeyListDialog::removeKey(const QString &host)
{
    if (m_questions.remove(host) == 0)
        return;
    for (int row = m_table->topLevelItemCount() - 1; row >= 0; --row) {
        if (m_table->topLevelItem(row)->text(HostColumn) == host)
            delete m_table->takeTopLevelItem(row);
    }
    rowsChanged();
}

/// What was compared was another list.
void HostKeyListDialog::rowsChanged()
{
    m_compared->setChecked(false);
    check();
}

void HostKeyListDialog::check()
{
    const auto checked = checkedRows().size();
    m_what->setText(tr("Keys that are not known here: %1. Check those that you trust.").arg(m_questions.size()));
    m_compared->setText(tr("I have compared &each checked fingerprint (%1)").arg(checked));
    m_compared->setEnabled(checked > 1);
    m_trust->setText(tr("&Trust Checked (%1)").arg(checked));
    m_trust->setEnabled(checked == 1 || (checked > 1 && m_compared->isChecked()));
    m_decline->setText(tr("&Decline Checked (%1)").arg(checked));
    m_decline->setEnabled(checked > 0);
}

void HostKeyListDialog::showDetails()
{
    const QTreeWidgetItem *row = m_table->currentItem();
    const Question question = row ? m_questions.value(row->text(HostColumn)) : Question();
    const QString stored = question.knownHostsFile.isEmpty() ? QString()
                                                             : tr("Stored in %1.").arg(question.knownHostsFile);
    m_details->setText(QStringList{question.note, stored}.join(u'\n').trimmed());
    tint(m_details, m_theme, question.note.isEmpty() ? ColorId::TextMuted : ColorId::SeverityWarning);
}

void HostKeyListDialog::copyRows(bool selectedOnly) const
{
    QStringList lines;
    for (int row = 0; row < m_table->topLevelItemCount(); ++row) {
        const QTreeWidgetItem *item = m_table->topLevelItem(row);
        if (selectedOnly && !item->isSelected())
            continue;
        QStringList cells;
        for (int column = 0; column < ColumnCount; ++column)
            cells += item->text(column);
        lines += cells.join(u'\t');
    }
    QGuiApplication::clipboard()->setText(lines.join(u'\n'));
}

QList<QTreeWidgetItem *> HostKeyListDialog::checkedRows() const
{
    QList<QTreeWidgetItem *> rows;
    for (int row = 0; row < m_table->topLevelItemCount(); ++row) {
        if (m_table->topLevelItem(row)->checkState(HostColumn) == Qt::Checked)
            rows += m_table->topLevelItem(row);
    }
    return rows;
}

void HostKeyListDialog::answerRows(const QList<QTreeWidgetItem *> &rows, bool accepted)
{
    const bool store = accepted && m_store->isChecked();
    QList<std::pair<QString, Answer>> answers;
    for (QTreeWidgetItem *row : rows) {
        const QString host = row->text(HostColumn);
        const Answer answer{
            .questionId = m_questions.take(host).id, .accepted = accepted, .store = store, .replies = {}};
        answers.emplaceBack(host, answer);
        delete row;
    }
    rowsChanged();
    if (m_questions.isEmpty() && isVisible())
        done(QDialog::Accepted);
    for (const auto &[host, answer] : answers) // the last of it: a receiver may do anything
        emit answered(host, answer);
}

} // namespace pilothouse
