// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/inventorynotice.h"

#include "ui/dialogs/textdialog.h"
#include "ui/text/errortext.h"
#include "ui/theme/plain.h"
#include "ui/theme/runlabel.h"
#include "ui/theme/theme.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// Names, or how many there are.
QString someOf(const QStringList &names, const QString &named, const QString &counted)
{
    constexpr qsizetype most = 3;
    return names.size() <= most ? named.arg(names.join(u", "_s)) : counted.arg(names.size());
}

} // namespace

QString headlineOf(const InventoryDifference &difference)
{
    QStringList parts;
    if (!difference.added.isEmpty())
        parts << someOf(difference.added, InventoryNotice::tr("%1 added"), InventoryNotice::tr("%1 hosts added"));
    if (!difference.removed.isEmpty())
        parts << someOf(difference.removed, InventoryNotice::tr("%1 removed"), InventoryNotice::tr("%1 hosts removed"));
    if (difference.changed.size() == 1) {
        const HostChange &change = difference.changed.first();
        parts << u"%1: %2"_s.arg(change.name, change.fields.join(u", "_s));
    } else if (!difference.changed.isEmpty()) {
        QStringList names;
        for (const HostChange &change : difference.changed)
            names << change.name;
        parts << someOf(names, InventoryNotice::tr("%1 changed"), InventoryNotice::tr("%1 hosts changed"));
    }
    return parts.join(u"; "_s);
}

QString linesOf(const InventoryDifference &difference)
{
    QStringList lines;
    for (const QString &name : difference.added)
        lines << InventoryNotice::tr("%1: added").arg(name);
    for (const QString &name : difference.removed)
        lines << InventoryNotice::tr("%1: removed").arg(name);
    for (const HostChange &change : difference.changed) {
        for (const QString &field : change.fields)
            lines << u"%1: %2"_s.arg(change.name, field);
    }
    return lines.join(u'\n');
}

InventoryNotice::InventoryNotice(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_words(new RunLabel(theme))
    , m_close(new QToolButton)
{
    setObjectName(u"inventoryNotice"_s);
    m_words->setObjectName(u"inventoryWords"_s);
    auto *details = new QPushButton(tr("&Details…"));
    details->setObjectName(u"inventoryDetails"_s);
    details->setFlat(true);
    m_close->setObjectName(u"inventoryClose"_s);
    m_close->setText(QString(QChar(0x00D7)));
    m_close->setAutoRaise(true);
    m_close->setToolTip(tr("Close this message"));
    m_close->setAccessibleName(tr("Close this message"));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(space(this, 3), space(this, 1), space(this, 3), space(this, 1));
    row->addWidget(m_words, 1);
    row->addWidget(details);
    row->addWidget(m_close);
    connect(details, &QPushButton::clicked, this, &InventoryNotice::showDetails);
    connect(m_close, &QToolButton::clicked, this, &QWidget::hide);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
    hide();
}

void InventoryNotice::showChange(const InventoryDifference &difference, const QDateTime &now)
{
    constexpr qsizetype most = 20'000; // characters of old changes are enough
    m_changes = now.toLocalTime().toString(u"HH:mm:ss"_s) + u'\n' + linesOf(difference) + u"\n\n"_s
        + m_changes.left(most);
    say(Severity::Notice, tr("hosts.toml was changed and read again."), headlineOf(difference));
}

void InventoryNotice::showFailure(const Error &error)
{
    m_broken = true;
    m_failure = paragraphOf(error);
    say(Severity::Warning, tr("hosts.toml was changed and cannot be used; the hosts stay as they were."),
        error.detail.section(u'\n', 0, 0));
}

void InventoryNotice::showMended()
{
    m_broken = false;
    m_failure.clear();
    say(Severity::Notice, tr("hosts.toml can be read again."), {});
}

void InventoryNotice::say(Severity severity, const QString &title, const QString &text)
{
    m_words->setSeverity(severity);
    m_words->setRuns({{.text = title, .color = ColorId::Text, .bold = true}, {.text = text, .color = ColorId::Text}});
    m_words->setToolTip(plainToolTip(title + u'\n' + text));
    setAccessibleName(title);
    setAccessibleDescription(text);
    m_close->setVisible(!m_broken); // it is true until it is mended
    show();
}

void InventoryNotice::showDetails()
{
    QStringList parts{m_failure, m_changes.trimmed()};
    parts.removeAll(QString());
    showText(window(), u"inventoryDetailsDialog"_s, tr("Changes of the Inventory"), parts.join(u"\n\n"_s));
}

void InventoryNotice::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(ColorId::Panel));
    painter.setPen(m_theme.color(ColorId::Border));
    painter.drawLine(rect().bottomLeft(), rect().bottomRight());
}

} // namespace pilothouse
