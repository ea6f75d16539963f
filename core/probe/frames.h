// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Cuts what a probe shell prints into answers of framed sections (resources/probe/README.md). Pure
// and incremental: feed it bytes as they come. Trusts no count, holds at most the limit, and takes
// anything before an expected frame as noise. A value with state, no thread of its own.

#include "core/base/result.h"

#include <QByteArray>
#include <QByteArrayView>
#include <QList>
#include <QVarLengthArray>

namespace pilothouse {

struct Frame
{
    QByteArray name;
    int status = -1; ///< exit status of the command inside
    double startedAt = 0; ///< host uptime in seconds
    double endedAt = 0;
    QByteArray output;
    QByteArray errors;
    bool complete = false; ///< all its bytes came
};

struct ProbeAnswer
{
    QByteArray nonce;
    quint64 tick = 0;
    QByteArray role;
    double uptimeBefore = 0;
    double uptimeAfter = 0;
    QList<Frame> frames;
    bool complete = false; ///< its END came and agreed
    qint64 bytes = 0; ///< of the whole answer, headers included

    /// Null when the section did not come whole.
    [[nodiscard]] const Frame *find(QByteArrayView name) const;
};

class FrameDecoder
{
public:
    enum class Event { NeedMore, Staged, Answered };
    static constexpr qint64 sizeLimit = 8 * 1024 * 1024; ///< bytes of one answer
    static constexpr qsizetype noiseLimit = 256 * 1024; ///< bytes before an expected frame
    static constexpr qsizetype noiseKept = 2048;

    /// The line by which the login's shell says that it is about to become the probe's.
    void expectStage(const QByteArray &nonce);
    void expectAnswer(const QByteArray &nonce, quint64 tick);

    /// Takes bytes up to the next event; call again with nothing until it says NeedMore.
    /// Errors: AnswerMalformed, AnswerTooLarge. After an error the decoder is of no further use.
    [[nodiscard]] Result<Event> feed(QByteArrayView bytes);

    /// What has come of the expected answer so far, or the whole of it after Answered.
    [[nodiscard]] const ProbeAnswer &answer() const { return m_answer; }
    /// Beginning of what came before the last expected frame, raw.
    [[nodiscard]] const QByteArray &noise() const { return m_noise; }

private:
    enum class State { Idle, Stage, Begin, Header, Payload };
    using Words = QVarLengthArray<QByteArrayView, 10>;

    [[nodiscard]] Result<Event> step(bool &progress);
    [[nodiscard]] static Words wordsOf(QByteArrayView line);
    [[nodiscard]] Result<Event> readNoiseLine(bool &progress);
    [[nodiscard]] Result<Event> readHeader(bool &progress);
    [[nodiscard]] Result<Event> readPayload(bool &progress);
    [[nodiscard]] Result<Event> takeSectionHeader(const Words &words);
    [[nodiscard]] Result<Event> takeEnd(const Words &words);
    [[nodiscard]] Result<void> addNoise(QByteArrayView bytes);
    [[nodiscard]] bool takeBegin(QByteArrayView line);
    void consume(qsizetype count);

    State m_state = State::Idle;
    QByteArray m_stageNonce;
    QByteArray m_buffer;
    qsizetype m_start = 0; // of what is not yet consumed in m_buffer
    QByteArray m_noise;
    qsizetype m_noiseBytes = 0;
    ProbeAnswer m_answer;
    qsizetype m_outputBytes = 0; // of the section whose payload is awaited
    qsizetype m_errorBytes = 0;
};

} // namespace pilothouse
