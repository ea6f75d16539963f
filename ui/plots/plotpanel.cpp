// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plotpanel.h"

#include "ui/theme/panel.h"
#include "ui/theme/theme.h"

#include <QDateTime>
#include <QToolButton>
#include <QVBoxLayout>

namespace pilothouse {

using namespace std::chrono_literals;

PlotPanel::PlotPanel(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_plot(new MemoryPlot(theme))
    , m_panel(new Panel(theme, tr("GPU memory"), this))
    , m_fiveMinutes(addButton(QStringLiteral("plotSpan5min"), tr("5 min"), tr("Show the last five minutes (Ctrl+1)")))
    , m_oneHour(addButton(QStringLiteral("plotSpan1h"), tr("1 h"), tr("Show the last hour (Ctrl+2)")))
    , m_pause(addButton(QStringLiteral("plotPause"), tr("Pause"), tr("Hold the picture still; data is kept (Ctrl+P)")))
    , m_live(addButton(QStringLiteral("plotLive"), tr("Live"), tr("Follow the present again (Ctrl+L)")))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_panel);
    m_panel->setContent(m_plot);
    m_fiveMinutes->setCheckable(true);
    m_oneHour->setCheckable(true);
    m_pause->setCheckable(true);
    connect(m_fiveMinutes, &QToolButton::clicked, this, [this] { setSpan(5min); });
    connect(m_oneHour, &QToolButton::clicked, this, [this] { setSpan(1h); });
    connect(m_pause, &QToolButton::clicked, m_plot, &MemoryPlot::setPaused);
    connect(m_live, &QToolButton::clicked, m_plot, &MemoryPlot::backToLive);
    connect(m_plot, &MemoryPlot::viewChanged, this, &PlotPanel::showView);
    showView();
}

void PlotPanel::refresh(const MemoryHistory &history, qint64 nowMs)
{
    m_plot->refresh(history, nowMs);
}

void PlotPanel::setSpan(std::chrono::milliseconds span)
{
    m_plot->setSpan(span);
    showView();
}

QToolButton *PlotPanel::addButton(const QString &name, const QString &text, const QString &hint)
{
    auto *button = new QToolButton(m_panel);
    button->setObjectName(name);
    button->setText(text);
    button->setToolTip(hint);
    button->setAccessibleName(hint);
    button->setAutoRaise(true);
    m_panel->addControl(button);
    return button;
}

void PlotPanel::showView()
{
    const MemoryPlot::View view = m_plot->view();
    m_fiveMinutes->setChecked(m_plot->span() == 5min);
    m_oneHour->setChecked(m_plot->span() == 1h);
    m_pause->setChecked(view == MemoryPlot::View::Paused);
    m_live->setEnabled(view != MemoryPlot::View::Live);
    const QString since = QDateTime::fromMSecsSinceEpoch(m_plot->heldSinceMs()).toString(QStringLiteral("HH:mm:ss"));
    switch (view) {
    case MemoryPlot::View::Live: m_panel->setRemark(tr("GiB used, live")); break;
    case MemoryPlot::View::Moved: m_panel->setRemark(tr("GiB used, moved, not following")); break;
    case MemoryPlot::View::Paused: m_panel->setRemark(tr("GiB used, paused at %1").arg(since)); break;
    }
    emit pausedChanged(view == MemoryPlot::View::Paused);
}

} // namespace pilothouse
