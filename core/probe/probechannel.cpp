// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/probechannel.h"

#include "core/base/cleantext.h"
#include "core/ssh/remoteshell.h"
#include "core/ssh/secret.h"

using namespace Qt::StringLiterals;

namespace pilothouse {

namespace {

constexpr qsizetype errorsKept = 2048;
constexpr std::chrono::milliseconds lastWordsLimit{1000};

QString seconds(std::chrono::milliseconds limit)
{
    return QString::number(static_cast<double>(limit.count()) / 1000);
}

} // namespace

ProbeChannel::ProbeChannel(ShellProvider &provider, ProbeRole role, ProbeMarker marker,
                           QObject *parent)
    : QObject(parent)
    , m_provider(provider)
    , m_role(role)
    , m_marker(std::move(marker))
{
    m_deadline.setSingleShot(true);
    connect(&m_deadline, &QTimer::timeout, this, &ProbeChannel::takeTimeout);
}

ProbeChannel::~ProbeChannel() = default;

void ProbeChannel::open(RootWay way, std::chrono::milliseconds limit)
{
    m_decoder = {};
    m_errors.clear();
    m_way = way;
    m_promptTail.clear();
    m_prompts = 0;
    m_refusal = {};
    m_inputClosed = false;
    m_limit = limit;
    m_state = State::Staging;
    m_shell = m_provider.openShell();
    connect(m_shell.get(), &RemoteShell::received, this,
            [this](RemoteShell::Stream stream, const QByteArray &bytes) {
                if (stream == RemoteShell::Stream::Output)
                    takeOutput(bytes);
                else
                    takeErrors(bytes);
            });
    connect(
        m_shell.get(), &RemoteShell::closed, this,
        [this](int status, const QString &signalName, const std::shared_ptr<const Error> &error) {
            takeClosed(status, signalName, error.get());
        });
    const QByteArray nonce = makeNonce();
    m_decoder.expectStage(nonce);
    m_deadline.start(limit);
    m_shell->write(stageText(nonce, m_marker, m_role, way));
}

void ProbeChannel::run(RootWay way, const QByteArray &nonce, const QByteArray &script, std::chrono::milliseconds startLimit,
                       std::chrono::milliseconds limit)
{
    m_script = script;
    m_scriptNonce = nonce;
    m_scriptLimit = limit;
    m_scriptSent = false;
    open(way, startLimit);
}

void ProbeChannel::ask(const ProbeRequest &request, std::chrono::milliseconds limit)
{
    const auto line = requestLine(request);
    if (!line) {
        QMetaObject::invokeMethod(
            this, [this, error = line.error()] { emit failed(error); }, Qt::QueuedConnection);
        return;
    }
    m_state = State::Busy;
    m_limit = limit;
    m_errors.clear();
    m_decoder.expectAnswer(request.nonce, request.tick);
    m_deadline.start(limit);
    m_shell->write(*line);
}

void ProbeChannel::close()
{
    m_deadline.stop();
    m_state = State::Closed;
    if (!m_shell)
        return;
    m_shell->disconnect(this);
    m_shell->close();
    m_shell.release()->deleteLater(); // this may run inside one of its signals
}

void ProbeChannel::takeOutput(const QByteArray &bytes)
{
    QByteArrayView rest = bytes;
    while (m_state != State::Closed) {
        const auto event = m_decoder.feed(rest);
        rest = {};
        if (!event) {
            giveUp(event.error());
            return;
        }
        if (*event == FrameDecoder::Event::NeedMore)
            return;
        takeEvent(*event);
    }
}

void ProbeChannel::takeErrors(const QByteArray &bytes)
{
    if (m_errors.size() < errorsKept)
        m_errors.append(bytes.first(std::min(bytes.size(), errorsKept - m_errors.size())));
    // sudo writes its prompt where it likes, after the announcement or before that has arrived.
    if (m_way != RootWay::SudoWithPassword || m_state > State::Authorizing)
        return;
    m_promptTail += bytes;
    const QByteArray prompt = sudoPrompt(m_marker);
    const qsizetype at = m_promptTail.indexOf(prompt);
    m_promptTail = at < 0 ? m_promptTail.right(prompt.size() - 1) : m_promptTail.mid(at + prompt.size());
    if (at < 0)
        return;
    m_errors.replace(prompt, {});
    m_deadline.stop();
    if (++m_prompts == 1) {
        m_saidBeforePrompt = m_errors.size();
        emit passwordWanted();
        return;
    }
    // Not a second word is sent: each counts as an attempt on the account. Before it asks for the same again sudo says
    // something; its -p puts our prompt in the place of every other that the host's PAM may have.
    const bool saidNothing = m_errors.sliced(std::min(m_saidBeforePrompt, m_errors.size())).trimmed().isEmpty();
    refuse(saidNothing ? SudoRefusal::Kind::OtherQuestion : SudoRefusal::Kind::PasswordWrong);
}

void ProbeChannel::givePassword(QByteArray line)
{
    if (m_state > State::Authorizing || m_prompts == 0 || !m_shell) {
        wipe(line);
        return;
    }
    m_shell->write(line);
    wipe(line);
    m_deadline.start(m_limit);
}

void ProbeChannel::takeEvent(FrameDecoder::Event event)
{
    if (event == FrameDecoder::Event::Staged && m_way == RootWay::SudoWithPassword && m_state == State::Staging) {
        m_state = State::Authorizing;
        m_decoder.expectStage(m_marker.run);
    } else if (event == FrameDecoder::Event::Staged && !m_script.isEmpty()) {
        m_state = State::Busy;
        m_limit = m_scriptLimit;
        m_decoder.expectAnswer(m_scriptNonce, 0);
        m_deadline.start(m_limit);
        m_scriptSent = true;
        m_shell->write(m_script);
    } else if (event == FrameDecoder::Event::Staged) {
        const QByteArray nonce = makeNonce();
        m_state = State::Starting;
        m_decoder.expectAnswer(nonce, 0);
        m_shell->write(scriptText(nonce));
    } else if (m_state == State::Starting) {
        takeReady();
    } else if (m_state == State::Busy) {
        m_deadline.stop();
        m_state = State::Idle;
        emit answered();
    }
}

void ProbeChannel::takeReady()
{
    auto facts = readFacts(m_decoder.answer());
    if (!facts) {
        giveUp(facts.error());
        return;
    }
    m_facts = *std::move(facts);
    m_deadline.stop();
    m_state = State::Idle;
    emit ready();
}

void ProbeChannel::takeClosed(int exitStatus, const QString &exitSignal, const Error *error)
{
    const State before = m_state;
    const Error cause = error ? *error : Error{ErrorCode::AnswerTruncated, {}, {}};
    if (before == State::Idle) {
        close();
        return;
    }
    if (error && (error->code != ErrorCode::ConnectionLost || before == State::Busy)) {
        giveUp(cause);
        return;
    }
    QString how = exitSignal.isEmpty() ? u"with status %1"_s.arg(exitStatus)
                                       : u"by signal %1"_s.arg(exitSignal);
    if (exitStatus < 0 && exitSignal.isEmpty())
        how = u"without a status"_s;
    if (before == State::Busy) {
        giveUp({ErrorCode::AnswerTruncated,
                u"The host's shell ended %1 in the middle of its answer."_s.arg(how),
                {}});
        return;
    }
    if (before == State::Authorizing || (before == State::Starting && m_way == RootWay::SudoUnasked)) {
        refuse(m_inputClosed && m_prompts == 0 ? SudoRefusal::Kind::OtherQuestion : SudoRefusal::Kind::None, exitStatus);
        return;
    }
    if (m_inputClosed) {
        giveUp(notReady(true));
        return;
    }
    const QString words = shellWords();
    QString detail = u"The account's shell ended %1 before it could be used"_s.arg(how);
    detail += words.isEmpty() ? u" and said nothing: its login script may end the session."_s
                              : u"; it said: %1"_s.arg(words);
    giveUp({ErrorCode::ShellUnusable, detail, {}});
}

void ProbeChannel::takeTimeout()
{
    if (m_state == State::Busy) {
        giveUp({ErrorCode::Timeout,
                u"The host did not answer within %1 s."_s.arg(seconds(m_limit)),
                {}});
        return;
    }
    if (!m_inputClosed && m_shell) {
        // Some shells read their input to its end before they say what they think of it.
        m_inputClosed = true;
        m_shell->closeInput();
        m_deadline.start(lastWordsLimit);
        return;
    }
    if (m_state == State::Authorizing)
        refuse(m_prompts == 0 ? SudoRefusal::Kind::OtherQuestion : SudoRefusal::Kind::None);
    else
        giveUp(notReady(false));
}

/// `kind` None: what sudo said decides.
void ProbeChannel::refuse(SudoRefusal::Kind kind, int exitStatus)
{
    m_refusal = readSudoRefusal(m_errors, exitStatus);
    if (kind != SudoRefusal::Kind::None)
        m_refusal.kind = kind;
    giveUp({ErrorCode::SudoRefused, sentenceOf(m_refusal), {}});
}

/// By what is known: a shell that has run a command, or says nothing whatever becomes of its input, is no proof against
/// the account; one that says something else, or ends with its input, is.
Error ProbeChannel::notReady(bool ended) const
{
    const QString words = shellWords();
    const QString limit = seconds(m_limit);
    if (m_state == State::Starting) {
        return {ErrorCode::Timeout,
                u"/bin/sh runs there, but the host did not go on within %1 s."_s.arg(limit)
                    + (words.isEmpty() ? QString() : u" It said: %1"_s.arg(words)),
                u"Look for load, memory and file systems that hang on the host, then retry."_s};
    }
    if (words.isEmpty() && !ended) {
        return {ErrorCode::Timeout,
                u"The host opened a session, but nothing came from the account's shell within %1 s."_s.arg(limit),
                u"Try ssh with a command in a terminal: either the host hangs (load, memory, a home directory on a dead "
                "server), or the account's login program takes no commands."_s};
    }
    QString detail = u"The account's shell did not become ready within %1 s"_s.arg(limit);
    detail += words.isEmpty() ? u"."_s : u"; it said: %1"_s.arg(words);
    return {ErrorCode::ShellUnusable, detail, {}};
}

void ProbeChannel::giveUp(const Error &error)
{
    const Error copy = error; // it may belong to the shell that ends here
    close();
    emit failed(copy);
}

QString ProbeChannel::shellWords() const
{
    // Standard error first: what a shell complains about explains more than what it prints.
    QByteArray words = m_errors.trimmed();
    const QByteArray noise = m_decoder.noise().trimmed();
    if (!noise.isEmpty())
        words += (words.isEmpty() ? "" : " / ") + noise;
    words.replace("\r", "").replace('\n', ' ');
    return cleanLine(words, 300);
}

} // namespace pilothouse
