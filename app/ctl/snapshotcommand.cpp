// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/snapshotcommand.h"

#include "app/ctl/interrupts.h"
#include "app/ctl/output.h"
#include "app/ctl/snapshottext.h"
#include "app/ctl/target.h"
#include "core/host/gpusourcewords.h"
#include "core/host/snapshotjson.h"

#include <QJsonDocument>

namespace pilothouse {

using namespace Qt::StringLiterals;

SnapshotCommand::SnapshotCommand(const CommandContext &context)
    : Command(context)
    , m_asker(context.output, context.interrupts)
{
    connect(&m_away, &QTimer::timeout, this, [this] { tickDone(m_exitCode); });
    connect(&context.interrupts, &Interrupts::interrupted, this,
            [this] { finish(exitCodeOf(ErrorCode::Cancelled)); });
}

void SnapshotCommand::start()
{
    const auto host = hostFor(options(), options().arguments.first());
    auto settings = fleetSettingsFor(context());
    if (!host || !settings) {
        const Error &error = host ? settings.error() : host.error();
        output().problem(sentenceOf(error));
        finish(exitCodeOf(error.code));
        return;
    }
    settings->background = options().watch.value_or(std::chrono::milliseconds(0));
    m_fleet = std::make_unique<Fleet>(*settings);
    connect(m_fleet.get(), &Fleet::hostAdded, this, [this](HostLink *link) { follow(*link); });
    const auto link = m_fleet->add(*host);
    if (!link) {
        output().problem(sentenceOf(link.error()));
        finish(exitCodeOf(link.error().code));
    }
}

void SnapshotCommand::follow(HostLink &link)
{
    const Depth depth = options().deep ? Depth::Deep : Depth::Light;
    m_link = &link;
    connect(&link, &HostLink::stateChanged, this, &SnapshotCommand::stateChanged);
    connect(&link, &HostLink::questionAsked, &m_asker, &Asker::ask);
    connect(&m_asker, &Asker::answered, &link, &HostLink::answer);
    connect(&link, &HostLink::snapshotArrived, this, [this](const SnapshotPtr &snapshot) { show(*snapshot); });
    connect(&link, &HostLink::snapshotFailed, this, &SnapshotCommand::tickFailed);
    if (options().watch)
        link.setCadence(*options().watch, depth);
    else
        link.requestSnapshot(depth);
}

void SnapshotCommand::stateChanged(const LinkState &state)
{
    using Phase = LinkState::Phase;
    if (state.phase == Phase::Connected) {
        m_away.stop();
        return;
    }
    if (state.phase == Phase::Connecting && state.words.endsWith(agentAsksWords))
        output().problem(state.words);
    if (state.phase != Phase::Retrying && state.phase != Phase::Stopped)
        return;
    const bool known = m_away.isActive() && exitCodeOf(state.error->code) == m_exitCode;
    if (!known)
        output().problem(sentenceOf(*state.error));
    m_exitCode = exitCodeOf(state.error->code);
    if (state.phase == Phase::Stopped) {
        finish(m_exitCode);
    } else if (!m_away.isActive()) {
        m_away.start(options().watch.value_or(std::chrono::milliseconds(1'000)));
        tickDone(m_exitCode);
    }
}

void SnapshotCommand::show(const Snapshot &snapshot)
{
    if (options().json) {
        output().data(QString::fromUtf8(QJsonDocument(toJson(snapshot)).toJson(QJsonDocument::Compact)) + u'\n');
    } else {
        output().data((m_ticks > 0 ? u"\n"_s : QString()) + snapshotText(snapshot, options().units, output()));
        for (const QString &line : problemLines(snapshot))
            output().problem(line);
    }
    if (!snapshot.gpus && options().json)
        output().problem(missingGpusText(snapshot));
    tickDone(snapshot.gpus ? 0 : exitCodeOf(ErrorCode::ToolMissing));
}

void SnapshotCommand::tickFailed(const Error &error)
{
    output().problem(sentenceOf(error));
    tickDone(exitCodeOf(error.code));
}

void SnapshotCommand::tickDone(int exitCode)
{
    m_exitCode = exitCode;
    ++m_ticks;
    const bool enough = !options().watch || (options().count && m_ticks >= *options().count);
    if (enough || output().state() != Output::State::Fine)
        finish(exitCode);
}

void SnapshotCommand::finish(int exitCode)
{
    if (std::exchange(m_over, true))
        return;
    m_away.stop();
    if (m_link) {
        disconnect(m_link, nullptr, this, nullptr);
        disconnect(m_link, nullptr, &m_asker, nullptr);
    }
    // Fleet and link are ended by main with this command: we may be in one of their signals.
    emit finished(exitCode);
}

} // namespace pilothouse
