// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/servingproof.h"

#include "core/base/cleantext.h"
#include "core/base/counted.h"

#include <algorithm>

// What is asked next, and what answers over HTTP prove. What a snapshot proves: servingsteps.cpp.

namespace pilothouse {

using namespace Qt::StringLiterals;
using std::chrono::milliseconds;
using Outcome = HttpAnswer::Outcome;

namespace {

constexpr qint64 oldInvocationMs = 15'000; ///< that long a start may leave the one before alone
constexpr int unfinishedAnswers = 2;

/// It has no such path, or its model cannot do that: another request may fit.
bool isOtherRequestsTurn(int status)
{
    return status == 400 || status == 404 || status == 405 || status == 422 || status == 501;
}

/// The beginning of a body, for an error.
QString excerpt(const QByteArray &body)
{
    const QString text = cleanLine(QByteArrayView(body).trimmed(), 160);
    return text.isEmpty() ? u"nothing"_s : text;
}

} // namespace

ServingProof::ServingProof(ServingSetup setup)
    : m_setup(std::move(setup))
    , m_xidsBefore(m_setup.xidsBefore)
{
    for (int i = 0; i <= int(Name::Restarts); ++i)
        m_steps += ServingStep{Name(i), State::Pending, {}, {}, 0, 0};
}

void ServingProof::begin(qint64 nowMs)
{
    m_start = nowMs;
    set(Name::Unit, State::Running, u"is to become active"_s, nowMs);
}

qint64 ServingProof::runningFor(Name name, qint64 nowMs) const
{
    return step(name).state == State::Running ? nowMs - step(name).sinceMs : 0;
}

void ServingProof::set(Name name, State state, const QString &words, qint64 nowMs, QJsonObject data)
{
    ServingStep &step = m_steps[int(name)];
    if (step.state >= State::Done)
        return; // decided
    if (step.state == State::Pending)
        step.sinceMs = nowMs;
    step.state = state;
    step.words = words;
    if (!data.isEmpty())
        step.data = std::move(data);
    step.tookMs = nowMs - step.sinceMs;
}

void ServingProof::fail(Name name, const QString &words, qint64 nowMs, Verdict verdict)
{
    if (m_verdict != Verdict::Open)
        return;
    set(name, State::Failed, words, nowMs);
    m_verdict = verdict;
    m_verdictWords = words;
}

void ServingProof::giveUp(const QString &why, qint64 nowMs)
{
    if (m_verdict != Verdict::Open)
        return;
    const auto open = std::ranges::find_if(m_steps, [](const ServingStep &step) { return step.state < State::Done; });
    if (open == m_steps.end())
        return;
    const Name name = open->name == Name::Unit && !isOpen(Name::Port) ? Name::Health : open->name;
    const bool gone = m_answers && m_withoutMemory > 0 && mannersOf(m_endpoint.engine).needsGpu;
    QString words = why;
    if (!step(name).words.isEmpty())
        words += u" Last: "_s + step(name).words;
    if (gone)
        words += u" It answers, but no process of the unit holds GPU memory: the engine is gone."_s;
    fail(isOpen(name) ? name : open->name, words, nowMs, gone ? Verdict::EngineGone : Verdict::NotServing);
}

HttpRequest ServingProof::requestOf(Stage stage, qint64 nowMs) const
{
    HttpRequest request;
    switch (stage) {
    case Stage::Model:
        request = m_endpoint.ask(m_endpoint.models);
        break;
    case Stage::Available:
        request = m_endpoint.ask("/api/tags");
        break;
    case Stage::Token: {
        const Generation generation = generationsOf(m_endpoint.engine, m_model).value(m_generation);
        request = m_endpoint.ask(generation.path);
        request.body = generation.body;
        const milliseconds spent(runningFor(Name::Token, nowMs));
        request.limit = std::max(m_setup.limits.token - spent, milliseconds(1'000));
        break;
    }
    default:
        request = m_endpoint.ask(m_endpoint.health);
        break;
    }
    request.tls = request.tls != m_otherScheme;
    request.key = m_setup.key;
    return request;
}

ServingNeed ServingProof::next(qint64 nowMs) const
{
    if (m_verdict != Verdict::Open)
        return {ServingNeed::Kind::Over, {}, {}};
    const auto due = [&](const std::optional<qint64> &at, milliseconds every) {
        return !at || nowMs - *at >= every.count();
    };
    if (due(m_unitAt, m_setup.limits.look))
        return {ServingNeed::Kind::Unit, {}, {}};
    if (m_activeSince) {
        const bool needsHost = m_stage == Stage::Port || m_stage == Stage::Autopsy || m_stage == Stage::Memory;
        // While it loads the host is looked at too, but less often: what a deep look costs, the load pays.
        if (due(m_snapshotAt, needsHost ? m_setup.limits.look : 5 * m_setup.limits.look))
            return {ServingNeed::Kind::Snapshot, {}, {}};
        if (!needsHost && m_stage != Stage::Close && due(m_askedAt, m_setup.limits.pace))
            return {ServingNeed::Kind::Http, requestOf(m_stage, nowMs), {}};
    }
    return {ServingNeed::Kind::Wait, {}, std::min(m_setup.limits.pace, milliseconds(250))};
}

void ServingProof::miss(qint64 nowMs)
{
    // What was asked for is due again after its time; which of the three it was makes no difference.
    m_unitAt = m_unitAt ? m_unitAt : std::optional(nowMs);
    m_snapshotAt = nowMs;
    m_askedAt = nowMs;
    m_withoutMemory = 0;
}

void ServingProof::takeUnit(const ServingUnit &unit, qint64 nowMs)
{
    m_unitAt = nowMs;
    if (m_verdict != Verdict::Open)
        return;
    if (unit.active == u"failed") {
        fail(Name::Unit, u"The unit has failed (%1)."_s.arg(unit.result), nowMs);
        return;
    }
    if (unit.sub == u"auto-restart") {
        fail(Name::Unit, u"It has ended (%1), and systemd is about to start it again."_s.arg(unit.result), nowMs);
        return;
    }
    if (unit.active != u"active") {
        if (m_activeSince || unit.active == u"deactivating") {
            fail(Name::Unit, u"The unit is not active any more, but %1 (%2)."_s.arg(unit.active, unit.sub), nowMs);
            return;
        }
        const QString active = unit.active.isEmpty() ? u"its state is not told"_s : unit.active;
        set(Name::Unit, State::Running, u"%1 (%2)"_s.arg(active, unit.sub), nowMs);
        return;
    }
    if (!unit.invocation.isEmpty() && unit.invocation == m_setup.invocationBefore) {
        set(Name::Unit, State::Running, u"still the invocation from before the start"_s, nowMs);
        if (nowMs - m_start >= oldInvocationMs)
            fail(Name::Unit, u"The unit was not started anew: its invocation is the one from before."_s, nowMs);
        return;
    }
    if (m_invocationTold && !unit.invocation.isEmpty() && unit.invocation != m_invocation) {
        fail(Name::Unit, u"The unit was started again meanwhile, by Restart= or by somebody else."_s, nowMs);
        return;
    }
    if (unit.restarts) {
        if (!m_setup.restarts)
            m_setup.restarts = unit.restarts;
        if (*unit.restarts > *m_setup.restarts) {
            fail(Name::Restarts, u"systemd has restarted it (%1 since the start)."_s
                                     .arg(counted(*unit.restarts - *m_setup.restarts, "time"_L1)), nowMs);
            return;
        }
    }
    if (!m_activeSince)
        m_activeSince = nowMs;
    if (!unit.invocation.isEmpty()) {
        m_invocation = unit.invocation;
        m_invocationTold = true;
    }
    const qint64 held = nowMs - *m_activeSince;
    if (held < m_setup.limits.active.count())
        set(Name::Unit, State::Running, u"active for %1 s with one invocation"_s.arg(held / 1000), nowMs);
    else if (m_invocationTold)
        set(Name::Unit, State::Done, u"active with one invocation for %1 s"_s.arg(held / 1000), nowMs,
            {{u"invocation"_s, m_invocation}});
    else
        set(Name::Unit, State::Unproved, u"active for %1 s; its invocation is not told"_s.arg(held / 1000), nowMs);
    settle(nowMs);
}

void ServingProof::takeAnswer(const HttpAnswer &answer, qint64 nowMs)
{
    m_askedAt = nowMs;
    if (m_verdict != Verdict::Open || answer.outcome == Outcome::Lost)
        return;
    m_answers = m_answers || answer.status > 0;
    switch (m_stage) {
    case Stage::Health:
        takeHealth(answer, nowMs);
        break;
    case Stage::Model:
        takeModels(answer, nowMs);
        break;
    case Stage::Available:
        takeAvailable(answer, nowMs);
        break;
    case Stage::Token:
        takeToken(answer, nowMs);
        break;
    default:
        break; // of an earlier stage
    }
    settle(nowMs);
}

void ServingProof::takeHealth(const HttpAnswer &answer, qint64 nowMs)
{
    const QJsonObject data{{u"url"_s, addressOf(requestOf(Stage::Health, nowMs))}, {u"status"_s, answer.status}};
    m_unfinished = answer.outcome == Outcome::TimedOut && answer.status > 0 ? m_unfinished + 1 : 0;
    if (answer.isSuccess() || answer.needsKey()) {
        m_keyNeeded = answer.needsKey();
        set(Name::Health, State::Done, answer.words, nowMs, data);
        m_stage = Stage::Model;
        m_askedAt.reset(); // at once
        if (m_endpoint.models.isEmpty()) {
            m_model = m_endpoint.model;
            set(Name::Model, State::Unproved,
                u"%1 does not list what it serves"_s.arg(nameOf(m_endpoint.engine)), nowMs);
            enterToken(nowMs);
        }
        return;
    }
    if (answer.outcome == Outcome::TooLarge || answer.outcome == Outcome::NoWay
        || (answer.outcome == Outcome::Answered && answer.status >= 300 && answer.status < 400)
        || m_unfinished >= unfinishedAnswers) {
        fail(Name::Health, answer.words, nowMs);
        return;
    }
    if (answer.outcome == Outcome::Answered && answer.status == 404) {
        // Somebody answers there who has no such page; what it serves may still be asked.
        set(Name::Health, State::Unproved, answer.words, nowMs, data);
        m_stage = Stage::Model;
        m_askedAt.reset();
        if (m_endpoint.models.isEmpty())
            fail(Name::Model, answer.words, nowMs);
        return;
    }
    // Nobody said whether it speaks TLS: what does not answer the one may answer the other.
    if (answer.status == 0 && (answer.outcome == Outcome::NotHttp || answer.outcome == Outcome::TlsFailed
                               || answer.outcome == Outcome::Closed))
        m_otherScheme = !m_otherScheme;
    set(Name::Health, State::Running, answer.words, nowMs, data);
    const milliseconds ready = m_setup.limits.ready;
    if (ready.count() > 0 && nowMs - m_start >= ready.count())
        giveUp(u"Not ready within %1 s."_s.arg(ready.count() / 1000), nowMs);
}

void ServingProof::takeModels(const HttpAnswer &answer, qint64 nowMs)
{
    const bool mayBeLater = runningFor(Name::Model, nowMs) < m_setup.limits.model.count();
    if (answer.needsKey()) {
        m_keyNeeded = true;
        m_model = m_endpoint.model;
        set(Name::Model, State::Unproved, answer.words, nowMs);
        enterToken(nowMs);
        return;
    }
    if (answer.outcome == Outcome::Answered && answer.status == 404 && m_endpoint.engine == Engine::Unknown) {
        if (step(Name::Health).state != State::Done) {
            fail(Name::Health, u"%1 answers, but neither there nor for its models."_s
                                   .arg(addressOf(m_endpoint.ask(m_endpoint.health))), nowMs);
            return;
        }
        m_model = m_endpoint.model;
        set(Name::Model, State::Unproved, u"it lists no models"_s, nowMs);
        enterToken(nowMs);
        return;
    }
    const std::optional<QStringList> models = answer.isSuccess() ? modelsIn(answer.body) : std::nullopt;
    const QJsonObject data{{u"expected"_s, m_endpoint.model},
                           {u"listed"_s, models ? models->mid(0, 20).join(u", "_s) : QString()}};
    if (models && !models->isEmpty() && (m_endpoint.model.isEmpty() || isAmong(m_endpoint.model, *models))) {
        const auto same = std::ranges::find_if(*models, [&](const QString &model) {
            return isAmong(m_endpoint.model, {model});
        });
        m_model = same == models->cend() ? models->first() : *same;
        set(Name::Model, State::Done, u"lists %1"_s.arg(m_model), nowMs, data);
        enterToken(nowMs);
        return;
    }
    if (models && m_endpoint.engine == Engine::Ollama) {
        m_stage = Stage::Available;
        m_askedAt.reset();
        return;
    }
    QString words = answer.words;
    if (models)
        words = models->isEmpty() ? u"It lists no model."_s
                                  : u"It serves %1, not %2."_s.arg(models->mid(0, 5).join(u", "_s), m_endpoint.model);
    else if (answer.isSuccess())
        words = u"What it answers is no list of models: %1"_s.arg(excerpt(answer.body));
    if (mayBeLater)
        set(Name::Model, State::Running, words, nowMs, data);
    else
        fail(Name::Model, words, nowMs);
}

/// Of Ollama: what it could load.
void ServingProof::takeAvailable(const HttpAnswer &answer, qint64 nowMs)
{
    const std::optional<QStringList> models = answer.isSuccess() ? modelsIn(answer.body) : std::nullopt;
    if (!models) {
        set(Name::Model, State::Running, answer.words, nowMs);
        if (runningFor(Name::Model, nowMs) >= m_setup.limits.model.count())
            fail(Name::Model, answer.words, nowMs);
        return;
    }
    if (!m_endpoint.model.isEmpty() && !isAmong(m_endpoint.model, *models)) {
        fail(Name::Model, u"It does not have %1."_s.arg(m_endpoint.model), nowMs);
        return;
    }
    set(Name::Model, State::Done,
        m_endpoint.model.isEmpty() ? u"none is loaded"_s : u"has %1, not loaded"_s.arg(m_endpoint.model), nowMs);
    m_stage = Stage::Memory;
    set(Name::Token, State::Unproved, u"a request would load the model"_s, nowMs);
    set(Name::Memory, State::Unproved, u"it loads at the first request"_s, nowMs);
}

void ServingProof::enterToken(qint64 nowMs)
{
    m_stage = Stage::Token;
    m_askedAt.reset();
    const bool canBeAsked = !generationsOf(m_endpoint.engine, m_model).isEmpty();
    if (canBeAsked && !(m_keyNeeded && m_setup.key.isEmpty())) {
        set(Name::Token, State::Running, u"asked for one token"_s, nowMs);
        return;
    }
    if (!canBeAsked)
        set(Name::Token, State::Unproved,
            u"there is no request that makes %1 generate"_s.arg(nameOf(m_endpoint.engine)), nowMs);
    else
        set(Name::Token, State::Unproved, u"alive, key needed"_s, nowMs);
    m_stage = Stage::Memory;
}

void ServingProof::takeToken(const HttpAnswer &answer, qint64 nowMs)
{
    if (answer.isSuccess() && provesWork(answer.body)) {
        const QString path = QString::fromLatin1(generationsOf(m_endpoint.engine, m_model).value(m_generation).path);
        set(Name::Token, State::Done,
            u"generated within %1 s"_s.arg(double(answer.durationMs) / 1000.0, 0, 'f', 1), nowMs,
            {{u"model"_s, m_model}, {u"path"_s, path}, {u"duration_ms"_s, answer.durationMs}});
        m_stage = Stage::Memory;
        return;
    }
    if (answer.needsKey()) {
        m_keyNeeded = true;
        set(Name::Token, State::Unproved, u"alive, key needed"_s, nowMs);
        m_stage = Stage::Memory;
        return;
    }
    m_tokenWords = answer.isSuccess() ? u"It answers HTTP %1, but no token is in it: %2"_s
                                            .arg(answer.status).arg(excerpt(answer.body))
                                      : answer.words;
    if (answer.outcome == Outcome::Answered && isOtherRequestsTurn(answer.status)) {
        const bool isLast = m_generation + 1 >= generationsOf(m_endpoint.engine, m_model).size();
        if (!isLast) {
            ++m_generation;
            m_askedAt.reset();
            return;
        }
        set(Name::Token, State::Unproved, u"it takes no request that generates: %1"_s.arg(excerpt(answer.body)), nowMs);
        m_stage = Stage::Memory;
        return;
    }
    const bool isFinal = answer.isSuccess() || answer.outcome == Outcome::TooLarge;
    if (isFinal || runningFor(Name::Token, nowMs) >= m_setup.limits.token.count())
        tokenFailed(m_tokenWords, nowMs);
    else
        set(Name::Token, State::Running, m_tokenWords, nowMs);
}

/// The host is looked at once more before it is said why.
void ServingProof::tokenFailed(const QString &words, qint64 nowMs)
{
    set(Name::Token, State::Running, words, nowMs);
    m_tokenWords = words;
    m_stage = Stage::Autopsy;
    m_snapshotAt.reset();
}

/// Everything that can be decided is: there is a verdict.
void ServingProof::settle(qint64 nowMs)
{
    if (m_verdict != Verdict::Open || isOpen(Name::Unit) || isOpen(Name::Token) || isOpen(Name::Memory)
        || isOpen(Name::Xid) || !m_unitAt || !m_activeSince)
        return;
    if (m_setup.restarts)
        set(Name::Restarts, State::Done, u"unchanged"_s, nowMs, {{u"restarts"_s, *m_setup.restarts}});
    else
        set(Name::Restarts, State::Unproved, u"the restart counter is not told"_s, nowMs);
    if (step(Name::Token).state == State::Done) {
        m_verdict = Verdict::Serves;
        m_verdictWords = u"It serves%1: a token was %2."_s
                             .arg(m_model.isEmpty() ? QString() : u" "_s + m_model, step(Name::Token).words);
    } else if (m_keyNeeded) {
        m_verdict = Verdict::KeyNeeded;
        m_verdictWords = u"Alive, key needed: without one nobody can tell whether it generates."_s;
    } else {
        m_verdict = Verdict::Alive;
        m_verdictWords = u"It answers; no token was asked for: %1."_s.arg(step(Name::Token).words);
    }
}

QString ServingProof::words() const
{
    if (m_verdict != Verdict::Open)
        return m_verdictWords;
    const auto running
        = std::ranges::find_if(m_steps, [](const ServingStep &step) {
              return step.state == State::Running && step.name != Name::Unit;
          });
    const ServingStep &shown = running == m_steps.end() ? m_steps.first() : *running;
    return u"%1: %2"_s.arg(nameOf(shown.name), shown.words);
}

QString nameOf(ServingStep::Name name)
{
    static constexpr const char *names[]
        = {"unit", "pids", "port", "health", "model", "token", "memory", "xid", "restarts"};
    return QString::fromLatin1(names[int(name)]);
}

QString nameOf(ServingStep::State state)
{
    static constexpr const char *names[] = {"pending", "running", "done", "unproved", "failed"};
    return QString::fromLatin1(names[int(state)]);
}

QString nameOf(ServingProof::Verdict verdict)
{
    static constexpr const char *names[] = {"open", "serves", "alive", "key_needed", "engine_gone", "not_serving"};
    return QString::fromLatin1(names[int(verdict)]);
}

} // namespace pilothouse
