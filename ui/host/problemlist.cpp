// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/problemlist.h"

#include "ui/theme/icons.h"
#include "ui/theme/plain.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace pilothouse {

namespace {

constexpr int mostLines = 7; ///< beyond this the list scrolls, so that the figures keep their room

Severity severityOf(Problem::Severity severity)
{
    switch (severity) {
    case Problem::Severity::Critical: return Severity::Critical;
    case Problem::Severity::Warning: return Severity::Warning;
    case Problem::Severity::Notice: break;
    }
    return Severity::Notice;
}

} // namespace

ProblemList::ProblemList(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_scroll(new QScrollArea(this))
    , m_content(new QWidget)
    , m_rows(new QVBoxLayout(m_content))
{
    setObjectName(QStringLiteral("problemList"));
    setAccessibleName(tr("Problems"));
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(space(this, 1));
    m_scroll->setObjectName(QStringLiteral("problemScroll"));
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setWidget(m_content);
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    hide();
}

void ProblemList::showProblems(QList<Problem> problems, const QString &said)
{
    for (Problem &problem : problems) {
        if (problem.text == said)
            problem.text.clear();
    }
    problems.removeIf([](const Problem &problem) { return problem.text.isEmpty() && problem.advice.isEmpty(); });
    std::ranges::stable_sort(problems, std::ranges::greater(), &Problem::severity);
    if (problems == m_problems)
        return;
    m_problems = problems;
    while (const QLayoutItem *item = m_rows->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const Problem &problem : std::as_const(m_problems))
        addRow(problem);
    m_rows->addStretch(1);
    setVisible(!m_problems.isEmpty());
    updateGeometry();
}

void ProblemList::addRow(const Problem &problem)
{
    const Severity severity = severityOf(problem.severity);
    auto *row = new QWidget(m_content);
    auto *line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(space(this, 2));
    auto *icon = new QLabel(row);
    const int side = fontMetrics().ascent();
    const auto paint = [this, icon, severity, side] {
        icon->setPixmap(severityPixmap(m_theme, severity, side, devicePixelRatioF()));
    };
    paint();
    connect(&m_theme, &Theme::changed, icon, paint);
    icon->setAlignment(Qt::AlignTop);
    icon->setContentsMargins(0, (fontMetrics().height() - side) / 2, 0, 0);
    line->addWidget(icon);
    QLabel *text = plainLabel(problem.text, row);
    text->setWordWrap(true);
    tint(text, m_theme, colorIdOf(severity));
    QLabel *advice = plainLabel(problem.advice, row);
    advice->setWordWrap(true);
    tint(advice, m_theme, problem.text.isEmpty() ? ColorId::Text : ColorId::TextMuted);
    line->addWidget(text, 1, Qt::AlignTop);
    line->addWidget(advice, 1, Qt::AlignTop);
    text->setVisible(!problem.text.isEmpty());
    advice->setVisible(!problem.advice.isEmpty());
    row->setAccessibleName(QStringList{severityWord(severity), problem.text, problem.advice}.join(u' '));
    m_rows->addWidget(row);
    row->show(); // counts for the height at once
}

void ProblemList::resizeEvent(QResizeEvent *)
{
    m_scroll->setGeometry(rect()); // a layout would overrule heightForWidth()
}

QSize ProblemList::sizeHint() const
{
    return {space(this, 100), heightForWidth(width())};
}

int ProblemList::heightForWidth(int width) const
{
    const int wanted = m_rows->hasHeightForWidth() ? m_rows->heightForWidth(width) : m_rows->sizeHint().height();
    return std::min(wanted, mostLines * fontMetrics().height());
}

} // namespace pilothouse
