// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/gputable.h"

#include "ui/host/gpudelegate.h"
#include "ui/host/gpumodel.h"
#include "ui/host/tablecopy.h"
#include "ui/text/formatter.h"
#include "ui/theme/panel.h"
#include "ui/theme/plain.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QHeaderView>
#include <QStackedLayout>
#include <QTreeView>
#include <QVBoxLayout>

namespace pilothouse {

GpuTable::GpuTable(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_panel(new Panel(theme, tr("GPUs"), this))
    , m_model(new GpuModel(this))
    , m_view(new QTreeView)
    , m_empty(plainLabel({}))
    , m_stack(new QStackedLayout)
{
    m_view->setObjectName(QStringLiteral("gpuTable"));
    m_view->setAccessibleName(tr("GPUs: memory, load and temperature"));
    m_view->setModel(m_model);
    m_view->setItemDelegate(new GpuDelegate(theme, m_view));
    m_view->setRootIsDecorated(false);
    m_view->setIndentation(0);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setMouseTracking(true);
    m_view->viewport()->installEventFilter(this);
    m_view->header()->hide();
    m_view->header()->setSectionResizeMode(QHeaderView::Fixed);
    m_view->header()->setMinimumSectionSize(1);
    m_view->header()->setStretchLastSection(false);
    copyOnRequest(m_view);
    m_empty->setObjectName(QStringLiteral("gpuEmpty"));
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_empty->setContentsMargins(space(this, 2), space(this, 2), space(this, 2), space(this, 2));
    tint(m_empty, theme, ColorId::TextMuted);

    auto *content = new QWidget;
    auto *inset = new QVBoxLayout(content);
    inset->setContentsMargins(space(this, 1), space(this, 1), space(this, 1), space(this, 1));
    inset->addLayout(m_stack);
    m_stack->addWidget(m_view);
    m_stack->addWidget(m_empty);
    m_panel->setContent(content);
    m_panel->setRemark(tr("used / total GiB, load, temperature"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_panel);
    setMinimumWidth(fontMetrics().averageCharWidth() * 42);
}

void GpuTable::showSnapshot(const Snapshot &snapshot, const MemoryHistory &history, bool stale)
{
    m_model->setStale(stale);
    m_model->show(snapshot.gpus.value_or(QList<Gpu>()), history);
    m_empty->setText(emptyWords(snapshot));
    if (m_model->rowCount() == 0)
        m_stack->setCurrentWidget(m_empty);
    else
        m_stack->setCurrentWidget(m_view);
}

bool GpuTable::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize)
        fitColumns();
    return QWidget::eventFilter(watched, event);
}

void GpuTable::fitColumns()
{
    // Every column but the bar has the width of its widest text; the bar takes the rest. Nothing depends on the data.
    const QFontMetrics metrics = m_view->fontMetrics();
    const int margins = space(this, 4);
    const auto textWidth = [&](const QString &text) { return metrics.horizontalAdvance(text) + margins; };
    const int index = textWidth(QStringLiteral("MIG 00")) + space(this, 2);
    const int memory = textWidth(QStringLiteral("000.0 / 000.0"));
    const int load = textWidth(QStringLiteral("100 %"));
    const int temperature = textWidth(QStringLiteral("100 °C"));
    const int rest = m_view->viewport()->width() - index - memory - load - temperature;
    const auto set = [this](GpuModel::Column column, int width) {
        m_view->header()->resizeSection(static_cast<int>(column), width);
    };
    set(GpuModel::Column::Index, index);
    set(GpuModel::Column::Bar, std::max(rest, space(this, 8)));
    set(GpuModel::Column::Memory, memory);
    set(GpuModel::Column::Load, load);
    set(GpuModel::Column::Temperature, temperature);
}

QString GpuTable::emptyWords(const Snapshot &snapshot)
{
    const GpuSource &source = snapshot.gpuSource;
    switch (source.status) {
    case GpuSource::Status::Absent: return tr("There is no %1 on this host, so its GPUs are unknown.").arg(source.tool);
    case GpuSource::Status::Hung:
        return tr("%1 hangs on the host and is left alone. GPU figures come back by themselves when it ends.")
            .arg(source.tool);
    case GpuSource::Status::Timeout: return tr("%1 did not answer in time. It is asked again.").arg(source.tool);
    case GpuSource::Status::Failed:
        return source.message.isEmpty() ? tr("%1 failed on the host.").arg(source.tool)
                                        : tr("%1 failed on the host: %2").arg(source.tool, source.message);
    case GpuSource::Status::Ok: break;
    }
    if (snapshot.gpus)
        return tr("The driver lists no GPUs.");
    const UnknownReason why = snapshot.unknown.value(QStringLiteral("gpus"), UnknownReason::Failed);
    return tr("The list of GPUs could not be read. %1").arg(format::reason(why));
}

} // namespace pilothouse
