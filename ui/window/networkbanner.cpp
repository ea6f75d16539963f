// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/networkbanner.h"

#include "ui/text/formatter.h"
#include "ui/theme/plain.h"
#include "ui/theme/runlabel.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QPainter>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;
using State = NetworkTrouble::State;

namespace {

QString happened(const NetworkTrouble &trouble)
{
    constexpr qint64 secondMs = 1'000;
    if (trouble.state == State::Returning)
        return NetworkBanner::tr("The network is back: %1 of %2 hosts are connected again.")
            .arg(trouble.back)
            .arg(trouble.lost);
    const QString within = format::duration(std::max<qint64>(trouble.within.count(), secondMs));
    const QString text = trouble.onTheWay
        ? NetworkBanner::tr("The way to your hosts: %1 of %2 connections were lost at a jump host within %3.")
        : NetworkBanner::tr("Your network: %1 of %2 connections were lost within %3.");
    return text.arg(trouble.lost).arg(trouble.of).arg(within);
}

QString next(const NetworkTrouble &trouble)
{
    if (trouble.state == State::Returning)
        return NetworkBanner::tr("The others follow.");
    if (trouble.trying.isEmpty())
        return NetworkBanner::tr("One host is tried soon; the others follow when it answers.");
    return NetworkBanner::tr("Trying %1; the others follow when it answers.").arg(trouble.trying);
}

} // namespace

NetworkBanner::NetworkBanner(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_words(new RunLabel(theme))
{
    setObjectName(u"networkBanner"_s);
    m_words->setObjectName(u"networkWords"_s);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(space(this, 3), space(this, 2), space(this, 3), space(this, 2));
    row->addWidget(m_words);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
    hide();
}

void NetworkBanner::showTrouble(const NetworkTrouble &trouble)
{
    setVisible(trouble.state != State::None);
    if (trouble.state == State::None)
        return;
    const bool away = trouble.state == State::Away;
    m_words->setSeverity(away ? Severity::Warning : Severity::Notice);
    m_words->setRuns({{.text = happened(trouble), .color = ColorId::Text, .bold = true},
                      {.text = next(trouble), .color = ColorId::TextMuted}});
    m_words->setToolTip(plainToolTip(happened(trouble) + u'\n' + next(trouble)));
    setAccessibleName(happened(trouble));
    setAccessibleDescription(next(trouble));
}

void NetworkBanner::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(ColorId::Panel));
    painter.setPen(m_theme.color(ColorId::Border));
    painter.drawLine(rect().bottomLeft(), rect().bottomRight());
}

} // namespace pilothouse
