// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/actions/actionrunner.h"

#include "core/actions/actionanswer.h"
#include "core/actions/actionscript.h"
#include "core/audit/auditlog.h"
#include "core/probe/probechannel.h"
#include "core/probe/sudopassword.h"
#include "core/ssh/remoteshell.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::milliseconds startLimit{10'000};

RootWay rootWayOf(const ActionRequest &request, SudoPolicy policy)
{
    if (!request.asRoot || policy == SudoPolicy::Never)
        return RootWay::None;
    return policy == SudoPolicy::Ask ? RootWay::SudoWithPassword : RootWay::SudoUnasked;
}

QList<AuditObject> objectsOf(const ActionRequest &request)
{
    QList<AuditObject> objects;
    for (const SignalTarget &target : request.targets)
        objects += AuditObject{target.identity, target.name};
    for (const ShmTarget &file : request.files)
        objects += AuditObject{std::nullopt, u"/dev/shm/"_s + file.name};
    if (!request.unit.isEmpty())
        objects += AuditObject{std::nullopt, request.unit};
    return objects;
}

} // namespace

class ActionRunner::Private
{
public:
    Private(ActionRunner &owner, ShellProvider &shells)
        : q(owner)
        , provider(shells)
    {
    }

    [[nodiscard]] AuditRecord record(AuditRecord::Phase phase) const
    {
        AuditRecord record;
        record.at = QDateTime::currentDateTimeUtc();
        record.phase = phase;
        record.operation = operation;
        record.console = actor.console;
        record.person = actor.person;
        record.host = actor.host;
        record.target = ways.target;
        record.bootId = request.bootId;
        record.action = nameOf(request.kind);
        record.objects = objectsOf(request);
        record.text = request.what;
        return record;
    }

    void start(const QByteArray &nonce, const QByteArray &script)
    {
        channel = std::make_unique<ProbeChannel>(provider, ProbeRole::Action,
                                                 makeMarker(actor.console, actor.host, ways.target), &q);
        QObject::connect(channel.get(), &ProbeChannel::passwordWanted, &q, [this] {
            if (ways.password && ways.password->isThere())
                channel->givePassword(ways.password->line());
            else
                finish({std::nullopt, Error{ErrorCode::SudoRefused, u"sudo wants its password again; it is kept for 15 minutes only."_s,
                                            u"Connect again."_s}, false, {}});
        });
        QObject::connect(channel.get(), &ProbeChannel::answered, &q, [this] {
            auto answer = readActionAnswer(channel->answer(), request);
            if (answer)
                finish({*std::move(answer), std::nullopt, true, {}});
            else
                finish({std::nullopt, answer.error(), true, {}});
        });
        QObject::connect(channel.get(), &ProbeChannel::failed, &q,
                         [this](const Error &error) { finish({std::nullopt, error, channel->scriptSent(), {}}); });
        channel->run(rootWayOf(request, ways.sudo), nonce, script, startLimit, request.limit);
    }

    void finish(ActionResult result)
    {
        if (channel) {
            channel->disconnect(&q);
            channel->close();
            channel.release()->deleteLater(); // this may run inside one of its signals
        }
        if (changesHost(request.kind) && announced) {
            AuditRecord outcome = record(AuditRecord::Phase::Outcome);
            const bool done = result.answer && result.answer->lock == ActionAnswer::Lock::Mine;
            outcome.result = done ? AuditRecord::Result::Done
                : result.answer   ? AuditRecord::Result::Refused
                                  : AuditRecord::Result::Failed;
            outcome.text = result.answer ? summaryOf(*result.answer)
                : result.sent            ? u"Outcome unknown: "_s + sentenceOf(*result.error)
                                         : u"Not done: "_s + sentenceOf(*result.error);
            if (const auto written = AuditLog(actor.auditFolder).append(outcome); !written)
                result.auditTrouble = sentenceOf(written.error());
        }
        const quint64 ended = std::exchange(id, 0);
        emit q.done(ended, result);
    }

    ActionRunner &q;
    ShellProvider &provider;
    std::unique_ptr<ProbeChannel> channel;
    quint64 id = 0; // 0: nothing runs
    ActionRequest request;
    Actor actor;
    ActionWays ways;
    QString operation;
    bool announced = false; // the intent is on the disk
};

ActionRunner::ActionRunner(ShellProvider &provider, QObject *parent)
    : QObject(parent)
    , d(std::make_unique<Private>(*this, provider))
{
}

ActionRunner::~ActionRunner() = default;

void ActionRunner::run(quint64 id, const ActionRequest &request, const Actor &actor, const ActionWays &ways)
{
    if (d->id != 0) {
        emit done(id, {std::nullopt, Error{ErrorCode::Internal, u"Another action runs on this host."_s, {}}, false, {}});
        return;
    }
    d->id = id;
    d->request = request;
    d->actor = actor;
    d->ways = ways;
    d->operation = QString::fromLatin1(makeNonce());
    d->announced = false;
    const QByteArray nonce = makeNonce();
    const auto script = actionScript(request, actor, nonce);
    if (!script) {
        d->finish({std::nullopt, script.error(), false, {}});
        return;
    }
    if (changesHost(request.kind)) {
        if (const auto written = AuditLog(actor.auditFolder).append(d->record(AuditRecord::Phase::Intent)); !written) {
            d->finish({std::nullopt, written.error(), false, {}});
            return;
        }
        d->announced = true;
    }
    d->start(nonce, *script);
}

void ActionRunner::abandon(const Error &error)
{
    if (d->id != 0)
        d->finish({std::nullopt, error, d->channel && d->channel->scriptSent(), {}});
}

} // namespace pilothouse
