// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/unitcheckdesk.h"

#include "core/workflow/unitcheck.h"
#include "ui/text/errortext.h"
#include "ui/units/unitcheckdialog.h"
#include "ui/window/mainwindow.h"

namespace pilothouse {

UnitCheckDesk::UnitCheckDesk(const Theme &theme, MainWindow &window, Fleet &fleet, FleetBinding &binding,
                             QObject *parent)
    : QObject(parent)
    , m_theme(theme)
    , m_window(window)
    , m_fleet(fleet)
    , m_binding(binding)
{
    connect(&window, &MainWindow::unitCheckRequested, this, &UnitCheckDesk::open);
}

void UnitCheckDesk::open(const QString &host)
{
    const LiveDiagnosis *diagnosis = m_binding.diagnosisOf(host);
    if (!diagnosis)
        return;
    delete m_dialog;
    m_dialog = new UnitCheckDialog(m_theme, host, diagnosis->host().services, &m_window);
    connect(m_dialog, &UnitCheckDialog::checkRequested, this,
            [this, host](const QString &unit, bool user) { ask(host, unit, user); });
    m_dialog->open();
    m_dialog->begin();
}

void UnitCheckDesk::ask(const QString &host, const QString &unit, bool user)
{
    disconnect(m_answer);
    HostLink *link = m_fleet.link(host);
    const HostData *data = m_window.store().find(host);
    if (!link || !data || !data->snapshot || !data->isConnected()) {
        m_dialog->showTrouble(tr("%1 is not connected.").arg(host));
        return;
    }
    m_question = link->act(unitReadingRequest(*data->snapshot, unit, user), {});
    m_answer = connect(link, &HostLink::acted, this, [this, host](quint64 id, const ActionResult &result) {
        if (id == m_question)
            show(host, result);
    });
}

void UnitCheckDesk::show(const QString &host, const ActionResult &result)
{
    disconnect(m_answer);
    const LiveDiagnosis *diagnosis = m_binding.diagnosisOf(host);
    const HostData *data = m_window.store().find(host);
    if (!m_dialog || !diagnosis || !data || !data->snapshot)
        return;
    if (!result.answer) {
        m_dialog->showTrouble(paragraphOf(*result.error));
        return;
    }
    const UnitReading &reading = result.answer->reading;
    if (reading.state == UnitReading::State::Read)
        m_dialog->showFindings(checkReading(reading, *data->snapshot, diagnosis->lineage()));
    else
        m_dialog->showTrouble(reading.words);
}

} // namespace pilothouse
