// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/incidentexport.h"

#include "ui/host/hostsummary.h"
#include "ui/text/errortext.h"
#include "ui/window/mainwindow.h"

#include <QDir>
#include <QFileDialog>

namespace pilothouse {

using namespace Qt::StringLiterals;

IncidentExport::IncidentExport(MainWindow &window, Fleet &fleet, QObject *parent)
    : QObject(parent)
    , m_window(window)
    , m_fleet(fleet)
    , m_written([this](const Written &written) {
        if (!written.failure.isEmpty())
            m_window.showFailure(tr("Export Incident"), written.failure);
        emit exported(written.file, written.failure);
    })
{
    connect(&window, &MainWindow::incidentRequested, this, &IncidentExport::begin);
}

void IncidentExport::begin(const QString &name)
{
    QString word = name;
    word.replace(u'/', u'_');
    const QString proposed = u"%1-%2.tar.gz"_s.arg(word, m_window.store().now().toString(u"yyyyMMdd-HHmmss"_s));
    auto *files = new QFileDialog(&m_window, tr("Export Incident"), QDir::homePath());
    files->setObjectName(u"incidentFiles"_s);
    files->setAttribute(Qt::WA_DeleteOnClose);
    files->setAcceptMode(QFileDialog::AcceptSave);
    files->setFileMode(QFileDialog::AnyFile);
    files->selectFile(proposed);
    connect(files, &QFileDialog::fileSelected, this, [this, name](const QString &file) { exportTo(name, file); });
    files->open();
}

void IncidentExport::exportTo(const QString &name, const QString &file)
{
    const HostData *host = m_window.store().find(name);
    if (!host || !host->snapshot)
        return;
    Incident incident;
    incident.at = m_window.store().now();
    incident.ticket = summaryText(*host, incident.at) + u'\n';
    incident.snapshot = host->findings ? host->findings->snapshot : host->snapshot;
    HostLink *link = m_fleet.link(name);
    if (!host->findings || !link || !host->isConnected()) {
        incident.evidenceTrouble = u"the host was not connected, or had not been looked at closely yet."_s;
        if (host->findings)
            incident.diagnosis = host->findings->diagnosis;
        write(file, incident);
        return;
    }
    incident.diagnosis = host->findings->diagnosis;
    const quint64 number = link->act(evidenceRequest(*host->findings->snapshot, incident.diagnosis), {});
    const auto answer = std::make_shared<QMetaObject::Connection>();
    *answer = connect(link, &HostLink::acted, this,
                      [this, answer, number, file, incident](quint64 id, const ActionResult &result) {
                          if (id != number)
                              return;
                          Incident whole = incident;
                          if (result.answer)
                              whole.evidence = result.answer->evidence;
                          else
                              whole.evidenceTrouble = sentenceOf(*result.error);
                          disconnect(*answer);
                          write(file, whole);
                      });
}

void IncidentExport::write(const QString &file, const Incident &incident)
{
    m_written.run([file, incident] {
        const Result<void> done = exportIncident(file, incident);
        return Written{file, done ? QString() : paragraphOf(done.error())};
    });
}

} // namespace pilothouse
