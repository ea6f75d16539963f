// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/statepane.h"

#include "ui/theme/plain.h"
#include "ui/theme/runlabel.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace pilothouse {

StatePane::StatePane(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_title(new RunLabel(theme))
    , m_why(plainLabel({}))
    , m_advice(plainLabel({}))
    , m_next(plainLabel({}))
    , m_buttons(new QHBoxLayout)
{
    m_title->setObjectName(QStringLiteral("stateTitle"));
    m_why->setObjectName(QStringLiteral("stateWhy"));
    m_advice->setObjectName(QStringLiteral("stateAdvice"));
    m_next->setObjectName(QStringLiteral("stateNext"));
    tint(m_why, theme, ColorId::TextMuted);
    tint(m_next, theme, ColorId::TextMuted);
    auto *column = new QVBoxLayout;
    column->setSpacing(space(this, 2));
    column->addWidget(m_title);
    for (QLabel *label : {m_why, m_advice, m_next}) {
        label->setWordWrap(true);
        column->addWidget(label);
    }
    m_buttons->setContentsMargins(0, space(this, 2), 0, 0);
    m_buttons->addStretch(1);
    column->addLayout(m_buttons);

    // A column of readable width in the upper third.
    auto *box = new QWidget;
    box->setLayout(column);
    box->setFixedWidth(fontMetrics().averageCharWidth() * 84);
    auto *row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(box);
    row->addStretch(1);
    auto *layout = new QVBoxLayout(this);
    layout->addStretch(1);
    layout->addLayout(row);
    layout->addStretch(2);
}

void StatePane::showWords(const Words &words)
{
    m_title->setSeverity(words.severity);
    m_title->setRuns({{.text = words.title, .color = ColorId::Text, .bold = true}});
    const auto set = [](QLabel *label, const QString &text) {
        label->setText(text);
        label->setVisible(!text.isEmpty());
    };
    set(m_why, words.why);
    set(m_advice, words.advice);
    set(m_next, words.next);
    setAccessibleName(words.title);
    setAccessibleDescription(QStringList{words.why, words.advice, words.next}.join(u' ').trimmed());
}

void StatePane::focusButton()
{
    if (QWidget *first = m_buttons->count() > 0 ? m_buttons->itemAt(0)->widget() : nullptr)
        first->setFocus();
}

QPushButton *StatePane::addButton(const QString &objectName, const QString &text)
{
    auto *button = new QPushButton(text, this);
    button->setObjectName(objectName);
    m_buttons->insertWidget(m_buttons->count() - 1, button);
    return button;
}

} // namespace pilothouse
