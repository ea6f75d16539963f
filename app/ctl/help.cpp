// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/help.h"

#include "app/ctl/commandtable.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

QString line(const QString &left, const QString &right)
{
    constexpr int width = 32;
    const QString padded = left.size() < width ? left.leftJustified(width) : QString(left + u"  "_s);
    return u"  "_s + padded + right + u'\n';
}

QString optionLines(std::span<const OptionRow> rows)
{
    QString text;
    for (const OptionRow &row : rows) {
        QString left = QString::fromUtf16(row.name);
        if (row.value[0] != 0)
            left += u' ' + QString::fromUtf16(row.value);
        text += line(left, QString::fromUtf16(row.help));
    }
    return text;
}

QString targetText()
{
    return u"TARGET is a host of the inventory, an alias of the SSH configuration, or\n"
           u"[user@]host[:port], IPv6 addresses in brackets.\n"_s;
}

QString exitText()
{
    return u"Exit status: 0 done; 1 the answer is no; 2 usage; 3 no connection; 4 sign-in\n"
           u"refused; 5 host key unknown, changed or revoked; 6 the host lacks something; 7 refused\n"
           u"by a safety rule; 8 a local failure; 130 interrupted.\n"_s;
}

} // namespace

QString generalHelp()
{
    QString text = u"usage: pilothousectl COMMAND [ARGUMENT...] [OPTION...]\n\nCommands:\n"_s;
    QString later;
    for (const CommandRow &row : commandRows()) {
        if (row.make)
            text += line(QString::fromUtf16(row.name), QString::fromUtf16(row.summary));
        else
            later += (later.isEmpty() ? u""_s : u", "_s) + QString::fromUtf16(row.name);
    }
    text += u"\nOptions for all, before or after the command:\n"_s + optionLines(commonOptionRows());
    text += u'\n' + targetText() + exitText();
    text += u"Not in this version: %1.\n"_s.arg(later);
    return text;
}

QString helpFor(const CommandRow &command)
{
    const QString name = QString::fromUtf16(command.name);
    const QString synopsis = QString::fromUtf16(command.synopsis);
    QString text = u"usage: pilothousectl "_s + name + (synopsis.isEmpty() ? u""_s : QString(u' ' + synopsis))
        + u" [OPTION...]\n\n"_s + QString::fromUtf16(command.summary) + u"\n\n"_s;
    if (!command.options.empty())
        text += u"Options of %1:\n"_s.arg(name) + optionLines(command.options) + u'\n';
    text += u"Options for all:\n"_s + optionLines(commonOptionRows()) + u'\n';
    if (command.mostArguments > 0)
        text += targetText();
    return text + exitText();
}

} // namespace pilothouse
