// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The driver's list of processes against its cards: what is attributed, what is not, and what follows from that.

#include "core/base/cleantext.h"
#include "core/base/counted.h"
#include "core/probe/assembleparts.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;
using Kind = SmiMessage::Kind;

namespace {

constexpr double busyPct = 95; // what a stuck reading shows is 99 or 100

/// The row's card, by its uuid, that of a slice, or because there is but one.
bool isOn(const Gpu &gpu, const QString &uuid, bool onlyCard, bool onlyMig)
{
    if (uuid.isEmpty())
        return onlyCard;
    const auto isSlice = [&](const MigDevice &device) { return device.uuid == uuid; };
    return gpu.uuid == uuid || std::any_of(gpu.migDevices.begin(), gpu.migDevices.end(), isSlice)
        || (uuid.startsWith("MIG-"_L1) && onlyMig && gpu.mig.valueOr(false));
}

struct OnCard
{
    qint64 mib = 0;
    int rows = 0;
    std::optional<UnknownReason> unknown; ///< why the sum is none
};

OnCard onCard(const AssembleContext &c, const Gpu &gpu)
{
    const QList<Gpu> &gpus = *c.snapshot.gpus;
    const bool onlyCard = gpus.size() == 1;
    const bool onlyMig =
        std::count_if(gpus.begin(), gpus.end(), [](const Gpu &g) { return g.mig.valueOr(false); }) == 1;
    const auto here = [&](const QString &uuid) { return isOn(gpu, uuid, onlyCard, onlyMig); };
    OnCard sum;
    const auto count = [&](const QString &uuid, const Quantity<qint64> &mib) {
        if (!here(uuid))
            return;
        ++sum.rows;
        if (mib.isKnown())
            sum.mib += mib.value();
        else
            sum.unknown = mib.reason();
    };
    for (const SmiApp &app : c.apps.apps)
        count(app.gpuUuid, app.mib);
    for (const SmiHiddenApp &app : c.apps.hidden)
        count(app.gpuUuid, app.mib);
    const auto mayBeHere = [&](const QString &uuid) { return uuid.isEmpty() || here(uuid); };
    if (std::any_of(c.apps.unreadableOn.begin(), c.apps.unreadableOn.end(), mayBeHere))
        sum.unknown = UnknownReason::Unparsable;
    if (std::any_of(c.apps.listNotSupported.begin(), c.apps.listNotSupported.end(), here))
        sum.unknown = UnknownReason::NotSupported;
    return sum;
}

void attribute(const AssembleContext &c, Gpu &gpu, const OnCard &sum)
{
    if (!gpu.fault.isEmpty())
        return; // tainted: no figure of its memory counts
    if (!c.appsKnown) {
        gpu.attributedMib = gpu.unattributedMib = Quantity<qint64>::unknown(UnknownReason::Failed);
        return;
    }
    gpu.attributedMib = sum.unknown ? Quantity<qint64>::unknown(*sum.unknown) : Quantity<qint64>(sum.mib);
    if (!gpu.attributedMib.isKnown())
        gpu.unattributedMib = gpu.attributedMib;
    else if (!gpu.memoryUsedMib.isKnown())
        gpu.unattributedMib = Quantity<qint64>::unknown(gpu.memoryUsedMib.reason(), gpu.memoryUsedMib.word());
    else // every cell is a reading of its own: the sum may run ahead of the card
        gpu.unattributedMib = std::max<qint64>(0, gpu.memoryUsedMib.value() - sum.mib);
}

QString keyOf(const Gpu &gpu)
{
    return gpu.uuid.isEmpty() ? gpu.busId : gpu.uuid;
}

void nameBusy(AssembleContext &c, const QSet<QString> &before, const Gpu &gpu)
{
    if (!before.contains(keyOf(gpu)))
        return; // one sample proves nothing: the figure is a trailing window
    c.add(u"gpu.busy_unexplained"_s, u"GPU "_s + QString::number(gpu.index)
            + u" reports full load although no process is listed on it."_s, gpu.index);
}

void nameApps(AssembleContext &c)
{
    if (c.apps.unreadableRows > 0) {
        c.add(u"smi.apps_failed"_s, counted(c.apps.unreadableRows, "row"_L1)
                + u" of nvidia-smi's process list could not be read."_s);
    }
    if (!c.apps.listNotSupported.isEmpty())
        c.add(u"gpu.process_list_unsupported"_s, u"The process list is not available on this card."_s);
    const bool mps = std::any_of(c.apps.apps.begin(), c.apps.apps.end(), [](const SmiApp &app) {
        return app.name.contains("nvidia-cuda-mps-server"_L1) // nearly never: then the exact look
            && app.name.section(u'/', -1).section(u' ', 0, 0) == "nvidia-cuda-mps-server"_L1;
    });
    if (mps)
        c.add(u"gpu.mps"_s, u"An MPS server shares GPU memory among its clients."_s);
}

} // namespace

void assembleApps(AssembleContext &c)
{
    const RawSection &section = c.answer.smi.apps;
    if (!section.usable()) {
        if (section.asked && c.answer.smi.status == GpuSource::Status::Ok)
            c.add(u"smi.apps_failed"_s, u"The driver's process list could not be read: "_s + sentence(section.trouble));
        return;
    }
    ReadMemo &memo = c.memory.read;
    if (memo.appRows.isEmpty() || memo.appRows != section.output || !section.errors.isEmpty()) {
        memo.appRows = section.errors.isEmpty() ? section.output : QByteArray();
        memo.apps = parseSmiApps(smiAppFields(), section.output, section.errors);
    }
    c.apps = memo.apps;
    const auto failure = std::find_if(c.apps.messages.begin(), c.apps.messages.end(),
        [](const SmiMessage &message) { return message.isWholeFailure() || message.kind == Kind::DeviceHandle; });
    const bool anyRow = !c.apps.apps.isEmpty() || !c.apps.hidden.isEmpty() || !c.apps.listNotSupported.isEmpty();
    const bool none = std::any_of(c.apps.messages.begin(), c.apps.messages.end(),
        [](const SmiMessage &m) { return m.kind == Kind::NoDevices || m.kind == Kind::NothingRunning; });
    // Nothing printed and code 0 is what an idle host says; another code, or prose alone, is not.
    const bool idle = section.exitStatus == 0 && c.apps.ignoredLines == 0;
    c.appsKnown = failure == c.apps.messages.end() ? (anyRow || none || idle) : anyRow;
    if (!c.appsKnown && c.snapshot.gpuSource.status == GpuSource::Status::Ok) {
        const QString why = failure != c.apps.messages.end() ? failure->text
            : section.exitStatus != 0                        ? u"exit code "_s + QString::number(section.exitStatus)
                                                             : u"nothing that it prints is a row"_s;
        c.add(u"smi.apps_failed"_s, u"The driver's process list could not be read: "_s + sentence(why));
    }
    nameApps(c);
}

void assembleAttribution(AssembleContext &c)
{
    const QSet<QString> before = std::exchange(c.memory.busyWithoutProcess, {});
    if (!c.snapshot.gpus)
        return;
    int onCards = 0;
    bool asleep = false;
    for (Gpu &gpu : *c.snapshot.gpus) {
        const OnCard sum = onCard(c, gpu);
        attribute(c, gpu, sum);
        const bool empty = c.appsKnown && sum.rows == 0 && !sum.unknown;
        onCards += empty ? 0 : 1;
        asleep = asleep || (gpu.persistence.isKnown() && !gpu.persistence.value());
        if (empty && gpu.utilizationPct.valueOr(0) >= busyPct && !keyOf(gpu).isEmpty()) {
            c.memory.busyWithoutProcess.insert(keyOf(gpu));
            nameBusy(c, before, gpu);
        }
    }
    if (asleep && onCards == 0 && c.appsKnown) {
        c.add(
            u"gpu.polling_wakes"_s,
            u"Persistence mode is off and nothing runs on the GPUs: each look wakes them, so they are asked less often."_s);
    }
}

} // namespace pilothouse
