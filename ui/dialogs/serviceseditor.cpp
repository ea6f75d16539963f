// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/serviceseditor.h"

#include "core/fleet/inventoryreader.h"
#include "ui/dialogs/hostfields.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

bool isGpu(const QString &text)
{
    bool isIndex = false;
    const int index = text.toInt(&isIndex);
    return (isIndex && index >= 0) || text.startsWith(u"GPU-") || text.startsWith(u"MIG-");
}

QString titleOf(const ServiceSpec &service)
{
    return service.name.isEmpty() ? ServicesEditor::tr("(without a name)") : service.name;
}

} // namespace

QStringList listOf(const QString &text)
{
    QStringList items;
    for (const QString &item : text.split(u',')) {
        if (const QString trimmed = item.trimmed(); !trimmed.isEmpty())
            items << trimmed;
    }
    return items;
}

ServicesEditor::ServicesEditor(QWidget *parent)
    : QWidget(parent)
    , m_list(new QListWidget)
    , m_add(new QPushButton(tr("Add Se&rvice")))
    , m_remove(new QPushButton(tr("Remo&ve Service")))
    , m_fields(new QWidget)
    , m_name(new QLineEdit)
    , m_unit(new QLineEdit)
    , m_scope(new QComboBox)
    , m_gpus(new QLineEdit)
    , m_health(new QLineEdit)
    , m_model(new QLineEdit)
    , m_drain(new QLineEdit)
    , m_undrain(new QLineEdit)
{
    setObjectName(u"services"_s);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    m_list->setObjectName(u"serviceList"_s);
    m_list->setAccessibleName(tr("Services"));
    constexpr int rows = 4;
    m_list->setFixedHeight(fontMetrics().height() * rows);
    m_add->setObjectName(u"serviceAdd"_s);
    m_remove->setObjectName(u"serviceRemove"_s);
    m_add->setAutoDefault(false);
    m_remove->setAutoDefault(false);
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(m_add);
    buttons->addWidget(m_remove);
    buttons->addStretch();
    column->addWidget(m_list);
    column->addLayout(buttons);
    buildFields();
    column->addWidget(m_fields);
    column->addStretch();
    connect(m_list, &QListWidget::currentRowChanged, this, &ServicesEditor::choose);
    connect(m_add, &QPushButton::clicked, this, &ServicesEditor::add);
    connect(m_remove, &QPushButton::clicked, this, &ServicesEditor::remove);
    choose(-1);
}

void ServicesEditor::buildFields()
{
    auto *form = new QFormLayout(m_fields);
    form->setContentsMargins(0, 0, 0, 0);
    m_scope->addItem(tr("System"), false);
    m_scope->addItem(tr("User"), true);
    m_unit->setPlaceholderText(u"vllm.service"_s);
    m_gpus->setPlaceholderText(tr("0, 1 or GPU-…; empty: found from its processes"));
    m_health->setPlaceholderText(tr("http://127.0.0.1:8000/health; empty: from the command line"));
    m_gpus->setMinimumWidth(fontMetrics().averageCharWidth() * 44);
    addField(form, tr("Na&me"), m_name, u"serviceName"_s, tr("Stands after the slash in HOST/SERVICE"));
    addField(form, tr("&Unit"), m_unit, u"serviceUnit"_s, tr("Its systemd unit"));
    addField(form, tr("Sco&pe"), m_scope, u"serviceScope"_s, tr("Whose systemd runs it"));
    addField(form, tr("&GPUs"), m_gpus, u"serviceGpus"_s, tr("Indices or UUIDs, separated by commas"));
    addField(form, tr("&Health"), m_health, u"serviceHealth"_s, tr("Where it says that it serves, seen from the host"));
    addField(form, tr("Mode&l"), m_model, u"serviceModel"_s, tr("The model that it serves"));
    addField(form, tr("Dra&in"), m_drain, u"serviceDrain"_s, tr("A command that is run on the host before a stop"));
    addField(form, tr("Undrain"), m_undrain, u"serviceUndrain"_s,
             tr("A command that is run there after it serves again"));
    for (QLineEdit *line : lines())
        connect(line, &QLineEdit::textEdited, this, &ServicesEditor::take);
    connect(m_scope, &QComboBox::activated, this, &ServicesEditor::take);
}

QList<QLineEdit *> ServicesEditor::lines() const
{
    return {m_name, m_unit, m_gpus, m_health, m_model, m_drain, m_undrain};
}

void ServicesEditor::setServices(const QList<ServiceSpec> &services)
{
    m_services = services;
    m_filling = true;
    m_list->clear();
    for (const ServiceSpec &service : services)
        m_list->addItem(titleOf(service));
    m_filling = false;
    m_list->setCurrentRow(services.isEmpty() ? -1 : 0);
    choose(m_list->currentRow());
}

void ServicesEditor::choose(int row)
{
    if (m_filling)
        return;
    const ServiceSpec service = m_services.value(row);
    m_fields->setEnabled(row >= 0);
    m_remove->setEnabled(row >= 0 && m_add->isEnabled());
    m_name->setText(service.name);
    m_unit->setText(service.unit);
    m_scope->setCurrentIndex(m_scope->findData(service.userScope));
    m_gpus->setText(service.gpus.join(u", "_s));
    m_health->setText(service.health);
    m_model->setText(service.model);
    m_drain->setText(service.drain);
    m_undrain->setText(service.undrain);
}

void ServicesEditor::add()
{
    m_services << ServiceSpec();
    m_list->addItem(titleOf(m_services.last()));
    m_list->setCurrentRow(m_list->count() - 1);
    m_name->setFocus();
    emit edited();
}

void ServicesEditor::remove()
{
    const int row = m_list->currentRow();
    if (row < 0)
        return;
    m_services.removeAt(row);
    m_filling = true;
    delete m_list->takeItem(row);
    m_filling = false;
    choose(m_list->currentRow());
    emit edited();
}

void ServicesEditor::take()
{
    const int row = m_list->currentRow();
    if (row < 0)
        return;
    ServiceSpec &service = m_services[row];
    service.name = m_name->text().trimmed();
    service.unit = m_unit->text().trimmed();
    service.userScope = m_scope->currentData().toBool();
    service.gpus = listOf(m_gpus->text());
    service.health = m_health->text().trimmed();
    service.model = m_model->text().trimmed();
    service.drain = m_drain->text().trimmed();
    service.undrain = m_undrain->text().trimmed();
    m_list->item(row)->setText(titleOf(service));
    emit edited();
}

QString ServicesEditor::complaint() const
{
    QStringList names;
    for (const ServiceSpec &service : m_services) {
        if (service.name.isEmpty())
            return tr("A service has no name.");
        if (names.contains(service.name))
            return tr("There are two services named %1.").arg(service.name);
        names << service.name;
        if (!fullUnitName(service.unit))
            return tr("%1: write the name of a systemd unit, like vllm.service.").arg(service.name);
        const auto bad = std::ranges::find_if_not(service.gpus, isGpu);
        if (bad != service.gpus.end())
            return tr("%1: \"%2\" is neither a GPU's index nor its UUID.").arg(service.name, *bad);
    }
    return {};
}

void ServicesEditor::setReadOnly()
{
    m_add->setEnabled(false);
    m_add->hide();
    m_remove->hide();
    for (QLineEdit *line : lines()) {
        line->setReadOnly(true);
        line->setPlaceholderText({}); // an example would be taken for what stands there
    }
    m_scope->setEnabled(false);
}

} // namespace pilothouse
