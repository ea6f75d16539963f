// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/verdicttext.h"

#include <QCoreApplication>
#include <QHash>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

struct Tr
{
    Q_DECLARE_TR_FUNCTIONS(Verdict)
};

} // namespace

QString textOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Unknown: return Tr::tr("unknown");
    case Verdict::Serving: return Tr::tr("serving");
    case Verdict::Starting: return Tr::tr("starting");
    case Verdict::InUse: return Tr::tr("in use");
    case Verdict::Leftover: return Tr::tr("leftover");
    case Verdict::Foreign: return Tr::tr("foreign");
    case Verdict::Helper: return Tr::tr("helper");
    case Verdict::Infrastructure: return Tr::tr("infrastructure");
    case Verdict::Exiting: return Tr::tr("exiting");
    case Verdict::Stuck: return Tr::tr("stuck");
    case Verdict::Gone: return Tr::tr("gone");
    }
    return {};
}

QString textOf(ProposedAction action)
{
    switch (action) {
    case ProposedAction::None: return {};
    case ProposedAction::Terminate: return Tr::tr("End it with its family: SIGTERM, after the grace SIGKILL.");
    case ProposedAction::Kill: return Tr::tr("End it with its family by SIGKILL; it takes no SIGTERM any more.");
    case ProposedAction::StopUnit: return Tr::tr("Stop its unit, which would start it again.");
    case ProposedAction::StopContainer: return Tr::tr("Stop its container; the runtime ends it.");
    case ProposedAction::AskOwner: return Tr::tr("Ask its owner.");
    case ProposedAction::Wait: return Tr::tr("Wait: it ends by itself.");
    case ProposedAction::Reboot: return Tr::tr("Reboot the host; nothing else ends it.");
    }
    return {};
}

QString engineText(const QString &role)
{
    static const QHash<QString, QString> engines{
        {u"vllm"_s, u"vLLM"_s},         {u"sglang"_s, u"SGLang"_s}, {u"trtllm"_s, u"TensorRT-LLM"_s},
        {u"tgi"_s, u"TGI"_s},           {u"ollama"_s, u"Ollama"_s}, {u"ray"_s, u"Ray"_s},
        {u"llamacpp"_s, u"llama.cpp"_s}, {u"mpi"_s, u"MPI"_s},      {u"python"_s, u"Python"_s},
        {u"triton"_s, u"Triton"_s},     {u"nvidia"_s, u"NVIDIA"_s}, {u"lmdeploy"_s, u"LMDeploy"_s},
        {u"comfyui"_s, u"ComfyUI"_s},   {u"torch"_s, u"PyTorch"_s}, {u"dynamo"_s, u"Dynamo"_s}};
    const QString engine = role.section(u'.', 0, 0);
    return engines.value(engine, engine);
}

QString roleText(const QString &role)
{
    const QString part = role.section(u'.', 1).replace(u'_', u' ');
    return part.isEmpty() ? engineText(role) : engineText(role) + u' ' + part;
}

} // namespace pilothouse
