// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/fleetpicture.h"

#include "app/console/firsthost.h"
#include "app/console/fleetbinding.h"
#include "ui/host/hostsummary.h"
#include "ui/window/mainwindow.h"

#include <QPixmap>
#include <QTimer>

#include <algorithm>
#include <cstdio>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 stepMs = 200;
constexpr QSize pictureSize(1280, 800); ///< whatever the screen, which without a display is a small one

} // namespace

FleetPicture::FleetPicture(MainWindow &window, const FleetBinding &binding, Plan plan, QObject *parent)
    : QObject(parent)
    , m_window(window)
    , m_binding(binding)
    , m_plan(std::move(plan))
    , m_timer(new QTimer(this))
{
    m_window.resize(pictureSize);
    connect(m_timer, &QTimer::timeout, this, &FleetPicture::look);
    m_timer->start(stepMs);
}

void FleetPicture::look()
{
    m_waitedMs += stepMs;
    if (m_watchedMs < 0) {
        if (!m_binding.isSettled() && m_waitedMs < m_plan.limitMs)
            return;
        m_watchedMs = 0;
        if (!m_plan.keepHost)
            m_window.openHost(mostInNeed(m_window.store()));
        const HostData *host = m_window.store().find(m_window.currentHost());
        if (!host || !host->snapshot)
            finish();
        return;
    }
    m_watchedMs += stepMs;
    if (m_watchedMs >= m_plan.watchMs)
        finish();
}

void FleetPicture::finish()
{
    m_timer->stop();
    std::fputs(qPrintable(fleetTable(m_window)), stdout);
    std::fflush(stdout);
    const std::optional<Error> failure = m_binding.firstFailure();
    if (failure)
        std::fprintf(stderr, "pilothouse: %s\n", qPrintable(sentenceOf(*failure)));
    if (!m_window.grab().save(m_plan.file, "PNG")) {
        std::fprintf(stderr, "pilothouse: %s cannot be written.\n", qPrintable(m_plan.file));
        emit done(exitCodeOf(ErrorCode::LocalIo));
        return;
    }
    emit done(failure ? exitCodeOf(failure->code) : 0);
}

QString fleetTable(const MainWindow &window)
{
    const HostStore &store = window.store();
    QList<QStringList> rows{{u"HOST"_s, u"STATE"_s, u"GPUS"_s, u"MEMORY"_s, u"AGE"_s}};
    for (const QString &name : store.names()) {
        const HostData &host = *store.find(name);
        rows << QStringList{name, summaryOf(host, store.now()).word, host.snapshot ? gpuWords(*host.snapshot) : u"–"_s,
                            host.snapshot ? memoryWords(host) : u"–"_s,
                            host.snapshot ? ageWords(host, store.now()) : u"–"_s};
    }
    QList<qsizetype> widths(rows.first().size(), 0);
    for (const QStringList &row : std::as_const(rows)) {
        for (qsizetype i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths.at(i), row.at(i).size());
    }
    QString text;
    for (const QStringList &row : std::as_const(rows)) {
        QString line;
        for (qsizetype i = 0; i < row.size(); ++i)
            line += row.at(i).leftJustified(widths.at(i) + 2);
        text += line.trimmed() + u'\n';
    }
    return text;
}

} // namespace pilothouse
