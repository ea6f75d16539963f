// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis/invocation.h"

#include <algorithm>

namespace pilothouse {

namespace {

QStringView lastPart(QStringView path)
{
    return path.sliced(path.lastIndexOf(u'/') + 1);
}

bool isPython(QStringView program)
{
    return program.startsWith(u"python") || program.startsWith(u"pypy");
}

/// Options of Python that take the next word.
bool takesValue(QStringView option)
{
    return option == u"-X" || option == u"-W" || option == u"--check-hash-based-pycs";
}

void readPython(Invocation &invocation, const QList<QStringView> &words)
{
    invocation.python = true;
    for (qsizetype i = 1; i < words.size(); ++i) {
        const QStringView word = words.at(i);
        if (word == u"-m" || word == u"-c") {
            (word == u"-m" ? invocation.module : invocation.code) = i + 1 < words.size() ? words.at(i + 1) : QStringView();
            invocation.rest = words.mid(i + 2);
            return;
        }
        if (takesValue(word)) {
            ++i;
        } else if (!word.startsWith(u'-')) {
            invocation.path = word;
            invocation.program = lastPart(word);
            invocation.rest = words.mid(i + 1);
            return;
        }
    }
}

} // namespace

Invocation invocationOf(const QStringList &arguments)
{
    Invocation invocation;
    QList<QStringView> words(arguments.cbegin(), arguments.cend());
    while (!words.isEmpty() && words.last().trimmed().isEmpty())
        words.removeLast(); // a renamed process pads its command line
    if (words.isEmpty())
        return invocation;
    const QStringView first = words.size() == 1 ? words.first().trimmed() : words.first();
    const auto isBlank = [](QChar c) { return c.isSpace(); };
    if (words.size() == 1 && first.contains(u"::") && std::none_of(first.begin(), first.end(), isBlank)) {
        invocation.title = first;
        return invocation;
    }
    invocation.path = first;
    invocation.program = lastPart(first);
    if (isPython(invocation.program))
        readPython(invocation, words);
    else
        invocation.rest = words.mid(1);
    return invocation;
}

} // namespace pilothouse
