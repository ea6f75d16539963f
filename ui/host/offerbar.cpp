// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/offerbar.h"

#include "ui/theme/plain.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QPushButton>

namespace pilothouse {

using namespace Qt::StringLiterals;

OfferBar::OfferBar(const Theme &theme, const QString &name, ColorId color, QWidget *parent)
    : QWidget(parent)
    , m_text(plainLabel({}))
    , m_row(new QHBoxLayout(this))
{
    setObjectName(name);
    m_text->setObjectName(name + u"Text"_s);
    m_text->setWordWrap(true);
    tint(m_text, theme, color);
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(space(this, 3));
    m_row->addWidget(m_text, 1);
    hide();
}

QPushButton *OfferBar::addButton(const QString &suffix, const QString &text, const QString &accessibleName)
{
    auto *button = new QPushButton(text);
    button->setObjectName(objectName() + suffix);
    button->setAccessibleName(accessibleName);
    m_row->addWidget(button);
    return button;
}

void OfferBar::say(const QString &text, const QString &toolTip)
{
    if (text != m_text->text()) {
        m_text->setText(text);
        setAccessibleName(text);
    }
    m_text->setToolTip(plainToolTip(toolTip));
    setVisible(!text.isEmpty());
}

} // namespace pilothouse
