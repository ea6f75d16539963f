// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/units/rulecontext.h"

#include "core/base/cleantext.h"
#include "core/units/expansion.h"
#include "core/units/shelltext.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

const QStringList &execKeys()
{
    static const QStringList keys{u"ExecCondition"_s, u"ExecStartPre"_s, u"ExecStart"_s,   u"ExecStartPost"_s,
                                  u"ExecReload"_s,    u"ExecStop"_s,     u"ExecStopPost"_s};
    return keys;
}

/// Sources: the servers' own code, of 2026. None of them speaks systemd's notify protocol unless it is said.
struct ServerRow
{
    const char16_t *name;
    const char16_t *pattern; ///< of the command line, words apart by one blank
    bool neverNotifies;
    int graceS;
};

constexpr std::array serverRows{
    ServerRow{u"vLLM", u"(^|[ /])vllm (serve|--)|(^|[ /])vllm$|-m vllm\\.", true, 15},
    ServerRow{u"llama.cpp", u"(^|[ /])llama-server( |$)", true, 5},
    ServerRow{u"SGLang", u"-m sglang\\.|(^|[ /])sglang serve", false, 15},
    ServerRow{u"TensorRT-LLM", u"(^|[ /])trtllm-serve( |$)", false, 15},
    ServerRow{u"Triton", u"(^|[ /])tritonserver( |$)", false, 15},
    ServerRow{u"TGI", u"(^|[ /])text-generation-launcher( |$)", false, 15},
    ServerRow{u"LMDeploy", u"(^|[ /])lmdeploy serve", false, 15},
    ServerRow{u"Ollama", u"(^|[ /])ollama serve", false, 5},
};

QString wordsOf(const ExecCommand &command)
{
    QStringList words;
    for (const ExecWord &word : command.words)
        words += word.text;
    return words.join(u' ').simplified();
}

ServerKind serverOf(const QString &words)
{
    for (const ServerRow &row : serverRows) {
        if (QRegularExpression(QString::fromUtf16(row.pattern)).match(words).hasMatch())
            return {QString::fromUtf16(row.name), row.neverNotifies, std::chrono::seconds(row.graceS)};
    }
    return {};
}

/// What systemd itself sets; systemd.exec, "Environment variables in spawned processes".
const QSet<QString> &ownVariables()
{
    static const QSet<QString> names{u"PATH"_s,
                                     u"LANG"_s,
                                     u"INVOCATION_ID"_s,
                                     u"JOURNAL_STREAM"_s,
                                     u"SYSTEMD_EXEC_PID"_s,
                                     u"NOTIFY_SOCKET"_s,
                                     u"LISTEN_FDS"_s,
                                     u"LISTEN_PID"_s,
                                     u"LISTEN_FDNAMES"_s,
                                     u"WATCHDOG_PID"_s,
                                     u"WATCHDOG_USEC"_s,
                                     u"PIDFILE"_s,
                                     u"RUNTIME_DIRECTORY"_s,
                                     u"STATE_DIRECTORY"_s,
                                     u"CACHE_DIRECTORY"_s,
                                     u"LOGS_DIRECTORY"_s,
                                     u"CONFIGURATION_DIRECTORY"_s,
                                     u"CREDENTIALS_DIRECTORY"_s,
                                     u"LOG_NAMESPACE"_s,
                                     u"REMOTE_ADDR"_s,
                                     u"REMOTE_PORT"_s,
                                     u"TERM"_s,
                                     u"SERVICE_RESULT"_s,
                                     u"EXIT_CODE"_s,
                                     u"EXIT_STATUS"_s,
                                     u"MEMORY_PRESSURE_WATCH"_s,
                                     u"MEMORY_PRESSURE_WRITE"_s,
                                     u"TRIGGER_PATH"_s,
                                     u"TRIGGER_UNIT"_s,
                                     u"FDSTORE"_s};
    return names;
}

std::chrono::microseconds limitOf(const UnitText &text, const QStringList &keys,
                                  std::optional<std::chrono::microseconds> told, std::chrono::microseconds usual)
{
    if (const UnitLine *line = text.last(u"Service", keys)) {
        const auto span = parseTimeSpan(line->value);
        if (span)
            return span->count() == 0 ? endlessTime : *span;
    }
    return told.value_or(usual);
}

void readVariables(RuleContext &context)
{
    const UnitText &text = context.text;
    const UnitFacts &facts = context.facts;
    context.variables = ownVariables();
    for (const QString &name : facts.managerNames.value_or(QStringList()))
        context.variables += name;
    // A person's manager hands on what the login gave it.
    context.hidesVariables = facts.user && !facts.managerNames;
    if (!facts.user && (!facts.userName.isEmpty() || text.last(u"Service", {u"User"_s, u"DynamicUser"_s})))
        context.variables.unite({u"HOME"_s, u"USER"_s, u"LOGNAME"_s, u"SHELL"_s});
    if (text.last(u"Service", {u"PAMName"_s}))
        context.hidesVariables = true;
    for (const UnitLine &line : text.listOf(u"Service", u"Environment")) {
        for (const ExecWord &word : readWords(line.value))
            context.variables += word.text.section(u'=', 0, 0);
    }
    for (const UnitLine &line : text.listOf(u"Service", u"PassEnvironment")) {
        for (const ExecWord &word : readWords(line.value))
            context.variables += word.text;
    }
    for (const UnitLine &line : text.listOf(u"Service", u"EnvironmentFile")) {
        const QString path = line.value.startsWith(u'-') ? line.value.sliced(1) : line.value;
        const auto known = std::ranges::find(facts.environmentFiles, path, &EnvironmentNames::path);
        if (known == facts.environmentFiles.end() || !known->names)
            context.hidesVariables = true;
        else
            context.variables += QSet<QString>(known->names->cbegin(), known->names->cend());
    }
    for (const UnitLine &line : text.listOf(u"Service", u"UnsetEnvironment")) {
        for (const ExecWord &word : readWords(line.value))
            context.variables -= word.text;
    }
}

} // namespace

VariableState RuleContext::stateOf(const QString &name, const QString &execKey) const
{
    if (variables.contains(name))
        return VariableState::Set;
    if (name == u"MAINPID")
        return execKey == u"ExecStart" || execKey == u"ExecStartPre" || execKey == u"ExecCondition"
                   ? VariableState::Unset
                   : VariableState::Set;
    if (name == u"MANAGERPID")
        return facts.user ? VariableState::Set : VariableState::Unset;
    return hidesVariables && isVariableName(name) ? VariableState::Perhaps : VariableState::Unset;
}

RuleContext contextOf(const UnitText &text, const UnitFacts &facts)
{
    RuleContext context{text, facts, {}, {}, facts.usesGpu, {}, {}, {}, {}, false};
    for (const QString &key : execKeys()) {
        for (const UnitLine &line : text.listOf(u"Service", key))
            context.entries += ExecEntry{line, readExecLine(line.value)};
    }
    std::ranges::stable_sort(context.entries, [&](const ExecEntry &a, const ExecEntry &b) {
        const auto placeOf = [&](const UnitLine &line) { return std::pair(text.files.indexOf(line.file), line.line); };
        return placeOf(a.line) < placeOf(b.line);
    });
    for (const ExecEntry &entry : context.entries) {
        for (const ExecCommand &command : entry.exec.commands) {
            const QString words = wordsOf(command);
            if (entry.line.key == u"ExecStart" && !runsContainer(command) && context.server.name.isEmpty())
                context.server = serverOf(words);
            context.usesGpu = context.usesGpu || (!runsContainer(command) && words.contains(u"nvidia-smi"));
        }
    }
    for (const UnitLine &line : text.listOf(u"Service", u"Environment"))
        context.usesGpu = context.usesGpu || line.value.contains(u"CUDA_VISIBLE_DEVICES=");
    context.usesGpu = context.usesGpu || !context.server.name.isEmpty();

    const UnitLine *type = text.last(u"Service", {u"Type"_s});
    context.type = type ? type->value : !facts.type.isEmpty() ? facts.type : u"simple"_s;
    const std::chrono::microseconds usual = std::chrono::seconds(90);
    context.timeoutStart = limitOf(text, {u"TimeoutStartSec"_s, u"TimeoutSec"_s}, facts.timeoutStart,
                                   context.type == u"oneshot" ? endlessTime : usual);
    context.timeoutStop = limitOf(text, {u"TimeoutStopSec"_s, u"TimeoutSec"_s}, facts.timeoutStop, usual);
    readVariables(context);
    return context;
}

UnitFinding findingAt(const UnitLine &line, const QString &rule, UnitFinding::Severity severity, const QString &text)
{
    UnitFinding finding;
    finding.rule = rule;
    finding.severity = severity;
    finding.file = cleanLine(line.file, 1024);
    finding.line = line.line;
    finding.lastLine = line.lastLine;
    finding.section = cleanLine(line.section, 40);
    finding.text = text;
    return finding;
}

QString shown(QStringView part)
{
    return cleanLine(part, 60);
}

qsizetype shellTextOf(const ExecCommand &command)
{
    static const QStringList shells{u"sh"_s, u"bash"_s, u"dash"_s, u"ash"_s, u"zsh"_s, u"ksh"_s};
    for (qsizetype i = 0; i < command.words.size(); ++i) {
        if (!shells.contains(command.words.at(i).baseName().toString()))
            continue;
        for (qsizetype j = i + 1; j + 1 < command.words.size(); ++j) {
            const QString &option = command.words.at(j).text;
            if (!option.startsWith(u'-') && !option.startsWith(u'+'))
                break;
            if (!option.startsWith(u"--") && option.contains(u'c'))
                return j + 1;
            if (option.endsWith(u'o') || option == u"--rcfile" || option == u"--init-file")
                ++j; // its value
        }
    }
    return -1;
}

bool runsContainer(const ExecCommand &command)
{
    static const QStringList engines{u"docker"_s,    u"podman"_s,      u"nerdctl"_s, u"docker-compose"_s,
                                     u"apptainer"_s, u"singularity"_s, u"ctr"_s,     u"enroot"_s};
    return std::ranges::any_of(command.words,
                               [&](const ExecWord &word) { return engines.contains(word.baseName().toString()); });
}

} // namespace pilothouse
