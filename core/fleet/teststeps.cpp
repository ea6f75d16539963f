// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/teststeps.h"

#include "core/base/counted.h"
#include "core/host/gpusourcewords.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

const Problem *findProblem(const Snapshot &snapshot, std::initializer_list<QStringView> codes)
{
    const auto at = std::ranges::find_if(snapshot.problems, [&](const Problem &problem) {
        return std::ranges::find(codes, QStringView(problem.code)) != codes.end();
    });
    return at == snapshot.problems.end() ? nullptr : &*at;
}

StepResult done(TestStep step, const QString &text)
{
    return {step, StepResult::State::Done, text, std::nullopt, std::nullopt, {}};
}

StepResult failed(TestStep step, ErrorCode code, const QString &text)
{
    return {step, StepResult::State::Failed, text, std::nullopt, code, {}};
}

/// The text and what to do, as the first problem says whose code begins with one of these.
QString withAdvice(const QString &text, const Snapshot &snapshot, std::initializer_list<QLatin1String> codes)
{
    for (const Problem &problem : snapshot.problems) {
        const auto fits = [&](QLatin1String code) { return problem.code.startsWith(code); };
        if (!problem.advice.isEmpty() && std::ranges::any_of(codes, fits))
            return text + u' ' + problem.advice;
    }
    return text;
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

QString nameOf(const StepResult &result)
{
    static constexpr const char16_t *names[] = {u"resolve", u"jump host", u"connect",   u"host key", u"sign in",
                                                u"shell",   u"nvidia-smi", u"systemctl", u"rights"};
    const QString name = QString::fromUtf16(names[int(result.step)]);
    return result.jumpHost.isEmpty() ? name : QString(name + u' ' + result.jumpHost);
}

QString nameOf(StepResult::State state)
{
    static constexpr const char16_t *names[] = {u"done", u"failed", u"skipped"};
    return QString::fromUtf16(names[int(state)]);
}

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
                        u"%1 %2"_s.arg(missingGpusText(snapshot), missingGpusAdvice(snapshot)).trimmed());
    } else {
        const auto faults = std::ranges::count_if(*snapshot.gpus, [](const Gpu &gpu) { return !gpu.fault.isEmpty(); });
        QString text = counted(snapshot.gpus->size(), "GPU"_L1);
        if (!source.driverVersion.isEmpty())
            text += u", driver "_s + source.driverVersion;
        if (faults > 0)
            text += u", %1 with a fault"_s.arg(faults);
        result = faults > 0 ? failed(TestStep::Smi, ErrorCode::DriverFault,
                                     withAdvice(text + u'.', snapshot, {"gpu."_L1}))
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
        return failed(TestStep::Systemctl, absent ? ErrorCode::ToolMissing : ErrorCode::NoRights,
                      withAdvice(problem->text, snapshot, {"systemd."_L1, "section.units"_L1}));
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
                      withAdvice(u"Other users' processes are hidden from this account (hidepid)."_s, snapshot,
                                 {"host.hidepid"_L1}));
    }
    return done(TestStep::Rights,
                u"An ordinary account: it sees who runs what, not every detail of others' processes."_s);
}

int exitCodeOf(const QList<StepResult> &results)
{
    const auto first = std::ranges::find_if(results, [](const StepResult &result) { return result.code.has_value(); });
    return first == results.end() ? 0 : exitCodeOf(*first->code);
}

} // namespace pilothouse
