// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis/evidence.h"

#include "core/base/cleantext.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// The value of "--option value" or "--option=value".
QString valueOf(const QStringList &arguments, const QString &option)
{
    for (qsizetype i = 0; i < arguments.size(); ++i) {
        if (arguments.at(i) == option)
            return arguments.value(i + 1);
        if (arguments.at(i).startsWith(option + u'='))
            return arguments.at(i).mid(option.size() + 1);
    }
    return {};
}

} // namespace

QString sentenceOf(const Fact &fact)
{
    const Modifier *modifier = Rules::builtIn().modifier(fact.name);
    if (!modifier)
        return {};
    // In one pass: a host's text that holds "%2" is no place for the second one.
    QString text;
    const QString &pattern = modifier->sentence;
    for (qsizetype i = 0; i < pattern.size(); ++i) {
        const QChar next = i + 1 < pattern.size() ? pattern.at(i + 1) : QChar();
        if (pattern.at(i) == u'%' && (next == u'1' || next == u'2')) {
            text += cleanLine(QStringView(next == u'1' ? fact.one : fact.two), 200);
            ++i;
        } else {
            text += pattern.at(i);
        }
    }
    return text;
}

QString clockOf(const QDateTime &at)
{
    return at.toUTC().toString(u"HH:mm:ss 'UTC'"_s);
}

QString spanOf(const QStringList &arguments)
{
    QString how;
    if (arguments.contains(u"--headless"_s)) {
        how = u"--headless"_s;
    } else {
        for (const QString &option : {u"--nnodes"_s, u"--node-rank"_s}) {
            const QString value = valueOf(arguments, option);
            const bool several = option == "--nnodes"_L1 ? !value.isEmpty() && value != "1"_L1 : value.toInt() > 0;
            if (several && how.isEmpty())
                how = option + u' ' + value;
        }
    }
    if (how.isEmpty())
        return {};
    for (const QString &option : {u"--master-addr"_s, u"--dist-init-addr"_s, u"--data-parallel-address"_s}) {
        const QString head = valueOf(arguments, option);
        if (!head.isEmpty())
            return how + u", its head is "_s + head;
    }
    return how;
}

bool isReaper(const QString &comm)
{
    Process process;
    process.comm = comm;
    const RoleRule *rule = Rules::builtIn().roleOf(process);
    return rule && rule->roleClass == RoleClass::System;
}

QString nameOf(const Process &process)
{
    const QString name = !process.command.isEmpty() ? process.command : !process.comm.isEmpty() ? process.comm : process.driverName;
    return cleanLine(QStringView(name), 60) + u" (PID "_s + QString::number(process.pid.value) + u')';
}

} // namespace pilothouse
