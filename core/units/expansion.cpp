// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/units/expansion.h"

#include <algorithm>
#include <array>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

struct Meaning
{
    char16_t letter;
    const char16_t *words;
};

constexpr std::array meanings{
    Meaning{u'a', u"the architecture"},
    Meaning{u'A', u"the image version"},
    Meaning{u'b', u"the boot id"},
    Meaning{u'B', u"the build id"},
    Meaning{u'c', u"the control group"},
    Meaning{u'C', u"the cache folder"},
    Meaning{u'd', u"the credentials' folder"},
    Meaning{u'E', u"the configuration folder"},
    Meaning{u'f', u"the instance as a path"},
    Meaning{u'g', u"the group's name"},
    Meaning{u'G', u"the group's number"},
    Meaning{u'h', u"the home folder"},
    Meaning{u'H', u"the host name"},
    Meaning{u'i', u"the instance's name"},
    Meaning{u'I', u"the instance's name"},
    Meaning{u'j', u"the last part of the unit's name"},
    Meaning{u'J', u"the last part of the unit's name"},
    Meaning{u'l', u"the short host name"},
    Meaning{u'L', u"the log folder"},
    Meaning{u'm', u"the machine id"},
    Meaning{u'M', u"the image id"},
    Meaning{u'n', u"the unit's name"},
    Meaning{u'N', u"the unit's name"},
    Meaning{u'o', u"the system's name"},
    Meaning{u'p', u"the unit's name before @"},
    Meaning{u'P', u"the unit's name before @"},
    Meaning{u'q', u"the pretty host name"},
    Meaning{u'r', u"the slice's control group"},
    Meaning{u'R', u"the root control group"},
    Meaning{u's', u"the user's shell"},
    Meaning{u'S', u"the state folder"},
    Meaning{u't', u"the runtime folder"},
    Meaning{u'T', u"the folder /tmp"},
    Meaning{u'u', u"the user's name"},
    Meaning{u'U', u"the user's number"},
    Meaning{u'v', u"the kernel's release"},
    Meaning{u'V', u"the folder /var/tmp"},
    Meaning{u'w', u"the system's version"},
    Meaning{u'W', u"the system's variant"},
    Meaning{u'y', u"the unit file's path"},
    Meaning{u'Y', u"the unit file's folder"},
};

} // namespace

QList<VariableUse> variablesIn(const QString &word)
{
    if (word.size() > 1 && word.front() == u'$' && word.at(1) != u'{' && word.at(1) != u'$')
        return {{VariableUse::Kind::Whole, word.sliced(1), 0, word.size()}};
    QList<VariableUse> uses;
    for (qsizetype at = word.indexOf(u'$'); at >= 0 && at + 1 < word.size(); at = word.indexOf(u'$', at)) {
        if (word.at(at + 1) != u'{') {
            at += word.at(at + 1) == u'$' ? 2 : 1;
            continue;
        }
        // A colon means a syntax that Exec lines do not know: it stays as it is.
        const QStringView rest = QStringView(word).sliced(at + 2);
        const auto stop = std::ranges::find_if(rest, [](QChar c) { return c == u'}' || c == u':'; });
        if (stop == rest.end())
            break;
        const qsizetype length = stop - rest.begin();
        if (*stop == u'}')
            uses += VariableUse{VariableUse::Kind::Braced, rest.first(length).toString(), at, length + 3};
        at += length + 3;
    }
    return uses;
}

QList<SpecifierUse> specifiersIn(QStringView text)
{
    QList<SpecifierUse> uses;
    for (qsizetype at = text.indexOf(u'%'); at >= 0 && at + 1 < text.size(); at = text.indexOf(u'%', at + 2)) {
        if (text.at(at + 1) != u'%')
            uses += SpecifierUse{text.at(at + 1), at};
    }
    return uses;
}

QString meaningOfSpecifier(QChar letter)
{
    const auto row = std::ranges::find(meanings, letter.unicode(), &Meaning::letter);
    return row == meanings.end() ? QString() : QString::fromUtf16(row->words);
}

bool isVariableName(QStringView name)
{
    const auto fits = [](QChar c) {
        return (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z') || (c >= u'0' && c <= u'9') || c == u'_';
    };
    return !name.isEmpty() && !(name.front() >= u'0' && name.front() <= u'9') && std::ranges::all_of(name, fits);
}

} // namespace pilothouse
