// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/metrics.h"

#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <cmath>

namespace pilothouse {

namespace {

constexpr qsizetype mostBytes = 1024 * 1024;
constexpr qsizetype mostLines = 50'000;

/// All series of one name: what counts adds up, a share is the greatest.
struct Series
{
    double sum = 0;
    double greatest = 0;
    bool isBroken = false; // one of them is no figure
};

/// Name and value of a sample line; the labels between them may hold anything in their quotes.
bool readSample(QByteArrayView line, QByteArrayView &name, double &value)
{
    qsizetype at = 0;
    while (at < line.size() && line[at] != '{' && line[at] != ' ' && line[at] != '\t')
        ++at;
    name = line.first(at);
    if (name.isEmpty() || at == line.size())
        return false;
    if (line[at] == '{') {
        bool quoted = false;
        for (++at; at < line.size() && (quoted || line[at] != '}'); ++at) {
            if (line[at] == '\\' && quoted)
                ++at;
            else if (line[at] == '"')
                quoted = !quoted;
        }
        if (at >= line.size())
            return false;
        ++at;
    }
    const QByteArrayView rest = line.sliced(at).trimmed(); // the value, and perhaps a time
    const qsizetype blank = rest.indexOf(' ');
    bool isNumber = false;
    value = rest.first(blank < 0 ? rest.size() : blank).toDouble(&isNumber);
    if (!isNumber)
        value = std::nan("");
    return !rest.isEmpty();
}

class Samples
{
public:
    explicit Samples(QByteArrayView text)
    {
        qsizetype from = 0;
        for (qsizetype lines = 0; from < text.size() && lines < mostLines; ++lines) {
            qsizetype end = text.indexOf('\n', from);
            if (end < 0)
                end = text.size();
            add(text.sliced(from, end - from).trimmed());
            from = end + 1;
        }
    }
    /// The first of the names that is there.
    [[nodiscard]] Quantity<double> sum(std::initializer_list<const char *> names) const
    {
        return figure(names, [](const Series &series) { return series.sum; });
    }
    [[nodiscard]] Quantity<double> share(std::initializer_list<const char *> names) const
    {
        const Quantity<double> share = figure(names, [](const Series &series) { return series.greatest; });
        return share.isKnown() && share.value() > 1 ? Quantity<double>::unknown(UnknownReason::Unparsable) : share;
    }

private:
    void add(QByteArrayView line)
    {
        QByteArrayView name;
        double value = 0;
        if (line.isEmpty() || line.startsWith('#') || !readSample(line, name, value))
            return;
        Series &series = m_series[name.toByteArray()];
        if (!std::isfinite(value) || value < 0) {
            series.isBroken = true;
            return;
        }
        series.sum += value;
        series.greatest = std::max(series.greatest, value);
    }
    template <class Read>
    [[nodiscard]] Quantity<double> figure(std::initializer_list<const char *> names, Read read) const
    {
        for (const char *name : names) {
            const auto at = m_series.constFind(QByteArray(name));
            if (at == m_series.cend())
                continue;
            const double value = read(*at);
            if (at->isBroken || !std::isfinite(value))
                return Quantity<double>::unknown(UnknownReason::Unparsable);
            return value;
        }
        return {};
    }

    QHash<QByteArray, Series> m_series;
};

Quantity<double> number(const QJsonValue &value)
{
    if (value.isUndefined())
        return {};
    if (!value.isDouble() || value.toDouble() < 0)
        return Quantity<double>::unknown(UnknownReason::Unparsable);
    return value.toDouble();
}

/// TensorRT-LLM: statistics of the iterations since they were last asked for; none says nothing of the present.
ServingMetrics readIterations(const QJsonArray &iterations)
{
    ServingMetrics metrics;
    if (iterations.isEmpty())
        return metrics;
    const QJsonObject last = iterations.last().toObject();
    metrics.running = number(last.value(u"numActiveRequests"));
    metrics.waiting = number(last.value(u"numQueuedRequests"));
    metrics.generated = number(last.value(u"iter"));
    const QJsonObject cache = last.value(u"kvCacheStats").toObject();
    const Quantity<double> used = number(cache.value(u"usedNumBlocks"));
    const Quantity<double> most = number(cache.value(u"maxNumBlocks"));
    if (used.isKnown() && most.isKnown() && most.value() > 0 && used.value() <= most.value())
        metrics.cacheUse = used.value() / most.value();
    return metrics;
}

} // namespace

Quantity<double> ServingMetrics::atWork() const
{
    if (!running.isKnown())
        return running;
    if (!waiting.isKnown())
        return waiting;
    return running.value() + waiting.value();
}

ServingMetrics readMetrics(QByteArrayView text)
{
    text = text.first(std::min(text.size(), mostBytes));
    if (text.trimmed().startsWith('['))
        return readIterations(QJsonDocument::fromJson(text.toByteArray()).array());
    const Samples samples(text);
    ServingMetrics metrics;
    metrics.running = samples.sum({"vllm:num_requests_running", "sglang:num_running_reqs", "tgi_batch_current_size",
                                   "llamacpp:requests_processing"});
    metrics.waiting = samples.sum({"vllm:num_requests_waiting", "sglang:num_queue_reqs", "tgi_queue_size",
                                   "llamacpp:requests_deferred", "nv_inference_pending_request_count"});
    metrics.generated = samples.sum({"vllm:generation_tokens_total", "sglang:generation_tokens_total",
                                     "tgi_request_generated_tokens_sum", "llamacpp:tokens_predicted_total",
                                     "nv_inference_exec_count"});
    metrics.prompts = samples.sum({"vllm:prompt_tokens_total", "sglang:prompt_tokens_total",
                                   "tgi_request_input_length_sum", "llamacpp:prompt_tokens_total"});
    metrics.finished = samples.sum({"vllm:request_success_total", "sglang:num_requests_total", "tgi_request_success",
                                    "nv_inference_request_success"});
    metrics.cacheUse = samples.share({"vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc", "sglang:token_usage",
                                      "llamacpp:kv_cache_usage_ratio"});
    return metrics;
}

} // namespace pilothouse
