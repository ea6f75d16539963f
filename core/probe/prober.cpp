// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/prober.h"

#include "core/probe/assemble.h"
#include "core/probe/parse/smiapps.h"
#include "core/probe/parse/smicsv.h"
#include "core/probe/probechannel.h"
#include "core/probe/sudopassword.h"
#include "core/ssh/secret.h"

#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>
#include <optional>

using namespace Qt::StringLiterals;

namespace pilothouse {

namespace {

using std::chrono::milliseconds;

/// The script's own guard needs two seconds after the limit to find out that nvidia-smi cannot be
/// ended; before its first question it watches one that it finds running for up to five.
constexpr milliseconds guardTime{3'000};
constexpr milliseconds watchTime{5'000};
/// A server counts a session until its end has come through: one that is opened anew at once may be refused.
constexpr milliseconds askAgainAfter{100};
/// What the driver's answer leaves of the snapshot's time.
constexpr milliseconds reserve{500};

RootWay rootWayOf(SudoPolicy policy)
{
    switch (policy) {
    case SudoPolicy::Never:
        return RootWay::None;
    case SudoPolicy::NoPassword:
        return RootWay::SudoUnasked;
    case SudoPolicy::Ask:
        return RootWay::SudoWithPassword;
    }
    return RootWay::None;
}

} // namespace

class Prober::Private
{
public:
    Private(Prober &owner, ShellProvider &provider, ProbeSettings given)
        : q(owner)
        , settings(std::move(given))
        , marker(makeMarker(settings.consoleId, settings.host, settings.target))
        , kernel(provider, ProbeRole::Kernel, marker, &owner)
        , driver(provider, ProbeRole::Driver, marker, &owner)
        , password(settings.sudoPassword ? settings.sudoPassword : std::make_shared<SudoPassword>())
        , root(rootWayOf(settings.sudo))
    { }

    void open();
    void openChannels();
    [[nodiscard]] bool isMomentary(const Error &error, bool hadOne);
    void giveUpRoot(SudoRefusal refusal);
    void wantPassword();
    void takeAnswer(Answer answer);
    void kernelReady();
    void kernelFailed(const Error &error);
    void driverReady();
    void driverFailed(const Error &error);
    void proceed();
    void ask();
    void finish();
    void deliver();
    [[nodiscard]] bool bothKnown() const;

    Prober &q;
    ProbeSettings settings; ///< of the next request
    ProbeSettings askedWith; ///< those of the running one: it is asked and read by the same
    ProbeMarker marker;
    ProbeChannel kernel;
    ProbeChannel driver;
    std::shared_ptr<SudoPassword> password;
    RootWay root = RootWay::None;
    std::optional<quint64> asking; // the question that is open
    quint64 questions = 0;
    SudoRefusal refusal;
    bool oneChannel = false; // the server allows no second one
    bool hadKernel = false; // the server has allowed that channel before
    bool hadDriver = false;
    QTimer again; // opens what was refused a moment ago
    QDeadlineTimer againUntil;
    bool announced = false; // started() was emitted
    bool dead = false; // failed() was emitted
    std::optional<Depth> current; // being answered
    std::optional<Depth> next; // asked for meanwhile
    bool asked = false; // the request lines are out
    bool cameTooLate = false; ///< an answer that sudo no longer read
    bool kernelPending = false;
    bool driverPending = false;
    std::optional<Error> kernelError;
    std::optional<Error> driverError;
    TickAnswers tick;
    quint64 ticks = 0;
    QElapsedTimer clock;
    QHash<qint64, QString> users;
    QList<qint64> described;
    QList<qint64> suspects;
    AnswerMemo answers;
    AssembleMemory memory;
};

Prober::Prober(ShellProvider &provider, ProbeSettings settings, QObject *parent)
    : QObject(parent)
    , d(std::make_unique<Private>(*this, provider, std::move(settings)))
{
    d->again.setSingleShot(true);
    connect(&d->again, &QTimer::timeout, this, [this] { d->openChannels(); });
    connect(&d->kernel, &ProbeChannel::passwordWanted, this, [this] { d->wantPassword(); });
    connect(&d->driver, &ProbeChannel::passwordWanted, this, [this] {
        // Nobody is asked a second time: root's other shell can do both.
        if (d->password->isThere())
            d->driver.givePassword(d->password->line());
        else
            d->driverFailed({ErrorCode::SudoRefused, {}, {}});
    });
    connect(&d->kernel, &ProbeChannel::ready, this, [this] { d->kernelReady(); });
    connect(&d->kernel, &ProbeChannel::answered, this, [this] {
        d->kernelPending = false;
        d->finish();
    });
    connect(&d->kernel, &ProbeChannel::failed, this,
            [this](const Error &error) { d->kernelFailed(error); });
    connect(&d->driver, &ProbeChannel::ready, this, [this] { d->driverReady(); });
    connect(&d->driver, &ProbeChannel::answered, this, [this] {
        d->driverPending = false;
        d->finish();
    });
    connect(&d->driver, &ProbeChannel::failed, this,
            [this](const Error &error) { d->driverFailed(error); });
}

Prober::~Prober()
{
    d->kernel.close();
    d->driver.close();
}

void Prober::start()
{
    d->open();
}

void Prober::requestSnapshot(Depth depth)
{
    if (d->dead)
        return;
    if (isBusy() || !d->announced) {
        d->next = d->next == Depth::Deep ? Depth::Deep : depth;
        return;
    }
    d->current = depth;
    d->open();
}

void Prober::setSettings(const ProbeSettings &settings)
{
    d->settings = settings;
}

void Prober::answer(Answer answer)
{
    d->takeAnswer(std::move(answer));
}

bool Prober::isBusy() const
{
    return d->current.has_value();
}

/// Brings up what is not there; proceed() goes on when both channels are known to be usable or not.
void Prober::Private::open()
{
    driverError.reset();
    kernelError.reset();
    againUntil.setRemainingTime(settings.snapshotTimeout / 2); // the other half is for the answer
    openChannels();
}

void Prober::Private::openChannels()
{
    if (kernel.state() == ProbeChannel::State::Closed)
        kernel.open(root, settings.snapshotTimeout);
    // As root the second one waits until sudo has agreed to the first.
    if (!oneChannel && driver.state() == ProbeChannel::State::Closed
        && (root == RootWay::None || kernel.state() == ProbeChannel::State::Idle))
        driver.open(root, settings.snapshotTimeout);
    proceed();
}

bool Prober::Private::isMomentary(const Error &error, bool hadOne)
{
    if (asked || !hadOne || error.code != ErrorCode::ChannelRefused || againUntil.hasExpired())
        return false;
    again.start(askAgainAfter);
    return true;
}

void Prober::Private::kernelReady()
{
    hadKernel = true;
    if (!oneChannel && driver.state() == ProbeChannel::State::Closed && !driverError)
        driver.open(root, settings.snapshotTimeout);
    proceed();
}

void Prober::Private::driverReady()
{
    hadDriver = true;
    proceed();
}

void Prober::Private::kernelFailed(const Error &error)
{
    if (asked) {
        kernelPending = false;
        kernelError = error;
        finish();
        return;
    }
    if (isMomentary(error, hadKernel))
        return;
    again.stop();
    if (root != RootWay::None && asking && kernel.refusal().kind == SudoRefusal::Kind::NotGiven)
        return; // sudo did not wait as long as the person thinks: it is begun again with the answer
    if (root != RootWay::None && kernel.refusal().kind == SudoRefusal::Kind::NotGiven && password->isThere()
        && !std::exchange(cameTooLate, true)) {
        openChannels(); // the answer came while sudo was giving up: it was not read, and counts as no attempt
        return;
    }
    if (root != RootWay::None
        && (error.code == ErrorCode::ShellUnusable || error.code == ErrorCode::SudoRefused
            || error.code == ErrorCode::Timeout)) { // sudo may be what hangs
        SudoRefusal why = kernel.refusal();
        if (why.kind == SudoRefusal::Kind::None)
            why = {SudoRefusal::Kind::Unknown, error.detail};
        giveUpRoot(std::move(why));
        return;
    }
    driver.close();
    if (announced) {
        current.reset();
        emit q.requestFailed(error);
    } else {
        dead = true;
        emit q.failed(error);
    }
}

/// What the account itself sees is better than nothing.
void Prober::Private::giveUpRoot(SudoRefusal why)
{
    hadKernel = true;
    if (why.kind == SudoRefusal::Kind::PasswordWrong)
        password->forget(); // never sent twice
    asking.reset();
    root = RootWay::None;
    refusal = std::move(why);
    kernel.close();
    driver.close();
    open();
}

void Prober::Private::wantPassword()
{
    if (password->isThere()) {
        kernel.givePassword(password->line());
    } else if (!settings.askPerson || announced) {
        giveUpRoot({SudoRefusal::Kind::NoPerson, {}});
    } else {
        asking = ++questions;
        Question question;
        question.id = *asking;
        question.kind = Question::Kind::SudoPassword;
        question.host = u"%1 (%2)"_s.arg(settings.host, settings.target);
        question.prompts = {{u"Password for sudo"_s, false}};
        emit q.asked(question);
    }
}

void Prober::Private::takeAnswer(Answer answer)
{
    if (asking && answer.questionId == *asking) {
        asking.reset();
        if (answer.accepted && !answer.replies.isEmpty()) {
            password->keep(answer.replies.first());
            if (kernel.state() == ProbeChannel::State::Closed)
                openChannels();
            else
                kernel.givePassword(password->line());
        } else {
            giveUpRoot({SudoRefusal::Kind::NotGiven, {}});
        }
    }
    wipe(answer.replies);
}

void Prober::Private::driverFailed(const Error &error)
{
    if (error.code == ErrorCode::SudoRefused) {
        driver.close();
        oneChannel = true;
        proceed();
        return;
    }
    if (isMomentary(error, hadDriver))
        return;
    driverError = error;
    if (asked) {
        driverPending = false;
        finish();
        return;
    }
    oneChannel = oneChannel || error.code == ErrorCode::ChannelRefused;
    proceed();
}

bool Prober::Private::bothKnown() const
{
    return kernel.state() == ProbeChannel::State::Idle
           && (oneChannel || driverError || driver.state() == ProbeChannel::State::Idle);
}

void Prober::Private::proceed()
{
    if (!bothKnown() || asked)
        return;
    if (!announced) {
        announced = true;
        emit q.started();
        if (!current && next)
            current = std::exchange(next, std::nullopt);
    }
    if (current && !asked)
        ask();
}

void Prober::Private::ask()
{
    askedWith = settings;
    ProbeRequest request;
    request.nonce = makeNonce();
    request.tick = ++ticks;
    request.depth = *current;
    request.units = settings.units;
    request.userUnits = settings.userUnits;
    request.gpuFields = smiGpuFields();
    request.appFields = smiAppFields();
    request.described = described;
    request.watched = suspects;
    request.smiLimitS = static_cast<int>(std::max<qint64>(1, settings.smiTimeout.count() / 1000));
    tick = {};
    tick.smiLimit = settings.smiTimeout;
    asked = true;
    clock.start();
    const bool two = !oneChannel && driver.state() == ProbeChannel::State::Idle;
    request.driver = two || oneChannel;
    tick.request = request;
    kernelPending = true;
    driverPending = two;
    request.driver = oneChannel;
    kernel.ask(request, settings.snapshotTimeout);
    if (two) {
        request.nonce = makeNonce();
        request.kernel = false;
        request.driver = true;
        driver.ask(request, std::max(milliseconds(1000),
                                     std::min(std::max(settings.smiTimeout, watchTime) + guardTime,
                                              settings.snapshotTimeout - reserve)));
    }
}

void Prober::Private::finish()
{
    if (kernelPending || driverPending)
        return;
    asked = false;
    // With one channel for both, a driver that takes all the time leaves the kernel's part whole.
    const bool kernelPart = !kernelError || (oneChannel && kernel.answer().find("kernel-done"));
    if (!kernelPart) {
        current.reset();
        emit q.requestFailed(*kernelError);
    } else {
        deliver();
    }
    if (!current && next)
        q.requestSnapshot(*std::exchange(next, std::nullopt));
}

void Prober::Private::deliver()
{
    tick.kernel = kernel.answer();
    const std::optional<Error> trouble = oneChannel ? kernelError : driverError;
    if (!oneChannel && tick.request.driver)
        tick.driver = driver.answer();
    tick.driverTimedOut = tick.request.driver && trouble && trouble->code == ErrorCode::Timeout;
    if (trouble) { // the host may have answered well on the other channel
        tick.driverTrouble = tick.driverTimedOut && !oneChannel
            ? u"nvidia-smi and what it needs did not answer before the snapshot's time was over."_s
            : trouble->detail;
    }
    auto built = buildAnswer(kernel.facts(), tick, users, answers);
    current.reset();
    if (!built) {
        emit q.requestFailed(built.error());
        return;
    }
    described = built->described;
    suspects = built->suspects;
    if (refusal.kind != SudoRefusal::Kind::None) {
        built->answer.sudoTrouble = sentenceOf(refusal);
        built->answer.sudoProblem = problemCodeOf(refusal.kind);
    }
    built->answer.roundTripMs = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    const QDateTime now = QDateTime::currentDateTimeUtc();
    emit q.snapshotTaken(std::make_shared<const Snapshot>(assemble(built->answer, askedWith, memory, now)));
}

} // namespace pilothouse
