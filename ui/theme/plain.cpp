// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/plain.h"

#include "ui/theme/theme.h"

#include <QTextDocument>

namespace pilothouse {

using namespace Qt::StringLiterals;

QLabel *plainLabel(const QString &text, QWidget *parent)
{
    auto *label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setText(text);
    return label;
}

QString plainToolTip(const QString &text)
{
    if (!Qt::mightBeRichText(text))
        return text;
    // The tooltip would take it for markup: make it markup that shows exactly these characters.
    return u"<span>"_s + text.toHtmlEscaped().replace(u'\n', u"<br>"_s) + u"</span>"_s;
}

void tint(QLabel *label, const Theme &theme, ColorId id)
{
    const auto paint = [label, &theme, id] {
        QPalette palette = label->palette();
        palette.setColor(QPalette::WindowText, theme.color(id));
        label->setPalette(palette);
    };
    paint();
    QObject::connect(&theme, &Theme::changed, label, paint);
}

} // namespace pilothouse
