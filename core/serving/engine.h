// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The inference servers that we know how to ask, and what each wants to be asked. Pure, any thread. Sources:
// shared knowledge "Proof that the restart worked"; paths as the engines' own documentation has them.

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace pilothouse {

enum class Engine { Unknown, Vllm, Sglang, TrtLlm, Triton, Tgi, LlamaCpp, Ollama, ComfyUi };

/// "vLLM", for people; "the server" for an unknown one.
[[nodiscard]] QString nameOf(Engine engine);
/// Of a role of resources/rules/roles.txt: "vllm.server".
[[nodiscard]] Engine engineOfRole(const QString &role);

struct EngineManners
{
    quint16 port = 8000;         ///< where it listens when nobody says
    QByteArray health = "/health"; ///< 200: ready
    QByteArray models = "/v1/models"; ///< lists what it serves; empty: cannot be asked
    QByteArray metrics = "/metrics";  ///< empty: has none
    quint16 metricsPort = 0;     ///< 0: the same
    bool needsGpu = true;        ///< without GPU memory it cannot be serving
    bool loadsLazily = false;    ///< the first request loads the model
    bool generates = true;       ///< text, a token at a time
};
[[nodiscard]] EngineManners mannersOf(Engine engine);

/// A request that makes it work, one token or the least that it does.
struct Generation
{
    QByteArray path;
    QByteArray body;
};
/// In the order in which they are tried: the next where a server has no such path or its model cannot do that.
[[nodiscard]] QList<Generation> generationsOf(Engine engine, const QString &model);
/// The body of a 200 answer proves work: a token, or an embedding where that was asked for.
[[nodiscard]] bool provesWork(const QByteArray &body);

/// What a list of models names: OpenAI's, TGI's /info, Ollama's; no value: it is none.
[[nodiscard]] std::optional<QStringList> modelsIn(const QByteArray &body);
/// `expected` is one of them: the same, its last part ("org/name" and "name"), or with Ollama's ":latest".
[[nodiscard]] bool isAmong(const QString &expected, const QStringList &models);

} // namespace pilothouse
