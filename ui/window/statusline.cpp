// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/statusline.h"

#include "ui/text/formatter.h"
#include "ui/theme/runlabel.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QPainter>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

QString accessWords(const HostData &host)
{
    QString text;
    switch (host.spec.access) {
    case Access::ReadOnly: text = StatusLine::tr("access: read-only"); break;
    case Access::Confirm: text = StatusLine::tr("access: confirm"); break;
    case Access::Normal: text = StatusLine::tr("access: normal"); break;
    }
    if (host.snapshot && host.snapshot->system.root)
        text += StatusLine::tr(", root");
    return text;
}

} // namespace

StatusLine::StatusLine(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_cost(new RunLabel(theme))
    , m_access(new RunLabel(theme))
    , m_clock(new RunLabel(theme))
{
    setObjectName(u"statusLine"_s);
    m_cost->setObjectName(u"statusCost"_s);
    m_access->setObjectName(u"statusAccess"_s);
    m_clock->setObjectName(u"statusClock"_s);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(space(this, 3), space(this, 1), space(this, 3), space(this, 1));
    row->setSpacing(space(this, 6));
    row->addWidget(m_cost, 1);
    // Room for the widest words, so that nothing moves.
    m_access->setFixedWidth(fontMetrics().horizontalAdvance(tr("access: read-only") + tr(", root")) + space(this, 2));
    m_clock->setFixedWidth(fontMetrics().horizontalAdvance(u"00:00:00"_s) + space(this, 2));
    for (RunLabel *label : {m_access, m_clock})
        label->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    row->addWidget(m_access);
    row->addWidget(m_clock);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void StatusLine::showHost(const HostData *host, const QDateTime &now)
{
    QString cost;
    QString hint;
    if (host && host->snapshot) {
        const Snapshot &snapshot = *host->snapshot;
        cost = tr("snapshot %1     %2")
                   .arg(format::milliseconds(snapshot.durationMs), format::bytes(snapshot.bytes));
        const QString skew = snapshot.skewMs.isKnown() ? format::milliseconds(snapshot.skewMs.value())
                                                       : format::unknownMark();
        const QString tool = snapshot.gpuSource.durationMs.isKnown()
            ? format::milliseconds(snapshot.gpuSource.durationMs.value())
            : format::unknownMark();
        hint = tr("Taken %1 on the host, %2 from request to answer\nSections within %3 of each other\n%4 took %5")
                   .arg(format::milliseconds(snapshot.durationMs), format::milliseconds(snapshot.roundTripMs), skew,
                        snapshot.gpuSource.tool, tool);
    }
    m_cost->setRuns({{.text = cost, .color = ColorId::TextMuted}});
    m_cost->setToolTip(hint);
    m_access->setRuns({{.text = host ? accessWords(*host) : QString(), .color = ColorId::TextMuted}});
    m_clock->setRuns({{.text = now.toLocalTime().toString(u"HH:mm:ss"_s), .color = ColorId::TextMuted}});
    m_clock->setToolTip(now.toUTC().toString(u"yyyy-MM-dd HH:mm:ss 'UTC'"_s));
}

void StatusLine::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(ColorId::Chrome));
    painter.setPen(m_theme.color(ColorId::Border));
    painter.drawLine(rect().topLeft(), rect().topRight());
}

} // namespace pilothouse
