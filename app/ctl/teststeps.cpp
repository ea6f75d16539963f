// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/teststeps.h"

#include "app/ctl/snapshottext.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// The outside contract's words.
QString nameOf(TestStep step)
{
    static constexpr const char16_t *names[] = {u"resolve", u"connect",    u"host key",  u"sign in",
                                                u"shell",   u"nvidia-smi", u"systemctl", u"rights"};
    return QString::fromUtf16(names[int(step)]);
}

QString nameOf(StepResult::State state)
{
    static constexpr const char16_t *names[] = {u"done", u"failed", u"skipped"};
    return QString::fromUtf16(names[int(state)]);
}

const Problem *findProblem(const Snapshot &snapshot, std::initializer_list<QStringView> codes)
{
    const auto at = std::ranges::find_if(snapshot.problems, [&](const Problem &problem) {
        return std::ranges::find(codes, QStringView(problem.code)) != codes.end();
    });
    return at == snapshot.problems.end() ? nullptr : &*at;
}

StepResult done(TestStep step, const QString &text)
{
    return {step, StepResult::State::Done, text, std::nullopt, std::nullopt};
}

StepResult failed(TestStep step, ErrorCode code, const QString &text)
{
    return {step, StepResult::State::Failed, text, std::nullopt, code};
}

TestStep usualStepOf(ErrorCode code, TestStep current)
{
    switch (code) {
    case ErrorCode::SshConfigInvalid:
    case ErrorCode::SshConfigRefused:
    case ErrorCode::NameNotResolved:
        return TestStep::Resolve;
    case ErrorCode::ConnectRefused:
    case ErrorCode::Unreachable:
    case ErrorCode::ConnectTimeout:
    case ErrorCode::NotSsh:
    case ErrorCode::HandshakeFailed:
        return TestStep::Connect;
    case ErrorCode::HostKeyUnknown:
    case ErrorCode::HostKeyChanged:
    case ErrorCode::HostKeyRevoked:
        return TestStep::HostKey;
    case ErrorCode::SignInRefused:
    case ErrorCode::SignInTimeout:
    case ErrorCode::SignInNeedsPerson:
        return TestStep::SignIn;
    default:
        return current;
    }
}

} // namespace

TestStep stepOf(ErrorCode code, TestStep current)
{
    return std::min(usualStepOf(code, current), current);
}

StepResult judgeSmi(const Snapshot &snapshot)
{
    const GpuSource &source = snapshot.gpuSource;
    StepResult result;
    if (!snapshot.gpus) {
        const bool absent = source.status == GpuSource::Status::Absent;
        result = failed(TestStep::Smi, absent ? ErrorCode::ToolMissing : ErrorCode::DriverFault,
                        missingGpusText(snapshot));
    } else {
        const auto faults = std::ranges::count_if(*snapshot.gpus, [](const Gpu &gpu) { return !gpu.fault.isEmpty(); });
        QString text = u"%1 GPUs"_s.arg(snapshot.gpus->size());
        if (!source.driverVersion.isEmpty())
            text += u", driver "_s + source.driverVersion;
        if (faults > 0)
            text += u", %1 with a fault"_s.arg(faults);
        result = faults > 0 ? failed(TestStep::Smi, ErrorCode::DriverFault, text + u'.')
                            : done(TestStep::Smi, text + u'.');
    }
    if (source.durationMs.isKnown())
        result.durationMs = source.durationMs.value();
    return result;
}

StepResult judgeSystemctl(const Snapshot &snapshot)
{
    if (const Problem *problem = findProblem(snapshot, {u"systemd.absent", u"systemd.unreachable", u"section.units"})) {
        const bool absent = problem->code == u"systemd.absent";
        return failed(TestStep::Systemctl, absent ? ErrorCode::ToolMissing : ErrorCode::NoRights, problem->text);
    }
    if (!snapshot.units)
        return failed(TestStep::Systemctl, ErrorCode::ToolMissing, u"systemd does not answer."_s);
    return done(TestStep::Systemctl, u"systemd answers."_s);
}

StepResult judgeRights(const Snapshot &snapshot, SudoPolicy sudo)
{
    if (snapshot.system.root)
        return done(TestStep::Rights, u"The probe runs as root."_s);
    if (sudo != SudoPolicy::Never) {
        const auto problem = std::ranges::find_if(snapshot.problems, [](const Problem &each) {
            return each.code.startsWith("host.sudo_"_L1);
        });
        if (problem == snapshot.problems.end())
            return failed(TestStep::Rights, ErrorCode::SudoRefused, u"sudo does not make this account root."_s);
        return failed(TestStep::Rights, ErrorCode::SudoRefused, problem->text + u' ' + problem->advice);
    }
    if (snapshot.system.hidepid) {
        return failed(TestStep::Rights, ErrorCode::NoRights,
                      u"Other users' processes are hidden from this account (hidepid)."_s);
    }
    return done(TestStep::Rights, u"An ordinary account: it sees who runs what, not every detail of others' processes."_s);
}

QString lineOf(const StepResult &result, const Output &output)
{
    static constexpr Ink inks[] = {Ink::Good, Ink::Bad, Ink::Dim};
    const QString time = result.durationMs ? QString::number(*result.durationMs, 'f', 0) + u" ms"_s : u"–"_s;
    return output.inked(nameOf(result.state).leftJustified(9), inks[int(result.state)])
        + nameOf(result.step).leftJustified(12) + time.rightJustified(9) + u"  "_s + result.text + u'\n';
}

QJsonObject toJson(const StepResult &result)
{
    return {{u"name"_s, nameOf(result.step)},
            {u"state"_s, nameOf(result.state)},
            {u"text"_s, result.text},
            {u"duration_ms"_s, result.durationMs ? QJsonValue(*result.durationMs) : QJsonValue(QJsonValue::Null)}};
}

int exitCodeOf(const QList<StepResult> &results)
{
    const auto first = std::ranges::find_if(results, [](const StepResult &result) { return result.code.has_value(); });
    return first == results.end() ? 0 : exitCodeOf(*first->code);
}

} // namespace pilothouse
