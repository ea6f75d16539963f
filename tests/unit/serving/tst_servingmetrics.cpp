// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/servingwatch.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

/// What /metrics says, and what follows from it while it is watched. Texts composed in the engines' forms.
class TstServingMetrics final : public QObject
{
    Q_OBJECT
private slots:
    void engines_areRead_data();
    void engines_areRead();
    void badFigures_areUnknown_data();
    void badFigures_areUnknown();
    void frozenCounters_areStuckAfterAMinute();
    void slowAnswers_withAdvancingCountersAreBusy();
    void gap_beginsAnew();
    void restart_beginsAnew();
    void nothingRunning_isIdleForever();
    void unreadable_isUnknownNeverIdle();

private:
    static ServingMetrics metrics(double running, double generated, double waiting = 0)
    {
        ServingMetrics metrics;
        metrics.running = running;
        metrics.waiting = waiting;
        metrics.generated = generated;
        return metrics;
    }
};

void TstServingMetrics::engines_areRead_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<double>("running");
    QTest::addColumn<double>("waiting");
    QTest::addColumn<double>("generated");
    QTest::newRow("vllm") << QByteArray("# TYPE vllm:num_requests_running gauge\n"
                                        "vllm:num_requests_running{engine=\"0\",model_name=\"a } b\"} 30.0\n"
                                        "vllm:num_requests_running{engine=\"1\",model_name=\"a\\\"\"} 7.0\n"
                                        "vllm:num_requests_waiting{engine=\"0\"} 4.0\n"
                                        "vllm:generation_tokens_total{engine=\"0\"} 1.2e+06\n")
                          << 37.0 << 4.0 << 1.2e6;
    QTest::newRow("sglang") << QByteArray("sglang:num_running_reqs{m=\"x\"} 2\nsglang:num_queue_reqs{m=\"x\"} 1 17\n"
                                          "sglang:generation_tokens_total{m=\"x\"} 5\n") << 2.0 << 1.0 << 5.0;
    QTest::newRow("tgi") << QByteArray("tgi_batch_current_size 3\ntgi_queue_size 2\n"
                                       "tgi_request_generated_tokens_sum 99\n") << 3.0 << 2.0 << 99.0;
    QTest::newRow("llama.cpp") << QByteArray("llamacpp:requests_processing 1\r\nllamacpp:requests_deferred 0\r\n"
                                             "llamacpp:tokens_predicted_total 12\r\n") << 1.0 << 0.0 << 12.0;
    QTest::newRow("trtllm") << QByteArray(R"([{"iter":7,"numActiveRequests":1,"numQueuedRequests":0},
        {"iter":8,"numActiveRequests":2,"numQueuedRequests":3}])") << 2.0 << 3.0 << 8.0;
}

void TstServingMetrics::engines_areRead()
{
    QFETCH(QByteArray, text);
    QFETCH(double, running);
    QFETCH(double, waiting);
    QFETCH(double, generated);
    const ServingMetrics metrics = readMetrics(text);
    QCOMPARE(metrics.running.valueOr(-1), running);
    QCOMPARE(metrics.waiting.valueOr(-1), waiting);
    QCOMPARE(metrics.generated.valueOr(-1), generated);
}

void TstServingMetrics::badFigures_areUnknown_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("nan") << QByteArray("vllm:num_requests_running NaN\n");
    QTest::newRow("infinite") << QByteArray("vllm:num_requests_running +Inf\n");
    QTest::newRow("negative") << QByteArray("vllm:num_requests_running -1\n");
    QTest::newRow("no value") << QByteArray("vllm:num_requests_running\n");
    QTest::newRow("words") << QByteArray("vllm:num_requests_running many\n");
    QTest::newRow("one of two") << QByteArray("vllm:num_requests_running{a=\"1\"} 2\nvllm:num_requests_running NaN\n");
    QTest::newRow("open label") << QByteArray("vllm:num_requests_running{a=\"1 2\n");
    QTest::newRow("html") << QByteArray("<html>vllm:num_requests_running 3</html>");
    QTest::newRow("no iterations") << QByteArray("[]");
    QTest::newRow("broken json") << QByteArray("[{\"numActiveRequests\":");
    QTest::newRow("json words") << QByteArray(R"([{"numActiveRequests":"3"}])");
    QTest::newRow("beyond the limit") << QByteArray(1 << 20, '\n') + "vllm:num_requests_running 1\n";
}

void TstServingMetrics::badFigures_areUnknown()
{
    QFETCH(QByteArray, text);
    QVERIFY(!readMetrics(text).running.isKnown());
    QVERIFY(!readMetrics(text).atWork().isKnown());
}

void TstServingMetrics::frozenCounters_areStuckAfterAMinute()
{
    ServingWatch watch;
    QCOMPARE(watch.take(metrics(3, 100), 0), ServingWatch::State::Serving);
    for (qint64 now = 10'000; now < 60'000; now += 10'000)
        QCOMPARE(watch.take(metrics(3, 100), now), ServingWatch::State::Serving);
    QCOMPARE(watch.take(metrics(3, 100), 60'000), ServingWatch::State::Stuck);
    QVERIFY2(watch.words().contains(u"no counter has advanced for 60 s"_s), qPrintable(watch.words()));
    QCOMPARE(watch.take(metrics(3, 101), 70'000), ServingWatch::State::Serving);
}

void TstServingMetrics::slowAnswers_withAdvancingCountersAreBusy()
{
    ServingWatch watch;
    for (qint64 now = 0; now <= 300'000; now += 20'000)
        QCOMPARE(watch.take(metrics(3, double(now)), now, 9'000), ServingWatch::State::Busy);
    QCOMPARE(watch.take(metrics(3, 1e6, 4), 310'000, 10), ServingWatch::State::Busy);
    QCOMPARE(watch.take(metrics(3, 2e6), 320'000, 10), ServingWatch::State::Serving);
    QCOMPARE(watch.tokensPerSecond().valueOr(0), 100'000.0);
}

void TstServingMetrics::gap_beginsAnew()
{
    ServingWatch watch;
    watch.take(metrics(3, 100), 0);
    QCOMPARE(watch.take(metrics(3, 100), 300'000), ServingWatch::State::Serving);
    QCOMPARE(watch.take(metrics(3, 100), 320'000), ServingWatch::State::Serving);
}

void TstServingMetrics::restart_beginsAnew()
{
    ServingWatch watch;
    for (qint64 now = 0; now <= 50'000; now += 10'000)
        watch.take(metrics(3, 100), now);
    QCOMPARE(watch.take(metrics(1, 2), 60'000), ServingWatch::State::Serving);
    QVERIFY(!watch.tokensPerSecond().isKnown());
}

void TstServingMetrics::nothingRunning_isIdleForever()
{
    ServingWatch watch;
    for (qint64 now = 0; now <= 200'000; now += 20'000)
        QCOMPARE(watch.take(metrics(0, 100), now), ServingWatch::State::Idle);
}

void TstServingMetrics::unreadable_isUnknownNeverIdle()
{
    ServingWatch watch;
    watch.take(metrics(3, 100), 0);
    QCOMPARE(watch.take(ServingMetrics(), 1'000), ServingWatch::State::Unknown);
    QCOMPARE(watch.miss(2'000), ServingWatch::State::Unknown);
    ServingMetrics noCounter;
    noCounter.running = 2;
    QCOMPARE(watch.take(noCounter, 3'000), ServingWatch::State::Unknown);
}

PILOTHOUSE_TEST_MAIN(TstServingMetrics)
#include "tst_servingmetrics.moc"
