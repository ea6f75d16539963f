// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/edithostdialog.h"

#include "core/fleet/inventorydiff.h"
#include "core/ssh/sshtarget.h"
#include "ui/dialogs/hostfields.h"
#include "ui/dialogs/serviceseditor.h"
#include "ui/text/errortext.h"
#include "ui/theme/plain.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int maxGpus = 4096;
constexpr int maxThresholdMib = 100'000'000;

} // namespace

EditHostDialog::EditHostDialog(const Theme &theme, const HostSpec &host, const QStringList &taken, QWidget *parent)
    : QDialog(parent)
    , m_base(host)
    , m_taken(taken)
    , m_name(new QLineEdit)
    , m_ssh(new QLineEdit)
    , m_tags(new QLineEdit)
    , m_access(new QComboBox)
    , m_sudo(new QComboBox)
    , m_gpus(new QSpinBox)
    , m_threshold(new QSpinBox)
    , m_services(new ServicesEditor)
    , m_message(plainLabel({}))
    , m_save(nullptr)
{
    setObjectName(u"editHostDialog"_s);
    setWindowTitle(isReadOnly(host.origin) ? tr("Host %1").arg(host.name) : tr("Edit Host %1").arg(host.name));
    setAttribute(Qt::WA_DeleteOnClose);
    auto *column = new QVBoxLayout(this);
    column->setSpacing(space(this, 3));
    addReason(theme);
    auto *row = new QHBoxLayout;
    row->setSpacing(space(this, 4));
    column->addLayout(row);
    buildHost();
    auto *group = new QGroupBox(tr("Services"));
    auto *groupColumn = new QVBoxLayout(group);
    groupColumn->addWidget(m_services);
    row->addWidget(group, 1);
    m_message->setObjectName(u"editHostMessage"_s);
    m_message->setWordWrap(true);
    m_message->setMinimumHeight(fontMetrics().height() * 2);
    tint(m_message, theme, ColorId::SeverityWarning);
    column->addWidget(m_message);

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    QPushButton *cancel = buttons->button(QDialogButtonBox::Cancel);
    cancel->setObjectName(u"editHostCancel"_s);
    QPushButton *file = buttons->addButton(tr("&Open File"), QDialogButtonBox::ActionRole);
    file->setObjectName(u"editHostFile"_s);
    file->setToolTip(m_base.source);
    m_save = buttons->addButton(tr("&Save"), QDialogButtonBox::AcceptRole);
    m_save->setObjectName(u"editHostSave"_s);
    column->addWidget(buttons);
    cancel->setAutoDefault(false);
    file->setAutoDefault(false);
    m_save->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &EditHostDialog::submit);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(file, &QPushButton::clicked, this, [this] { emit fileRequested(m_base.source); });
    for (const QLineEdit *field : {m_name, m_ssh, m_tags})
        connect(field, &QLineEdit::textEdited, this, &EditHostDialog::check);
    connect(m_services, &ServicesEditor::edited, this, &EditHostDialog::check);
    fill(host);
    m_name->setFocus();
    if (isReadOnly(host.origin)) {
        setReadOnly();
        m_save->hide();
        cancel->setText(tr("&Close"));
        cancel->setFocus();
    } else {
        check();
    }
}

void EditHostDialog::addReason(const Theme &theme)
{
    if (!isReadOnly(m_base.origin))
        return;
    const QString text = m_base.origin == HostOrigin::Included
        ? tr("This host stands in %1, a file that hosts.toml includes. Whoever keeps that file changes it there.")
        : tr("This host is imported from %1 and is changed there.");
    QLabel *reason = plainLabel(text.arg(m_base.source));
    reason->setObjectName(u"editHostReason"_s);
    reason->setWordWrap(true);
    tint(reason, theme, ColorId::SeverityNotice);
    layout()->addWidget(reason);
}

void EditHostDialog::buildHost()
{
    auto *group = new QGroupBox(tr("Host"));
    auto *form = new QFormLayout(group);
    m_ssh->setPlaceholderText(tr("alias or [user@]host[:port]"));
    m_ssh->setMinimumWidth(fontMetrics().averageCharWidth() * 30);
    m_tags->setPlaceholderText(tr("prod, rack-3"));
    fillWithAccess(m_access);
    fillWithSudo(m_sudo);
    m_gpus->setRange(0, maxGpus);
    m_gpus->setSpecialValueText(tr("not said"));
    m_threshold->setRange(0, maxThresholdMib);
    m_threshold->setSuffix(tr(" MiB"));
    addField(form, tr("&Name"), m_name, u"editHostName"_s, tr("Shown everywhere; unique"));
    addField(form, tr("SSH &target"), m_ssh, u"editHostSsh"_s, tr("IPv6 addresses in brackets; empty: the name"));
    addField(form, tr("T&ags"), m_tags, u"editHostTags"_s, tr("Separated by commas"));
    addField(form, tr("Acc&ess"), m_access, u"editHostAccess"_s, tr("What this console may do on the host"));
    addField(form, tr("Su&do"), m_sudo, u"editHostSudo"_s, tr("Whether the probe may use sudo; that equals root"));
    addField(form, tr("E&xpected GPUs"), m_gpus, u"editHostGpus"_s, tr("Fewer are a problem that is shown"));
    addField(form, tr("&Free below"), m_threshold, u"editHostThreshold"_s,
             tr("With less memory in use a GPU counts as free"));
    static_cast<QHBoxLayout *>(layout()->itemAt(layout()->count() - 1)->layout())->addWidget(group);
}

void EditHostDialog::setReadOnly()
{
    for (QLineEdit *field : {m_name, m_ssh, m_tags}) {
        field->setReadOnly(true);
        field->setPlaceholderText({});
    }
    m_message->hide();
    for (QWidget *field : std::initializer_list<QWidget *>{m_access, m_sudo, m_gpus, m_threshold})
        field->setEnabled(false);
    m_services->setReadOnly();
}

void EditHostDialog::fill(const HostSpec &host)
{
    m_name->setText(host.name);
    m_ssh->setText(host.ssh);
    m_tags->setText(host.tags.join(u", "_s));
    m_access->setCurrentIndex(m_access->findData(static_cast<int>(host.access)));
    m_sudo->setCurrentIndex(m_sudo->findData(static_cast<int>(host.sudo)));
    m_gpus->setValue(host.expectedGpus);
    m_threshold->setValue(host.thresholdMib);
    m_services->setServices(host.services);
}

void EditHostDialog::showFailure(const QString &text)
{
    m_message->setText(text);
    m_save->setEnabled(true);
}

void EditHostDialog::rebase(const HostSpec &host, const QString &difference)
{
    fill(mergedHost(m_base, typed(), host));
    m_base = host;
    check();
    if (m_save->isEnabled())
        m_message->setText(difference);
}

HostSpec EditHostDialog::typed() const
{
    HostSpec host = m_base;
    host.name = m_name->text().trimmed();
    host.ssh = m_ssh->text().trimmed();
    if (host.ssh.isEmpty())
        host.ssh = host.name;
    if (const QStringList tags = listOf(m_tags->text()); tags.join(u", "_s) != m_base.tags.join(u", "_s))
        host.tags = tags; // a tag with a comma inside stays one as long as nobody touches the field
    host.access = static_cast<Access>(m_access->currentData().toInt());
    host.sudo = static_cast<SudoPolicy>(m_sudo->currentData().toInt());
    host.expectedGpus = m_gpus->value();
    host.thresholdMib = m_threshold->value();
    host.services = m_services->services();
    return host;
}

QString EditHostDialog::complaint() const
{
    const HostSpec host = typed();
    if (host.name.isEmpty())
        return tr("Write a name.");
    if (m_taken.contains(host.name))
        return tr("The name %1 is taken.").arg(host.name);
    if (const Result<SshTarget> target = parseTarget(host.ssh); !target)
        return paragraphOf(target.error());
    return m_services->complaint();
}

void EditHostDialog::check()
{
    const QString text = complaint();
    m_message->setText(text);
    m_save->setEnabled(text.isEmpty());
}

void EditHostDialog::submit()
{
    check();
    if (!m_save->isEnabled())
        return;
    m_save->setEnabled(false); // until it is saved or has failed
    emit submitted(typed());
}

} // namespace pilothouse
