// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/kernellog.h"

#include "core/base/cleantext.h"
#include "core/probe/parse/busid.h"
#include "core/probe/parse/bytes.h"

#include <algorithm>
#include <array>
#include <optional>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostEvents = 2000;

struct Xid
{
    int first;
    int last;
    XidWeight weight;
    const char16_t *text;
};

constexpr std::array xids{
    Xid{13, 13, XidWeight::Application, u"graphics or compute engine exception"},
    Xid{31, 31, XidWeight::Application, u"illegal GPU memory access"},
    Xid{32, 32, XidWeight::Application, u"corrupted command stream"},
    Xid{43, 43, XidWeight::Application, u"an application made the GPU stop its channel"},
    Xid{45, 45, XidWeight::Note, u"channels cleaned up after a process ended"},
    Xid{46, 46, XidWeight::Reset, u"GPU stopped processing"},
    Xid{48, 48, XidWeight::Reset, u"uncorrectable double-bit memory error"},
    Xid{61, 61, XidWeight::Reboot, u"internal microcontroller breakpoint"},
    Xid{62, 62, XidWeight::Reset, u"internal microcontroller halt"},
    Xid{63, 63, XidWeight::Note, u"row remap recorded"},
    Xid{64, 64, XidWeight::Reset, u"row remap failed"},
    Xid{66, 67, XidWeight::Warning, u"register access violation by the driver"},
    Xid{69, 69, XidWeight::Application, u"graphics engine class error"},
    Xid{74, 74, XidWeight::Warning, u"NVLink error"},
    Xid{79, 79, XidWeight::Reboot, u"the GPU has fallen off the bus"},
    Xid{80, 80, XidWeight::Application, u"corrupted data sent to the GPU"},
    Xid{92, 93, XidWeight::Note, u"high rate of single-bit errors or infoROM wear"},
    Xid{94, 94, XidWeight::Application, u"contained memory error"},
    Xid{95, 95, XidWeight::Reset, u"uncontained memory error"},
    Xid{109, 109, XidWeight::Reset, u"context switch timeout"},
    Xid{110, 110, XidWeight::Reset, u"security fault"},
    Xid{119, 120, XidWeight::Reset, u"the GPU's system processor does not answer"},
    Xid{121, 121, XidWeight::Note, u"chip-to-chip link error"},
    Xid{136, 136, XidWeight::Reset, u"link training failed"},
    Xid{137, 137, XidWeight::Warning, u"NVLink privilege error"},
    Xid{140, 140, XidWeight::Reset, u"unrecovered memory error"},
    Xid{143, 143, XidWeight::Reset, u"the GPU cannot be initialised"},
    Xid{144, 150, XidWeight::Warning, u"NVLink error"},
    Xid{151, 151, XidWeight::Warning, u"key rotation failed"},
    Xid{154, 154, XidWeight::Warning, u"the driver changed its recovery action"},
    Xid{155, 156, XidWeight::Reset, u"NVLink or resource retirement"},
    Xid{157, 157, XidWeight::Note, u"resource retirement"},
    Xid{158, 158, XidWeight::Reset, u"GPU timeout"},
    Xid{160, 161, XidWeight::Note, u"channel retirement"},
    Xid{171, 172, XidWeight::Note, u"detail of an uncorrectable memory error"},
    Xid{174, 174, XidWeight::Note, u"a process was ended after a channel reset"},
};

struct Line
{
    QByteArrayView when;
    QByteArrayView message;
};

/// Process names stand inside messages and may hold a line feed: what follows it has no prefix, and is nobody's word.
std::optional<Line> split(QByteArrayView line)
{
    line = line.trimmed();
    if (line.startsWith('[')) {
        const qsizetype close = line.indexOf(']');
        if (close < 0 || !toDecimal(line.sliced(1, close - 1).trimmed()))
            return std::nullopt;
        return Line{line.sliced(1, close - 1).trimmed(), line.sliced(close + 1).trimmed()};
    }
    constexpr QByteArrayView marker = " kernel: ";
    const qsizetype at = line.indexOf(marker);
    const qsizetype blank = line.indexOf(' ');
    if (at < 0 || blank < 19 || blank > at || line.at(4) != '-' || line.at(10) != 'T')
        return std::nullopt;
    return Line{line.first(blank), line.sliced(at + marker.size())};
}

QByteArrayView digitsAt(QByteArrayView text)
{
    qsizetype end = 0;
    while (end < text.size() && text.at(end) >= '0' && text.at(end) <= '9')
        ++end;
    return text.first(end);
}

/// "pid=1234", "pid='1234'", "pid='<unknown>'"
qint64 pidOf(QByteArrayView text)
{
    const qsizetype at = text.indexOf("pid=");
    if (at < 0)
        return 0;
    QByteArrayView rest = text.sliced(at + 4);
    if (rest.startsWith('\''))
        rest = rest.sliced(1);
    return toInteger(digitsAt(rest)).value_or(0);
}

QString nameOf(QByteArrayView text)
{
    const qsizetype at = text.indexOf("name=");
    if (at < 0)
        return {};
    const QByteArrayView rest = text.sliced(at + 5);
    const qsizetype comma = rest.indexOf(',');
    return cleanLine(comma < 0 ? rest : rest.first(comma), 64);
}

KernelEvent eventOfKind(KernelEvent::Kind kind)
{
    KernelEvent event;
    event.kind = kind;
    return event;
}

/// "NVRM: Xid (PCI:0000:3b:00): 79, pid=…, name=…, text"
std::optional<KernelEvent> xidOf(QByteArrayView message, QByteArrayView marker, KernelEvent::Kind kind)
{
    const qsizetype at = message.indexOf(marker);
    const qsizetype close = at < 0 ? -1 : message.indexOf("): ", at);
    if (close < 0)
        return std::nullopt;
    const QByteArrayView device = message.sliced(at + marker.size(), close - at - marker.size());
    const QByteArrayView rest = message.sliced(close + 3);
    const auto number = toInteger(digitsAt(rest));
    if (!number || *number > 100'000)
        return std::nullopt;
    KernelEvent event = eventOfKind(kind);
    event.busId = normalBusId(device);
    event.number = int(*number);
    if (kind == KernelEvent::Kind::Xid) {
        event.pid = pidOf(rest);
        event.name = nameOf(rest);
    }
    return event;
}

/// "Killed process 1234 (python) …"
std::optional<KernelEvent> oomOf(QByteArrayView message)
{
    constexpr QByteArrayView marker = "illed process ";
    const bool oom = message.startsWith("Out of memory") || message.startsWith("Memory cgroup out of memory")
        || message.startsWith("Killed process ");
    const qsizetype at = message.indexOf(marker);
    if (!oom || at < 0)
        return std::nullopt;
    const QByteArrayView rest = message.sliced(at + marker.size());
    const QByteArrayView digits = digitsAt(rest);
    const auto pid = toInteger(digits);
    if (!pid)
        return std::nullopt;
    KernelEvent event = eventOfKind(KernelEvent::Kind::OomKill);
    event.pid = *pid;
    const qsizetype close = rest.indexOf(')');
    const qsizetype open = rest.indexOf('(');
    if (open >= 0 && close > open)
        event.name = cleanLine(rest.sliced(open + 1, close - open - 1), 64);
    return event;
}

/// "INFO: task nvidia-smi:1234 blocked for more than 120 seconds."
std::optional<KernelEvent> hungOf(QByteArrayView message)
{
    constexpr QByteArrayView head = "INFO: task ";
    const qsizetype tail = message.lastIndexOf(" blocked for more than ");
    if (!message.startsWith(head) || tail < head.size())
        return std::nullopt;
    const QByteArrayView task = message.sliced(head.size(), tail - head.size());
    const qsizetype colon = task.lastIndexOf(':');
    const QByteArrayView digits = colon < 0 ? QByteArrayView() : task.sliced(colon + 1);
    const auto pid = toInteger(digits);
    if (!pid || digitsAt(digits).size() != digits.size()) // no sign: PIDs are positive
        return std::nullopt;
    KernelEvent event = eventOfKind(KernelEvent::Kind::HungTask);
    event.pid = *pid;
    event.name = cleanLine(task.first(colon), 64);
    return event;
}

std::optional<KernelEvent> eventOf(QByteArrayView message)
{
    if (message.startsWith("NVRM: Xid ("))
        return xidOf(message, "NVRM: Xid (", KernelEvent::Kind::Xid);
    if (message.startsWith("nvidia-nvswitch"))
        return xidOf(message, "SXid (", KernelEvent::Kind::SXid);
    if (message.startsWith("NVRM: ") && message.contains("fallen off the bus")) {
        KernelEvent event = eventOfKind(KernelEvent::Kind::OffTheBus);
        event.busId = busIdIn(message);
        return event;
    }
    if (auto oom = oomOf(message))
        return oom;
    return hungOf(message);
}

} // namespace

QList<KernelEvent> parseKernelLog(QByteArrayView log)
{
    QList<KernelEvent> events;
    for (const QByteArrayView raw : linesOf(log)) {
        const auto line = split(raw);
        auto event = line ? eventOf(line->message) : std::nullopt;
        if (!event)
            continue;
        event->when = cleanLine(line->when, 40);
        event->text = cleanLine(line->message, 300);
        if (events.size() >= mostEvents)
            events.removeFirst();
        events += std::move(*event);
    }
    return events;
}

XidMeaning meaningOfXid(int number)
{
    const auto found = std::find_if(xids.begin(), xids.end(),
        [&](const Xid &xid) { return number >= xid.first && number <= xid.last; });
    return found == xids.end() ? XidMeaning{} : XidMeaning{found->weight, QString::fromUtf16(found->text)};
}

} // namespace pilothouse
