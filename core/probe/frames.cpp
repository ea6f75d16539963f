// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/frames.h"

#include "core/base/cleantext.h"

#include <algorithm>
#include <optional>

using namespace Qt::StringLiterals;

namespace pilothouse {

namespace {

constexpr qsizetype headerLimit = 256;
constexpr qsizetype noiseLineLimit = 4096;
constexpr qsizetype sectionLimit = 64;
constexpr char tag[] = "@PH ";

std::optional<qint64> wholeNumber(QByteArrayView word)
{
    if (word.isEmpty() || word.size() > 15)
        return std::nullopt;
    qint64 value = 0;
    for (const char c : word) {
        if (c < '0' || c > '9')
            return std::nullopt;
        value = value * 10 + (c - '0');
    }
    return value;
}

std::optional<int> statusNumber(QByteArrayView word)
{
    const bool negative = word.startsWith('-');
    const auto value = wholeNumber(negative ? word.sliced(1) : word);
    if (!value || *value > 99'999)
        return std::nullopt;
    return static_cast<int>(negative ? -*value : *value);
}

/// "123.45"; the fraction may be missing.
std::optional<double> uptimeOf(QByteArrayView word)
{
    const qsizetype dot = word.indexOf('.');
    const auto whole = wholeNumber(dot < 0 ? word : word.first(dot));
    if (!whole)
        return std::nullopt;
    if (dot < 0)
        return static_cast<double>(*whole);
    const QByteArrayView digits = word.sliced(dot + 1);
    const auto fraction = wholeNumber(digits);
    if (!fraction || digits.size() > 6)
        return std::nullopt;
    double scale = 1;
    for (qsizetype i = 0; i < digits.size(); ++i)
        scale *= 10;
    return static_cast<double>(*whole) + static_cast<double>(*fraction) / scale;
}

bool isSectionName(QByteArrayView word)
{
    return !word.isEmpty() && word.size() <= 24
           && std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

tl::unexpected<Error> malformed(const QString &what)
{
    return fail(ErrorCode::AnswerMalformed, what);
}

} // namespace

const Frame *ProbeAnswer::find(QByteArrayView name) const
{
    const auto found =
        std::ranges::find_if(frames, [name](const Frame &frame) { return frame.name == name; });
    return found == frames.end() || !found->complete ? nullptr : &*found;
}

void FrameDecoder::expectStage(const QByteArray &nonce)
{
    m_stageNonce = nonce;
    m_noise.clear();
    m_noiseBytes = 0;
    m_state = State::Stage;
}

void FrameDecoder::expectAnswer(const QByteArray &nonce, quint64 tick)
{
    m_answer = {};
    m_answer.nonce = nonce;
    m_answer.tick = tick;
    m_noiseBytes = 0;
    if (tick != 0)
        m_noise.clear(); // what came before READY stays: it is the login's noise
    m_state = State::Begin;
}

Result<FrameDecoder::Event> FrameDecoder::feed(QByteArrayView bytes)
{
    m_buffer.append(bytes);
    while (true) {
        bool progress = false;
        const Result<Event> event = step(progress);
        if (!event || *event != Event::NeedMore || !progress)
            return event;
    }
}

Result<FrameDecoder::Event> FrameDecoder::step(bool &progress)
{
    switch (m_state) {
    case State::Idle:
        if (const auto kept = addNoise(QByteArrayView(m_buffer).sliced(m_start)); !kept)
            return fail(kept.error());
        consume(m_buffer.size() - m_start);
        return Event::NeedMore;
    case State::Stage:
    case State::Begin:
        return readNoiseLine(progress);
    case State::Header:
        return readHeader(progress);
    case State::Payload:
        return readPayload(progress);
    }
    return Event::NeedMore;
}

void FrameDecoder::consume(qsizetype count)
{
    m_start += count;
    if (m_start == m_buffer.size()) {
        m_buffer.clear();
        m_start = 0;
    } else if (m_start > 65536) {
        m_buffer.remove(0, m_start);
        m_start = 0;
    }
}

FrameDecoder::Words FrameDecoder::wordsOf(QByteArrayView line)
{
    Words words;
    while (true) {
        const qsizetype blank = line.indexOf(' ');
        words.append(blank < 0 ? line : line.first(blank));
        if (blank < 0)
            return words;
        line = line.sliced(blank + 1);
    }
}

Result<void> FrameDecoder::addNoise(QByteArrayView bytes)
{
    m_noiseBytes += bytes.size();
    if (m_noise.size() < noiseKept)
        m_noise.append(bytes.first(std::min(bytes.size(), noiseKept - m_noise.size())));
    if (m_noiseBytes > noiseLimit)
        return malformed(u"The host's shell prints without end where an answer was expected."_s);
    return {};
}

bool FrameDecoder::takeBegin(QByteArrayView line)
{
    const auto words = wordsOf(line);
    if (words.size() != 6 || words[2] != "BEGIN" || !isSectionName(words[4]))
        return false;
    const auto tick = wholeNumber(words[3]);
    const auto uptime = uptimeOf(words[5]);
    if (!tick || static_cast<quint64>(*tick) != m_answer.tick || !uptime)
        return false;
    m_answer.role = words[4].toByteArray();
    m_answer.uptimeBefore = *uptime;
    m_answer.bytes = line.size() + 1;
    return true;
}

Result<FrameDecoder::Event> FrameDecoder::readNoiseLine(bool &progress)
{
    const QByteArrayView rest = QByteArrayView(m_buffer).sliced(m_start);
    const qsizetype feedAt = rest.indexOf('\n');
    if (feedAt < 0 && rest.size() <= noiseLineLimit)
        return Event::NeedMore;
    progress = true;
    const qsizetype length = feedAt < 0 ? rest.size() : feedAt;
    QByteArrayView line = rest.first(length);
    const qsizetype taken = feedAt < 0 ? length : length + 1;
    if (m_state == State::Stage && line == QByteArray(QByteArray(tag) + "STAGE " + m_stageNonce)) {
        m_state = State::Idle;
        consume(taken);
        return Event::Staged;
    }
    if (m_state == State::Begin
        && line.startsWith(QByteArray(QByteArray(tag) + m_answer.nonce + ' '))) {
        if (!takeBegin(line))
            return malformed(u"The answer begins with a frame that cannot be read."_s);
        m_state = State::Header;
        consume(taken);
        return Event::NeedMore;
    }
    const bool blank = line.isEmpty() && m_noise.isEmpty();
    if (!blank) {
        if (const auto kept = addNoise(rest.first(taken)); !kept)
            return fail(kept.error());
    }
    consume(taken);
    return Event::NeedMore;
}

Result<FrameDecoder::Event> FrameDecoder::readHeader(bool &progress)
{
    const QByteArrayView rest = QByteArrayView(m_buffer).sliced(m_start);
    const qsizetype feedAt = rest.indexOf('\n');
    if (feedAt < 0 && rest.size() <= headerLimit)
        return Event::NeedMore;
    if (feedAt < 0 || feedAt > headerLimit)
        return malformed(u"A frame of the answer does not begin where the one before it said."_s);
    const auto words = wordsOf(rest.first(feedAt));
    if (words.size() < 3 || words[0] != "@PH" || words[1] != m_answer.nonce)
        return malformed(u"A frame of the answer does not begin where the one before it said."_s);
    progress = true;
    m_answer.bytes += feedAt + 1;
    const Result<Event> event = words[2] == "END" ? takeEnd(words) : takeSectionHeader(words);
    consume(feedAt + 1);
    return event;
}

Result<FrameDecoder::Event> FrameDecoder::takeEnd(const Words &words)
{
    const auto tick = words.size() == 6 ? wholeNumber(words[3]) : std::nullopt;
    const auto count = words.size() == 6 ? wholeNumber(words[4]) : std::nullopt;
    const auto uptime = words.size() == 6 ? uptimeOf(words[5]) : std::nullopt;
    if (!tick || !count || !uptime || static_cast<quint64>(*tick) != m_answer.tick)
        return malformed(u"The answer's last frame cannot be read."_s);
    if (*count != m_answer.frames.size())
        return malformed(
            u"The answer says %1 sections and has %2."_s.arg(*count).arg(m_answer.frames.size()));
    m_answer.uptimeAfter = *uptime;
    m_answer.complete = true;
    m_state = State::Idle;
    return Event::Answered;
}

Result<FrameDecoder::Event> FrameDecoder::takeSectionHeader(const Words &words)
{
    if (words.size() != 9 || words[2] != "SECTION" || !isSectionName(words[3]))
        return malformed(u"A frame of the answer cannot be read."_s);
    const auto status = statusNumber(words[4]);
    const auto startedAt = uptimeOf(words[5]);
    const auto endedAt = uptimeOf(words[6]);
    const auto outputBytes = wholeNumber(words[7]);
    const auto errorBytes = wholeNumber(words[8]);
    if (!status || !startedAt || !endedAt || !outputBytes || !errorBytes)
        return malformed(u"A frame of the answer cannot be read."_s);
    if (m_answer.find(words[3]))
        return malformed(u"The section %1 came twice."_s.arg(cleanLine(words[3], 24)));
    if (m_answer.frames.size() >= sectionLimit)
        return malformed(u"The answer has too many sections."_s);
    if (*outputBytes > sizeLimit || *errorBytes > sizeLimit
        || m_answer.bytes + *outputBytes + *errorBytes > sizeLimit)
        return fail(ErrorCode::AnswerTooLarge,
                    u"The section %1 would make the answer larger than 8 MiB."_s.arg(cleanLine(words[3], 24)));
    m_answer.frames.append({words[3].toByteArray(), *status, *startedAt, *endedAt, {}, {}, false});
    m_outputBytes = *outputBytes;
    m_errorBytes = *errorBytes;
    m_state = State::Payload;
    return Event::NeedMore;
}

Result<FrameDecoder::Event> FrameDecoder::readPayload(bool &progress)
{
    const QByteArrayView rest = QByteArrayView(m_buffer).sliced(m_start);
    const qsizetype length = m_outputBytes + m_errorBytes;
    if (rest.size() < length + 1)
        return Event::NeedMore;
    if (rest[length] != '\n')
        return malformed(u"A section of the answer is longer than it says."_s);
    progress = true;
    Frame &frame = m_answer.frames.last();
    frame.output = rest.first(m_outputBytes).toByteArray();
    frame.errors = rest.sliced(m_outputBytes, m_errorBytes).toByteArray();
    frame.complete = true;
    m_answer.bytes += length + 1;
    m_state = State::Header;
    consume(length + 1);
    return Event::NeedMore;
}

} // namespace pilothouse
