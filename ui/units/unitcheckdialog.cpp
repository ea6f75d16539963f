// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/units/unitcheckdialog.h"

#include "core/fleet/inventoryreader.h"
#include "core/units/findingtext.h"
#include "ui/theme/plain.h"
#include "ui/theme/runlabel.h"
#include "ui/theme/theme.h"
#include "ui/units/findinglist.h"

#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int widthInCharacters = 110;
constexpr int heightInLines = 32;
constexpr double headlineScale = 1.25;

} // namespace

UnitCheckDialog::UnitCheckDialog(const Theme &theme, const QString &host, const QList<ServiceSpec> &services,
                                 QWidget *parent)
    : QDialog(parent)
    , m_host(host)
    , m_choice(new QComboBox)
    , m_headline(new RunLabel(theme))
    , m_list(new FindingList(theme))
{
    setObjectName(u"unitCheckDialog"_s);
    setWindowTitle(tr("Unit Check on %1").arg(host));
    setAttribute(Qt::WA_DeleteOnClose);
    m_headline->setObjectName(u"unitCheckHeadline"_s);
    m_headline->setScale(headlineScale);
    m_choice->setObjectName(u"unitCheckUnit"_s);
    m_choice->setEditable(true);
    m_choice->setInsertPolicy(QComboBox::NoInsert);
    m_choice->setAccessibleName(tr("Unit"));
    for (const ServiceSpec &service : services) {
        if (m_choice->findText(service.unit) < 0)
            m_choice->addItem(service.unit, service.userScope);
    }
    auto *check = new QPushButton(tr("C&heck"));
    check->setObjectName(u"unitCheckGo"_s);
    check->setDefault(true);
    auto *unit = new QLabel(tr("&Unit"));
    unit->setBuddy(m_choice);
    auto *row = new QHBoxLayout;
    row->setSpacing(space(this, 2));
    row->addWidget(unit);
    row->addWidget(m_choice, 1);
    row->addWidget(check);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    m_copy = buttons->addButton(tr("Copy for &Ticket"), QDialogButtonBox::ActionRole);
    m_copy->setObjectName(u"unitCheckCopy"_s);
    m_copy->setAutoDefault(false);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(space(this, 4), space(this, 4), space(this, 4), space(this, 4));
    column->setSpacing(space(this, 3));
    column->addLayout(row);
    column->addWidget(m_headline);
    column->addWidget(m_list, 1);
    column->addWidget(buttons);
    const QSize wanted(fontMetrics().averageCharWidth() * widthInCharacters,
                       fontMetrics().lineSpacing() * heightInLines);
    resize(parent ? wanted.boundedTo(parent->size() * 0.94) : wanted);

    connect(check, &QPushButton::clicked, this, &UnitCheckDialog::begin);
    connect(m_choice, &QComboBox::activated, this, &UnitCheckDialog::begin);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(findingsText(m_unit, m_findings)); });
}

void UnitCheckDialog::begin()
{
    m_findings.clear();
    m_copy->setEnabled(false);
    const QString typed = m_choice->currentText().trimmed();
    const std::optional<QString> unit = fullUnitName(typed);
    if (!unit) {
        m_unit.clear();
        m_headline->setSeverity(std::nullopt);
        m_headline->setRuns(
            {{typed.isEmpty() ? tr("Which unit?") : tr("This is no name of a unit."), ColorId::Text, true}});
        m_list->showWords(tr("Type the name of a systemd unit of %1, as vllm.service.").arg(m_host));
        m_choice->setFocus();
        return;
    }
    m_unit = *unit;
    m_headline->setSeverity(Severity::Notice);
    m_headline->setRuns({{tr("Reading %1…").arg(m_unit), ColorId::Text, true}});
    m_list->showWords(tr("Its files and settings are read from %1; nothing is changed.").arg(m_host));
    const int known = m_choice->findText(m_unit);
    emit checkRequested(m_unit, known >= 0 && m_choice->itemData(known).toBool());
}

void UnitCheckDialog::showFindings(const QList<UnitFinding> &findings)
{
    m_findings = findings;
    m_copy->setEnabled(true);
    m_headline->setSeverity(findings.isEmpty()    ? Severity::Ok
                            : hasErrors(findings) ? Severity::Critical
                                                  : Severity::Warning);
    m_headline->setRuns({{headlineOf(m_unit, findings), ColorId::Text, true}});
    if (findings.isEmpty())
        m_list->showWords(tr("No finding: nothing in its files is known to go wrong on a GPU host."));
    else
        m_list->showFindings(findings);
}

void UnitCheckDialog::showTrouble(const QString &words)
{
    m_headline->setSeverity(Severity::Warning);
    m_headline->setRuns({{tr("%1 could not be read.").arg(m_unit), ColorId::Text, true}});
    m_list->showWords(words);
}

} // namespace pilothouse
