// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/units/findinglist.h"

#include "core/units/findingtext.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain.h"
#include "ui/theme/theme.h"

#include <QClipboard>
#include <QFontDatabase>
#include <QFrame>
#include <QGuiApplication>
#include <QPushButton>
#include <QVBoxLayout>

namespace pilothouse {

using namespace Qt::StringLiterals;

FindingList::FindingList(const Theme &theme, QWidget *parent) : QScrollArea(parent), m_theme(theme)
{
    setObjectName(u"findingList"_s);
    setAccessibleName(tr("Findings"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *content = new QWidget;
    m_rows = new QVBoxLayout(content);
    m_rows->setContentsMargins(0, 0, space(this, 2), 0);
    m_rows->setSpacing(space(this, 5));
    setWidget(content);
}

void FindingList::showFindings(const QList<UnitFinding> &findings)
{
    clear();
    for (const UnitFinding &finding : findings)
        addFinding(finding);
    m_rows->addStretch(1);
}

void FindingList::showWords(const QString &words)
{
    clear();
    QLabel *label = plainLabel(words);
    label->setObjectName(u"findingWords"_s);
    label->setWordWrap(true);
    tint(label, m_theme, ColorId::TextMuted);
    m_rows->addWidget(label);
    m_rows->addStretch(1);
}

void FindingList::clear()
{
    while (const QLayoutItem *item = m_rows->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

void FindingList::addFinding(const UnitFinding &finding)
{
    const bool isError = finding.severity == UnitFinding::Severity::Error;
    const Severity severity = isError ? Severity::Critical : Severity::Warning;
    auto *row = new QWidget;
    row->setObjectName(u"finding"_s);
    auto *columns = new QHBoxLayout(row);
    columns->setContentsMargins(0, 0, 0, 0);
    columns->setSpacing(space(this, 2));
    auto *icon = new QLabel;
    const int size = fontMetrics().height();
    const auto paint = [this, icon, severity, size] {
        icon->setPixmap(severityPixmap(m_theme, severity, size, devicePixelRatioF()));
    };
    paint();
    connect(&m_theme, &Theme::changed, icon, paint);
    icon->setAccessibleName(severityWord(severity));
    columns->addWidget(icon, 0, Qt::AlignTop);
    auto *column = new QVBoxLayout;
    column->setSpacing(space(this, 1));
    columns->addLayout(column, 1);

    const QString place = placeOf(finding);
    QLabel *head =
        plainLabel((isError ? tr("Error") : tr("Warning")) + (place.isEmpty() ? QString() : u"  "_s + place));
    head->setObjectName(u"findingHead"_s);
    head->setToolTip(finding.rule);
    tint(head, m_theme, isError ? ColorId::SeverityCritical : ColorId::SeverityWarning);
    QFont bold = head->font();
    bold.setBold(true);
    head->setFont(bold);
    column->addWidget(head);
    QLabel *why = plainLabel(finding.text);
    why->setObjectName(u"findingText"_s);
    why->setWordWrap(true);
    column->addWidget(why);
    if (!finding.suggestion.isEmpty())
        column->addWidget(suggestionOf(finding));
    m_rows->addWidget(row);
}

QWidget *FindingList::suggestionOf(const UnitFinding &finding)
{
    auto *box = new QWidget;
    auto *column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space(this, 1));
    QLabel *what = plainLabel(wordsOf(finding));
    tint(what, m_theme, ColorId::TextMuted);
    auto *copy = new QPushButton(tr("Copy"));
    copy->setObjectName(u"findingCopy"_s);
    copy->setAccessibleName(tr("Copy the suggested line"));
    copy->setAutoDefault(false);
    connect(copy, &QPushButton::clicked, this,
            [line = finding.suggestion] { QGuiApplication::clipboard()->setText(line); });
    auto *head = new QHBoxLayout;
    head->addWidget(what);
    head->addStretch(1);
    head->addWidget(copy);
    column->addLayout(head);
    QLabel *line = plainLabel(finding.suggestion);
    line->setObjectName(u"findingSuggestion"_s);
    line->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    line->setWordWrap(true);
    column->addWidget(line);
    return box;
}

} // namespace pilothouse
