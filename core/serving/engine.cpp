// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/engine.h"

#include "core/base/cleantext.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostModels = 1000;

QByteArray json(const QJsonObject &object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

QStringView lastPart(QStringView name)
{
    return name.sliced(name.lastIndexOf(u'/') + 1);
}

bool hasNumbers(const QJsonValue &value)
{
    // An array of numbers, or of arrays of them.
    const QJsonValue first = value.toArray().at(0);
    return first.isDouble() || first.toArray().at(0).isDouble();
}

} // namespace

QString nameOf(Engine engine)
{
    switch (engine) {
    case Engine::Unknown:
        break;
    case Engine::Vllm:
        return u"vLLM"_s;
    case Engine::Sglang:
        return u"SGLang"_s;
    case Engine::TrtLlm:
        return u"TensorRT-LLM"_s;
    case Engine::Triton:
        return u"Triton"_s;
    case Engine::Tgi:
        return u"TGI"_s;
    case Engine::LlamaCpp:
        return u"llama.cpp"_s;
    case Engine::Ollama:
        return u"Ollama"_s;
    case Engine::ComfyUi:
        return u"ComfyUI"_s;
    }
    return u"the server"_s;
}

Engine engineOfRole(const QString &role)
{
    static const QHash<QString, Engine> engines{
        {u"vllm"_s, Engine::Vllm},         {u"sglang"_s, Engine::Sglang},  {u"trtllm"_s, Engine::TrtLlm},
        {u"triton"_s, Engine::Triton},     {u"tgi"_s, Engine::Tgi},        {u"llamacpp"_s, Engine::LlamaCpp},
        {u"ollama"_s, Engine::Ollama},     {u"comfyui"_s, Engine::ComfyUi},
    };
    return engines.value(role.section(u'.', 0, 0), Engine::Unknown);
}

EngineManners mannersOf(Engine engine)
{
    EngineManners manners;
    switch (engine) {
    case Engine::Unknown:
        manners.needsGpu = false;
        break;
    case Engine::Vllm:
    case Engine::TrtLlm:
        break;
    case Engine::Sglang:
        manners.port = 30000;
        break;
    case Engine::Triton:
        manners.health = "/v2/health/ready";
        manners.models.clear();
        manners.metricsPort = 8002;
        manners.needsGpu = false; // it also runs models on the CPU
        break;
    case Engine::Tgi:
        manners.port = 3000;
        manners.models = "/info";
        break;
    case Engine::LlamaCpp:
        manners.port = 8080;
        manners.needsGpu = false;
        break;
    case Engine::Ollama:
        manners.port = 11434;
        manners.health = "/api/version";
        manners.models = "/api/ps"; // what is loaded
        manners.metrics.clear();
        manners.needsGpu = false;
        manners.loadsLazily = true;
        break;
    case Engine::ComfyUi:
        manners.port = 8188;
        manners.health = "/system_stats";
        manners.models.clear();
        manners.metrics.clear();
        manners.needsGpu = false;
        manners.loadsLazily = true;
        manners.generates = false;
        break;
    }
    return manners;
}

QList<Generation> generationsOf(Engine engine, const QString &model)
{
    const QJsonArray question{QJsonObject{{u"role"_s, u"user"_s}, {u"content"_s, u"1"_s}}};
    const Generation completion{"/v1/completions", json({{u"model"_s, model}, {u"prompt"_s, u"1"_s},
                                                         {u"max_tokens"_s, 1}, {u"temperature"_s, 0}})};
    const Generation chat{"/v1/chat/completions",
                          json({{u"model"_s, model}, {u"messages"_s, question}, {u"max_tokens"_s, 1}})};
    const Generation embedding{"/v1/embeddings", json({{u"model"_s, model}, {u"input"_s, u"1"_s}})};
    switch (engine) {
    case Engine::Vllm:
    case Engine::Sglang:
    case Engine::TrtLlm:
    case Engine::Unknown:
        return {completion, chat, embedding};
    case Engine::Tgi:
        return {{"/generate", json({{u"inputs"_s, u"1"_s},
                                    {u"parameters"_s, QJsonObject{{u"max_new_tokens"_s, 1}}}})}};
    case Engine::LlamaCpp:
        return {{"/completion", json({{u"prompt"_s, u"1"_s}, {u"n_predict"_s, 1}})}, completion, embedding};
    case Engine::Triton:
        if (model.isEmpty())
            return {};
        return {{"/v2/models/" + model.toUtf8().toPercentEncoding() + "/generate",
                 json({{u"text_input"_s, u"1"_s}, {u"max_tokens"_s, 1}, {u"bad_words"_s, QString()},
                       {u"stop_words"_s, QString()}})}};
    case Engine::Ollama:
        return {{"/api/generate", json({{u"model"_s, model}, {u"prompt"_s, u"1"_s}, {u"stream"_s, false},
                                        {u"options"_s, QJsonObject{{u"num_predict"_s, 1}}}})}};
    case Engine::ComfyUi:
        break;
    }
    return {};
}

bool provesWork(const QByteArray &body)
{
    const QJsonObject answer = QJsonDocument::fromJson(body).object();
    // A token may be one that ends the text: the count says it, where there is one; else there must be a choice.
    for (const QJsonValue &count : {answer.value(u"usage").toObject().value(u"completion_tokens"),
                                    answer.value(u"tokens_predicted"), answer.value(u"eval_count")}) {
        if (count.isDouble())
            return count.toDouble() >= 1;
    }
    const QJsonObject choice = answer.value(u"choices").toArray().at(0).toObject();
    if (choice.value(u"text").isString() || choice.value(u"message").isObject())
        return true;
    for (const QStringView key : {u"generated_text", u"text_output", u"content", u"response"}) {
        if (!answer.value(key).toString().isEmpty())
            return true;
    }
    return hasNumbers(answer.value(u"data").toArray().at(0).toObject().value(u"embedding"))
        || hasNumbers(answer.value(u"embedding"));
}

std::optional<QStringList> modelsIn(const QByteArray &body)
{
    const QJsonDocument document = QJsonDocument::fromJson(body);
    if (!document.isObject())
        return std::nullopt;
    const QJsonObject answer = document.object();
    QStringList models;
    if (const QJsonValue id = answer.value(u"model_id"); id.isString())
        return QStringList{cleanLine(id.toString(), 200)};
    const bool openAi = answer.value(u"data").isArray();
    const QJsonValue list = openAi ? answer.value(u"data") : answer.value(u"models");
    if (!list.isArray())
        return std::nullopt;
    for (const QJsonValue &each : list.toArray()) {
        const QString name = each.toObject().value(openAi ? u"id"_s : u"name"_s).toString();
        if (!name.isEmpty() && models.size() < mostModels)
            models += cleanLine(name, 200);
    }
    return models;
}

bool isAmong(const QString &expected, const QStringList &models)
{
    return std::ranges::any_of(models, [&](const QString &model) {
        return model == expected || lastPart(model) == lastPart(expected) || model == expected + u":latest"_s;
    });
}

} // namespace pilothouse
