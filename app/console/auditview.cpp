// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/auditview.h"

#include "ui/dialogs/textdialog.h"
#include "ui/text/errortext.h"
#include "ui/window/mainwindow.h"

#include <QSet>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype most = 500;
constexpr qsizetype mostNamed = 4;

QString wordOf(const AuditRecord &record, bool answered)
{
    if (record.phase == AuditRecord::Phase::Intent)
        return answered ? AuditView::tr("begins") : AuditView::tr("outcome unknown");
    switch (record.result) {
    case AuditRecord::Result::Done: return AuditView::tr("done");
    case AuditRecord::Result::Failed: return AuditView::tr("failed");
    case AuditRecord::Result::Refused: return AuditView::tr("refused");
    case AuditRecord::Result::None: break;
    }
    return {};
}

QString objectsOf(const AuditRecord &record)
{
    QStringList names;
    for (const AuditObject &object : record.objects) {
        if (names.size() < mostNamed)
            names << (object.process ? QString::number(object.process->pid.value) + u' ' + object.name : object.name);
    }
    if (record.objects.size() > mostNamed)
        names << AuditView::tr("and %1 more").arg(record.objects.size() - mostNamed);
    return names.join(u"; "_s);
}

} // namespace

QString auditText(const QList<AuditRecord> &records)
{
    QSet<QString> answered;
    for (const AuditRecord &record : records) {
        if (record.phase == AuditRecord::Phase::Outcome)
            answered.insert(record.operation);
    }
    QStringList lines;
    for (auto record = records.crbegin(); record != records.crend(); ++record) {
        const QString word = wordOf(*record, answered.contains(record->operation));
        lines << record->at.toLocalTime().toString(u"yyyy-MM-dd HH:mm:ss"_s) + u"  "_s + word.leftJustified(16)
                + record->host.leftJustified(12) + u' ' + record->action.leftJustified(14) + u' ' + record->person
                + u": "_s + record->text;
        if (record->phase == AuditRecord::Phase::Intent && !record->objects.isEmpty())
            lines << QString(21, u' ') + objectsOf(*record);
    }
    return lines.join(u'\n');
}

AuditView::AuditView(MainWindow &window, QString stateDir, QObject *parent)
    : QObject(parent)
    , m_window(window)
    , m_stateDir(std::move(stateDir))
    , m_records([this](const Result<QList<AuditRecord>> &records) {
        if (!records) {
            m_window.showFailure(tr("Audit"), paragraphOf(records.error()));
            return;
        }
        const QString file = AuditLog(m_stateDir).file();
        const QString text = records->isEmpty() ? tr("Nothing has been done to any host from this account.")
                                                : auditText(*records);
        showText(&m_window, u"auditDialog"_s, tr("Audit: What Was Done to Hosts"), text + u"\n\n"_s + file);
    })
{
    connect(&window, &MainWindow::auditRequested, this, &AuditView::show);
}

void AuditView::show()
{
    m_records.run([folder = m_stateDir] { return AuditLog(folder).last(most); });
}

} // namespace pilothouse
