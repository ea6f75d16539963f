// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/options.h"

#include "app/ctl/commandtable.h"
#include "core/base/cleantext.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

tl::unexpected<Error> usage(const QString &detail, const QString &command)
{
    const QString help = command.isEmpty() ? u"pilothousectl --help"_s : u"pilothousectl %1 --help"_s.arg(command);
    return fail(ErrorCode::Usage, detail, u"See %1."_s.arg(help));
}

const OptionRow *findOption(std::span<const OptionRow> rows, QStringView name)
{
    const auto at = std::ranges::find_if(rows, [&](const OptionRow &row) { return name == QStringView(row.name); });
    return at == rows.end() ? nullptr : &*at;
}

/// Reads from the left. Options of the command are known once the command is.
class Reader final
{
public:
    explicit Reader(QStringList words)
        : m_words(std::move(words))
    {
    }

    Result<Options> read()
    {
        while (!m_words.isEmpty()) {
            const QString word = m_words.takeFirst();
            if (m_onlyArguments || !word.startsWith(u'-') || word == u"-") {
                if (const auto taken = takeArgument(word); !taken)
                    return fail(taken.error());
            } else if (word == u"--") {
                m_onlyArguments = true;
            } else if (const auto taken = takeOption(word); !taken) {
                return fail(taken.error());
            }
            // Its own options are not known here, so nothing after the name is looked at.
            if (m_command && !m_command->make)
                return m_options;
        }
        return checked();
    }

private:
    Result<void> takeArgument(const QString &word)
    {
        if (m_command) {
            m_options.arguments += word;
            return {};
        }
        if (word == u"help" && !m_options.help) {
            m_options.help = true;
            return {};
        }
        m_command = findCommand(word);
        if (!m_command)
            return usage(u"There is no command \"%1\"."_s.arg(cleanLine(word, 80)), {});
        m_options.command = word;
        return {};
    }

    Result<void> takeOption(const QString &word)
    {
        const qsizetype equals = word.indexOf(u'=');
        QString name = equals < 0 ? word : word.left(equals);
        if (name == u"-h")
            name = u"--help"_s;
        const OptionRow *row = findOption(commonOptionRows(), name);
        if (!row && m_command)
            row = findOption(m_command->options, name);
        if (!row) {
            const QString whose = m_command ? u" for %1"_s.arg(m_options.command) : u" before the command"_s;
            return usage(u"There is no option %1%2."_s.arg(cleanLine(name, 80), whose), m_options.command);
        }
        const bool wantsValue = row->value[0] != 0;
        QString value;
        if (wantsValue && equals >= 0)
            value = word.mid(equals + 1);
        else if (wantsValue && m_words.isEmpty())
            return usage(u"%1 needs a value (%2)."_s.arg(name, QString::fromUtf16(row->value)), m_options.command);
        else if (wantsValue)
            value = m_words.takeFirst();
        else if (equals >= 0)
            return usage(u"%1 takes no value."_s.arg(name), m_options.command);
        const QString expected = row->take(m_options, value);
        if (!expected.isEmpty()) {
            return usage(u"%1: expected %2, found \"%3\"."_s.arg(name, expected, cleanLine(value, 80)),
                         m_options.command);
        }
        return {};
    }

    Result<Options> checked()
    {
        if (m_options.version || m_options.help)
            return m_options;
        if (!m_command)
            return usage(u"No command is given."_s, {});
        const auto given = m_options.arguments.size();
        if (given < m_command->leastArguments) {
            return usage(u"%1 needs more: %1 %2."_s.arg(m_options.command, QString::fromUtf16(m_command->synopsis)),
                         m_options.command);
        }
        if (given > m_command->mostArguments) {
            return usage(u"\"%1\" is one argument too many for %2."_s.arg(
                             cleanLine(m_options.arguments.at(m_command->mostArguments), 80), m_options.command),
                         m_options.command);
        }
        if (m_options.count && !m_options.watch)
            return usage(u"--count goes with --watch."_s, m_options.command);
        if (m_options.command == u"evidence" && m_options.file.isEmpty())
            return usage(u"evidence needs -o FILE.tar.gz."_s, m_options.command);
        if (m_options.dryRun && m_options.yes)
            return usage(u"--dry-run and --yes exclude each other."_s, m_options.command);
        if (!m_options.plan.isEmpty() && !m_options.yes)
            return usage(u"--plan goes with --yes."_s, m_options.command);
        return m_options;
    }

    QStringList m_words;
    Options m_options;
    const CommandRow *m_command = nullptr;
    bool m_onlyArguments = false;
};

} // namespace

Result<Options> parseOptions(const QStringList &words)
{
    return Reader(words).read();
}

} // namespace pilothouse
