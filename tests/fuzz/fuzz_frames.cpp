// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a hostile host prints: cut into pieces of changing size, decoded, and made into a raw
// answer. The first byte chooses the sizes, the nonce is known to the fuzzer, "N" in a line
// beginning with "@PH N" stands for it.

#include "core/probe/answerbuilder.h"
#include "core/probe/frames.h"

#include <cstdint>

using namespace pilothouse;

namespace {

bool same(const HostAnswer &a, const HostAnswer &b)
{
    if (a.processes.has_value() != b.processes.has_value() || a.smi.askedFields != b.smi.askedFields)
        return false;
    QHash<qint64, RawProcess> theirs;
    for (const RawProcess &process : b.processes.value_or(QList<RawProcess>()))
        theirs.insert(process.pid, process);
    for (const RawProcess &mine : a.processes.value_or(QList<RawProcess>())) {
        const RawProcess process = theirs.value(mine.pid);
        if (mine.stat != process.stat || mine.cmdline != process.cmdline || mine.cgroup != process.cgroup
            || mine.uid != process.uid || mine.ruleMatch != process.ruleMatch)
            return false;
    }
    return theirs.size() == a.processes.value_or(QList<RawProcess>()).size();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size < 2)
        return 0;
    const QByteArray nonce("00112233445566778899aabbccddeeff");
    const qsizetype piece = 1 + data[0];
    QByteArray bytes(reinterpret_cast<const char *>(data + 1), static_cast<qsizetype>(size - 1));
    bytes.replace("@PH N ", QByteArray("@PH " + nonce + ' '));

    FrameDecoder decoder;
    decoder.expectStage(nonce);
    QList<ProbeAnswer> answers;
    quint64 tick = 0;
    for (qsizetype at = 0; at < bytes.size(); at += piece) {
        auto event =
            decoder.feed(QByteArrayView(bytes).sliced(at, std::min(piece, bytes.size() - at)));
        while (event && *event != FrameDecoder::Event::NeedMore) {
            if (*event == FrameDecoder::Event::Answered)
                answers.append(decoder.answer());
            decoder.expectAnswer(nonce, tick++);
            event = decoder.feed({});
        }
        if (!event)
            break;
    }
    answers.append(decoder.answer()); // what came of the last one

    HostFacts facts;
    if (const auto read = readFacts(answers.first()))
        facts = *read;
    QHash<qint64, QString> users;
    AnswerMemo memo;
    for (const ProbeAnswer &answer : answers) {
        TickAnswers given;
        given.kernel = answer;
        given.driver = answers.last();
        given.request.depth = Depth::Deep;
        given.request.units = {QStringLiteral("a.service")};
        const auto built = buildAnswer(facts, given, users);
        if (built && built->answer.bytes < 0)
            __builtin_trap();
        const auto remembered = buildAnswer(facts, given, users, memo);
        if (built.has_value() != remembered.has_value() || (built && !same(built->answer, remembered->answer)))
            __builtin_trap();
    }
    return 0;
}
