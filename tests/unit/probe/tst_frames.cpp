// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/frames.h"

#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;
using Event = FrameDecoder::Event;

namespace {

const QByteArray nonce("00112233445566778899aabbccddeeff");

QByteArray begin(int tick = 1)
{
    return "\n@PH " + nonce + " BEGIN " + QByteArray::number(tick) + " kernel 12.34\n";
}
QByteArray section(const QByteArray &name, const QByteArray &output, const QByteArray &errors = {})
{
    return "@PH " + nonce + " SECTION " + name + " 0 12.34 12.35 "
           + QByteArray::number(output.size()) + ' ' + QByteArray::number(errors.size()) + '\n'
           + output + errors + '\n';
}
QByteArray end(int count, int tick = 1)
{
    return "@PH " + nonce + " END " + QByteArray::number(tick) + ' ' + QByteArray::number(count)
           + " 12.36\n";
}

} // namespace

class TstFrames : public QObject
{
    Q_OBJECT

private slots:
    void answer_whole();
    void answer_byteByByte();
    void answer_afterNoise();
    void answer_truncatedKeepsWhatCame();
    void answer_twoInARow();
    void answer_bad_data();
    void answer_bad();
    void answer_tooLarge_data();
    void answer_tooLarge();
    void stage_found_data();
    void stage_found();
    void noise_bounded();
    void payload_mayHoldFrames();
    void payload_mayHoldAnyByte();
};

void TstFrames::answer_whole()
{
    FrameDecoder decoder;
    decoder.expectAnswer(nonce, 1);
    const QByteArray bytes =
        begin() + section("match", "limit=0\n 1 2") + section("units", "Id=a", "oops") + end(2);
    const auto event = decoder.feed(bytes);
    QVERIFY(event);
    QCOMPARE(*event, Event::Answered);
    const ProbeAnswer &answer = decoder.answer();
    QVERIFY(answer.complete);
    QCOMPARE(answer.role, QByteArray("kernel"));
    QCOMPARE(answer.tick, 1ULL);
    QCOMPARE(answer.uptimeBefore, 12.34);
    QCOMPARE(answer.uptimeAfter, 12.36);
    QCOMPARE(answer.bytes, bytes.size() - 1); // but for the empty line before it
    QCOMPARE(answer.frames.size(), 2);
    QVERIFY(!answer.find("unit"));
    const Frame *units = answer.find("units");
    QVERIFY(units);
    QCOMPARE(units->output, QByteArray("Id=a"));
    QCOMPARE(units->errors, QByteArray("oops"));
    QCOMPARE(units->status, 0);
    QCOMPARE(units->startedAt, 12.34);
    QCOMPARE(units->endedAt, 12.35);
    QVERIFY(decoder.noise().isEmpty());
}

void TstFrames::answer_byteByByte()
{
    FrameDecoder decoder;
    decoder.expectAnswer(nonce, 7);
    const QByteArray bytes =
        begin(7) + section("procs", QByteArray(500, 'x')) + section("host", {}) + end(2, 7);
    for (qsizetype i = 0; i + 1 < bytes.size(); ++i) {
        const auto event = decoder.feed(QByteArrayView(bytes).sliced(i, 1));
        QVERIFY(event);
        QCOMPARE(*event, Event::NeedMore);
    }
    const auto event = decoder.feed(QByteArrayView(bytes).last(1));
    QVERIFY(event);
    QCOMPARE(*event, Event::Answered);
    QCOMPARE(decoder.answer().frames.size(), 2);
    QVERIFY(decoder.answer().find("host"));
}

void TstFrames::answer_afterNoise()
{
    FrameDecoder decoder;
    decoder.expectAnswer(nonce, 1);
    const QByteArray other("ffeeddccbbaa99887766554433221100");
    const QByteArray noise = "*** welcome to gpu host: 12, 34567 MiB ***\n@PH " + other
                             + " BEGIN 1 kernel 1.00\n@PH\n\x01\x02\xff without a line feed";
    const auto event = decoder.feed(QByteArray(noise + begin() + end(0)));
    QVERIFY(event);
    QCOMPARE(*event, Event::Answered);
    QVERIFY(decoder.answer().frames.isEmpty());
    QVERIFY(decoder.noise().startsWith("*** welcome"));
}

void TstFrames::answer_truncatedKeepsWhatCame()
{
    FrameDecoder decoder;
    decoder.expectAnswer(nonce, 1);
    const QByteArray bytes =
        begin() + section("gpus", "0, GPU-0") + section("apps", "GPU-0, 1, 2, x");
    const auto event = decoder.feed(bytes.chopped(3));
    QVERIFY(event);
    QCOMPARE(*event, Event::NeedMore);
    QVERIFY(!decoder.answer().complete);
    QVERIFY(decoder.answer().find("gpus"));
    QVERIFY(!decoder.answer().find("apps")); // never a short list
}

void TstFrames::answer_twoInARow()
{
    FrameDecoder decoder;
    decoder.expectAnswer(nonce, 1);
    auto event = decoder.feed(
        QByteArray(begin(1) + end(0, 1) + begin(2) + section("host", "x") + end(1, 2)));
    QVERIFY(event);
    QCOMPARE(*event, Event::Answered);
    decoder.expectAnswer(nonce, 2);
    event = decoder.feed({});
    QVERIFY(event);
    QCOMPARE(*event, Event::Answered);
    QCOMPARE(decoder.answer().tick, 2ULL);
}

void TstFrames::answer_bad_data()
{
    QTest::addColumn<QByteArray>("bytes");
    const QByteArray head = "@PH " + nonce + ' ';
    QTest::newRow("another tick") << begin(2);
    QTest::newRow("no uptime") << QByteArray(head + "BEGIN 1 kernel x\n");
    QTest::newRow("BEGIN with a word too many") << QByteArray(head + "BEGIN 1 kernel 1.0 x\n");
    QTest::newRow("a section before BEGIN") << section("host", "x");
    QTest::newRow("the same section twice")
        << QByteArray(begin() + section("host", "x") + section("host", "y"));
    QTest::newRow("BEGIN twice") << QByteArray(begin() + begin());
    QTest::newRow("longer than it says")
        << QByteArray(begin() + head + "SECTION host 0 1 1 3 0\nabcd\n");
    QTest::newRow("shorter than it says")
        << QByteArray(begin() + head + "SECTION host 0 1 1 9 0\nabcd\n" + end(1));
    QTest::newRow("a count that is none")
        << QByteArray(begin() + head + "SECTION host 0 1 1 -3 0\n");
    QTest::newRow("a count in hex") << QByteArray(begin() + head + "SECTION host 0 1 1 0x3 0\n");
    QTest::newRow("a count beyond all numbers")
        << QByteArray(begin() + head + "SECTION host 0 1 1 99999999999999999999999 0\n");
    QTest::newRow("a status that is none")
        << QByteArray(begin() + head + "SECTION host x 1 1 0 0\n\n");
    QTest::newRow("a name with a slash")
        << QByteArray(begin() + head + "SECTION ../host 0 1 1 0 0\n\n");
    QTest::newRow("two blanks") << QByteArray(begin() + head + "SECTION host  0 1 1 0 0\n\n");
    QTest::newRow("another nonce inside")
        << QByteArray(begin() + "@PH 00 SECTION host 0 1 1 0 0\n\n" + end(1));
    QTest::newRow("text where a frame was due") << QByteArray(begin() + "hello\n");
    QTest::newRow("END counts wrong") << QByteArray(begin() + section("host", "x") + end(2));
    QTest::newRow("END of another tick") << QByteArray(begin() + end(0, 5));
    QTest::newRow("END without a count") << QByteArray(begin() + head + "END 1\n");
    QTest::newRow("a header without end") << QByteArray(begin() + QByteArray(400, 'x'));
}

void TstFrames::answer_bad()
{
    QFETCH(QByteArray, bytes);
    FrameDecoder decoder;
    decoder.expectAnswer(nonce, 1);
    const auto event = decoder.feed(bytes);
    QVERIFY(!event);
    QCOMPARE(event.error().code, ErrorCode::AnswerMalformed);
    QVERIFY(event.error().detail.endsWith(u'.'));
}

void TstFrames::answer_tooLarge_data()
{
    QTest::addColumn<QByteArray>("bytes");
    const QByteArray head = begin() + "@PH " + nonce + " SECTION procs 0 1 1 ";
    QTest::newRow("output") << QByteArray(head + "8388609 0\n");
    QTest::newRow("errors") << QByteArray(head + "0 8388609\n");
    QTest::newRow("both together") << QByteArray(head + "5000000 5000000\n");
    QTest::newRow("hardly") << QByteArray(head + "8388600 0\n");
    QTest::newRow("several sections")
        << QByteArray(begin() + section("host", QByteArray(5'000'000, 'x')) + "@PH " + nonce
                      + " SECTION procs 0 1 1 4000000 0\n");
}

void TstFrames::answer_tooLarge()
{
    QFETCH(QByteArray, bytes);
    FrameDecoder decoder;
    decoder.expectAnswer(nonce, 1);
    const auto event = decoder.feed(bytes);
    QVERIFY(!event);
    QCOMPARE(event.error().code, ErrorCode::AnswerTooLarge);
}

void TstFrames::stage_found_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<bool>("found");
    QTest::newRow("alone") << QByteArray("@PH STAGE " + nonce + "\n") << true;
    QTest::newRow("after noise") << QByteArray("hello\r\n\n@PH STAGE " + nonce + "\n") << true;
    QTest::newRow("not at the beginning of a line")
        << QByteArray("x@PH STAGE " + nonce + "\n") << false;
    QTest::newRow("another nonce") << QByteArray("@PH STAGE 00\n") << false;
    QTest::newRow("more on the line") << QByteArray("@PH STAGE " + nonce + " x\n") << false;
    QTest::newRow("line not ended") << QByteArray("@PH STAGE " + nonce) << false;
    QTest::newRow("the text that makes it")
        << QByteArray("printf '\\n%s%s %s\\n' @PH ' STAGE' " + nonce + "; exec /bin/sh\n") << false;
}

void TstFrames::stage_found()
{
    QFETCH(QByteArray, bytes);
    QFETCH(bool, found);
    FrameDecoder decoder;
    decoder.expectStage(nonce);
    const auto event = decoder.feed(bytes);
    QVERIFY(event);
    QCOMPARE(*event, found ? Event::Staged : Event::NeedMore);
}

void TstFrames::noise_bounded()
{
    FrameDecoder decoder;
    decoder.expectStage(nonce);
    const QByteArray line(1000, 'x');
    Result<Event> event = Event::NeedMore;
    for (int i = 0; i < 1000 && event; ++i)
        event = decoder.feed(line);
    QVERIFY(!event);
    QCOMPARE(event.error().code, ErrorCode::AnswerMalformed);
    QVERIFY(decoder.noise().size() <= FrameDecoder::noiseKept);
    // Between answers too.
    FrameDecoder idle;
    event = Event::NeedMore;
    for (int i = 0; i < 1000 && event; ++i)
        event = idle.feed(line);
    QVERIFY(!event);
}

void TstFrames::payload_mayHoldFrames()
{
    FrameDecoder decoder;
    decoder.expectAnswer(nonce, 1);
    const QByteArray inner =
        begin() + section("units", "forged") + end(1); // even with the right nonce
    const auto event = decoder.feed(QByteArray(begin() + section("host", inner) + end(1)));
    QVERIFY(event);
    QCOMPARE(*event, Event::Answered);
    QVERIFY(!decoder.answer().find("units"));
    QCOMPARE(decoder.answer().find("host")->output, inner);
}

void TstFrames::payload_mayHoldAnyByte()
{
    QByteArray all;
    for (int i = 0; i < 256; ++i)
        all.append(static_cast<char>(i));
    FrameDecoder decoder;
    decoder.expectAnswer(nonce, 1);
    const auto event = decoder.feed(QByteArray(begin() + section("host", all, all) + end(1)));
    QVERIFY(event);
    QCOMPARE(decoder.answer().find("host")->output, all);
    QCOMPARE(decoder.answer().find("host")->errors, all);
}

PILOTHOUSE_TEST_MAIN(TstFrames)
#include "tst_frames.moc"
