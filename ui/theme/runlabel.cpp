// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/runlabel.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>

namespace pilothouse {

RunLabel::RunLabel(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void RunLabel::setRuns(const QList<TextRun> &runs)
{
    if (runs == m_runs)
        return;
    m_runs = runs;
    setAccessibleName(text());
    update();
}

void RunLabel::setSeverity(std::optional<Severity> severity)
{
    if (severity == m_severity)
        return;
    m_severity = severity;
    update();
}

void RunLabel::setScale(double scale)
{
    m_scale = scale;
    updateGeometry();
    update();
}

QString RunLabel::text() const
{
    QStringList parts;
    for (const TextRun &run : m_runs) {
        if (!run.text.isEmpty())
            parts << run.text;
    }
    return parts.join(u' ');
}

QSize RunLabel::sizeHint() const
{
    const QFontMetrics bold(runFont(true));
    return {bold.horizontalAdvance(text()), bold.height() + 2};
}

QSize RunLabel::minimumSizeHint() const
{
    return {space(this, 8), sizeHint().height()};
}

void RunLabel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    int x = 0;
    const QFontMetrics plain(runFont(false));
    const int gap = qRound(plain.averageCharWidth() * 1.2);
    if (m_severity) {
        const int side = plain.ascent();
        painter.drawPixmap(0, (height() - side) / 2, severityPixmap(m_theme, *m_severity, side, devicePixelRatioF()));
        x += side + gap;
    }
    for (const TextRun &run : m_runs) {
        if (run.text.isEmpty() || x >= width())
            continue;
        const QFont font = runFont(run.bold);
        const QFontMetrics metrics(font);
        const QString shown = metrics.elidedText(run.text, Qt::ElideRight, width() - x);
        painter.setFont(font);
        painter.setPen(m_theme.color(run.color));
        painter.drawText(QRect(x, 0, width() - x, height()), Qt::AlignVCenter | Qt::TextSingleLine, shown);
        x += metrics.horizontalAdvance(shown) + gap;
    }
}

void RunLabel::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::FontChange)
        updateGeometry();
    QWidget::changeEvent(event);
}

QFont RunLabel::runFont(bool bold) const
{
    QFont scaled = font();
    if (scaled.pointSizeF() > 0)
        scaled.setPointSizeF(scaled.pointSizeF() * m_scale);
    else
        scaled.setPixelSize(qRound(scaled.pixelSize() * m_scale));
    scaled.setBold(bold);
    return scaled;
}

} // namespace pilothouse
