// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/hostlist.h"

#include "ui/host/hoststore.h"
#include "ui/theme/roles.h"
#include "ui/theme/runlabel.h"
#include "ui/theme/theme.h"
#include "ui/window/hostdelegate.h"
#include "ui/window/hostlistmodel.h"

#include <QItemSelectionModel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

HostList::HostList(const Theme &theme, const HostStore &store, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_store(store)
    , m_model(new HostListModel(store, this))
    , m_filter(new HostFilter(this))
    , m_words(new QLineEdit)
    , m_view(new QListView)
    , m_count(new RunLabel(theme))
{
    setObjectName(u"hostListPane"_s);
    m_filter->setSourceModel(m_model);
    m_words->setObjectName(u"hostFilter"_s);
    m_words->setAccessibleName(tr("Filter hosts"));
    m_words->setPlaceholderText(tr("Filter hosts"));
    m_words->setToolTip(tr("Name, tag, target or state; every word must stand there (Ctrl+F)"));
    m_words->setClearButtonEnabled(true);
    m_count->setObjectName(u"hostCount"_s);
    buildView(theme);
    auto *column = new QVBoxLayout(this);
    const int margin = space(this, 2);
    column->setContentsMargins(0, margin, 0, margin);
    column->setSpacing(margin);
    auto *top = new QVBoxLayout;
    top->setContentsMargins(margin, 0, margin, 0);
    top->addWidget(m_words);
    column->addLayout(top);
    column->addWidget(m_view, 1);
    auto *bottom = new QVBoxLayout;
    bottom->setContentsMargins(space(this, 3), 0, margin, 0);
    bottom->addWidget(m_count);
    column->addLayout(bottom);
    setMinimumWidth(fontMetrics().averageCharWidth() * 24);

    connect(m_words, &QLineEdit::textChanged, this, [this](const QString &words) {
        m_filter->setWords(words);
        keepChoice();
        showCount();
    });
    for (const auto &signal : {&HostStore::added, &HostStore::removed, &HostStore::changed})
        connect(&store, signal, this, &HostList::showCount);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
    showCount();
}

void HostList::buildView(const Theme &theme)
{
    m_view->setObjectName(u"hostList"_s);
    m_view->setAccessibleName(tr("Hosts"));
    m_view->setModel(m_filter);
    m_view->setItemDelegate(new HostDelegate(theme, m_view));
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setUniformItemSizes(true);
    m_view->setMouseTracking(true);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->viewport()->setAutoFillBackground(false);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex &index) {
        const QString name = index.data(KeyRole).toString();
        if (name.isEmpty() || name == m_current)
            return;
        m_current = name;
        emit chosen(name);
    });
    connect(m_view, &QListView::activated, this,
            [this](const QModelIndex &index) { emit activated(index.data(KeyRole).toString()); });
}

QString HostList::current() const
{
    return m_store.find(m_current) ? m_current : QString();
}

void HostList::choose(const QString &name)
{
    const QModelIndex index = m_filter->mapFromSource(m_model->index(m_model->rowOf(name)));
    if (!index.isValid() && m_store.find(name)) {
        m_words->clear(); // it is hidden by the filter
        keepChoice();
    }
    m_view->setCurrentIndex(m_filter->mapFromSource(m_model->index(m_model->rowOf(name))));
}

void HostList::step(int by)
{
    const int rows = m_filter->rowCount();
    if (rows == 0)
        return;
    const int row = m_view->currentIndex().isValid() ? m_view->currentIndex().row() + by : 0;
    m_view->setCurrentIndex(m_filter->index(std::clamp(row, 0, rows - 1), 0));
}

void HostList::focusList()
{
    m_view->setFocus();
}

void HostList::focusFilter()
{
    m_words->setFocus(Qt::ShortcutFocusReason);
    m_words->selectAll();
}

void HostList::refreshAges()
{
    m_model->refreshAges();
}

void HostList::keepChoice()
{
    // A filter that hides the chosen host moves the view's current row; the choice comes back with the row.
    const QModelIndex index = m_filter->mapFromSource(m_model->index(m_model->rowOf(m_current)));
    if (index.isValid() && index != m_view->currentIndex())
        m_view->setCurrentIndex(index);
}

void HostList::showCount()
{
    const QStringList names = m_store.names();
    const auto connected = std::ranges::count_if(
        names, [this](const QString &name) { return m_store.find(name)->isConnected(); });
    const auto left = std::ranges::count_if(names, [this](const QString &name) {
        const HostData &host = *m_store.find(name);
        return host.findingsHold && host.findings->diagnosis.host.state == HostState::Leftover;
    });
    const int shown = m_filter->rowCount();
    QString text = names.size() == 1 ? tr("1 host") : tr("%1 hosts").arg(names.size());
    if (left > 0)
        text += u", "_s + tr("%1 leftover").arg(left);
    text += u", "_s + tr("%1 connected").arg(connected);
    if (shown != names.size())
        text += u", "_s + tr("%1 shown").arg(shown);
    m_count->setRuns({{.text = text, .color = ColorId::TextMuted}});
}

void HostList::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(ColorId::Chrome));
    painter.setPen(m_theme.color(ColorId::Border));
    painter.drawLine(rect().topRight(), rect().bottomRight());
}

} // namespace pilothouse
