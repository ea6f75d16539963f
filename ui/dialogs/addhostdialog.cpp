// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/addhostdialog.h"

#include "core/ssh/sshtarget.h"
#include "ui/dialogs/hostfields.h"
#include "ui/dialogs/hosttestpanel.h"
#include "ui/text/errortext.h"
#include "ui/theme/plain.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

AddHostDialog::AddHostDialog(const Theme &theme, const QStringList &aliases, const QStringList &taken, QWidget *parent)
    : QDialog(parent)
    , m_taken(taken)
    , m_aliasFilter(new QLineEdit)
    , m_aliases(new QListWidget)
    , m_target(new QLineEdit)
    , m_name(new QLineEdit)
    , m_unit(new QLineEdit)
    , m_access(new QComboBox)
    , m_sudo(new QComboBox)
    , m_message(plainLabel({}))
    , m_test(new HostTestPanel(theme))
    , m_add(nullptr)
{
    setObjectName(u"addHostDialog"_s);
    setWindowTitle(tr("Add Host"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto *column = new QVBoxLayout(this);
    auto *row = new QHBoxLayout;
    row->setSpacing(space(this, 4));
    column->addLayout(row);
    buildAliases(aliases);
    buildFields();
    m_message->setObjectName(u"addHostMessage"_s);
    m_message->setWordWrap(true);
    m_message->setMinimumHeight(fontMetrics().height() * 2);
    tint(m_message, theme, ColorId::SeverityWarning);
    column->addWidget(m_message);
    column->addWidget(m_test, 1);
    connect(m_test, &HostTestPanel::started, this, [this] { emit testRequested(typed()); });
    connect(m_test, &HostTestPanel::stopped, this, &AddHostDialog::testStopped);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_add = buttons->addButton(tr("&Add"), QDialogButtonBox::AcceptRole);
    m_add->setObjectName(u"addHostAdd"_s);
    QPushButton *cancel = buttons->button(QDialogButtonBox::Cancel);
    cancel->setObjectName(u"addHostCancel"_s);
    column->addWidget(buttons);
    cancel->setAutoDefault(false);
    m_add->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &AddHostDialog::submit);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    m_target->setFocus();
    check();
}

void AddHostDialog::buildAliases(const QStringList &aliases)
{
    auto *group = new QGroupBox(tr("From the SSH configuration"));
    auto *column = new QVBoxLayout(group);
    m_aliasFilter->setObjectName(u"aliasFilter"_s);
    m_aliasFilter->setAccessibleName(tr("Filter aliases"));
    m_aliasFilter->setPlaceholderText(tr("Filter"));
    m_aliasFilter->setClearButtonEnabled(true);
    m_aliases->setObjectName(u"aliasList"_s);
    m_aliases->setAccessibleName(tr("Aliases of the SSH configuration"));
    m_aliases->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_aliases->setMinimumWidth(fontMetrics().averageCharWidth() * 30);
    m_aliases->setMinimumHeight(fontMetrics().height() * 12);
    m_aliases->addItems(aliases);
    column->addWidget(m_aliasFilter);
    column->addWidget(m_aliases, 1);
    if (aliases.isEmpty()) {
        QLabel *none = plainLabel(tr("It names no hosts (patterns do not count)."));
        none->setObjectName(u"aliasNone"_s);
        none->setWordWrap(true);
        column->addWidget(none);
        m_aliasFilter->setEnabled(false);
        m_aliases->setEnabled(false);
    }
    static_cast<QHBoxLayout *>(layout()->itemAt(0)->layout())->addWidget(group);
    connect(m_aliasFilter, &QLineEdit::textChanged, this, &AddHostDialog::filterAliases);
    connect(m_aliases, &QListWidget::itemSelectionChanged, this, &AddHostDialog::onAliasesChosen);
    connect(m_aliases, &QListWidget::itemDoubleClicked, this, &AddHostDialog::submit);
}

void AddHostDialog::buildFields()
{
    auto *group = new QGroupBox(tr("By hand"));
    auto *form = new QFormLayout(group);
    m_target->setPlaceholderText(tr("alias or [user@]host[:port]"));
    m_target->setMinimumWidth(fontMetrics().averageCharWidth() * 34);
    m_unit->setPlaceholderText(tr("vllm.service, optional"));
    fillWithAccess(m_access);
    fillWithSudo(m_sudo);
    addField(form, tr("&SSH target"), m_target, u"addHostTarget"_s, tr("IPv6 addresses in brackets"));
    addField(form, tr("&Name"), m_name, u"addHostName"_s, tr("Shown everywhere; unique"));
    addField(form, tr("&Unit"), m_unit, u"addHostUnit"_s, tr("A systemd unit to watch on this host"));
    addField(form, tr("Acc&ess"), m_access, u"addHostAccess"_s, tr("What this console may do on the host"));
    addField(form, tr("Su&do"), m_sudo, u"addHostSudo"_s, tr("Whether the probe may use sudo; that equals root"));
    static_cast<QHBoxLayout *>(layout()->itemAt(0)->layout())->addWidget(group, 1);
    connect(m_target, &QLineEdit::textEdited, this, [this](const QString &text) {
        const Result<SshTarget> target = parseTarget(text);
        if (!m_name->isModified())
            m_name->setText(target ? target->host : QString());
        check();
    });
    for (const QLineEdit *field : {m_name, m_unit})
        connect(field, &QLineEdit::textEdited, this, &AddHostDialog::check);
}

void AddHostDialog::startWithAliases()
{
    if (m_aliases->count() > 0)
        m_aliasFilter->setFocus();
}

void AddHostDialog::startWith(const HostSpec &spec)
{
    m_target->setText(spec.ssh);
    m_name->setText(spec.name);
    m_name->setModified(true);
    m_taken.removeAll(spec.name);
    check();
}

void AddHostDialog::showFailure(const QString &text)
{
    m_message->setText(text);
}

void AddHostDialog::filterAliases(const QString &words)
{
    for (int row = 0; row < m_aliases->count(); ++row) {
        QListWidgetItem *item = m_aliases->item(row);
        const bool hidden = !item->text().contains(words.trimmed(), Qt::CaseInsensitive);
        item->setHidden(hidden);
        if (hidden)
            item->setSelected(false);
    }
}

void AddHostDialog::onAliasesChosen()
{
    const QStringList chosen = chosenAliases();
    const bool several = chosen.size() > 1;
    for (QLineEdit *field : {m_target, m_name, m_unit})
        field->setEnabled(!several);
    if (chosen.size() == 1) {
        m_target->setText(chosen.first());
        m_name->setText(chosen.first());
    }
    check();
}

QStringList AddHostDialog::chosenAliases() const
{
    QStringList chosen;
    for (int row = 0; row < m_aliases->count(); ++row) {
        const QListWidgetItem *item = m_aliases->item(row);
        if (item->isSelected())
            chosen << item->text();
    }
    return chosen;
}

HostSpec AddHostDialog::typed() const
{
    HostSpec spec;
    spec.name = m_name->text().trimmed();
    spec.ssh = m_target->text().trimmed();
    spec.access = static_cast<Access>(m_access->currentData().toInt());
    spec.sudo = static_cast<SudoPolicy>(m_sudo->currentData().toInt());
    const QString unit = m_unit->text().trimmed();
    if (!unit.isEmpty()) {
        ServiceSpec service;
        service.unit = unit;
        service.name = unit.section(u'.', 0, 0);
        spec.services << service;
    }
    return spec;
}

QString AddHostDialog::complaint() const
{
    const HostSpec spec = typed();
    if (spec.ssh.isEmpty())
        return tr("Write an SSH target or choose aliases.");
    if (const Result<SshTarget> target = parseTarget(spec.ssh); !target)
        return paragraphOf(target.error());
    if (spec.name.isEmpty())
        return tr("Write a name.");
    if (m_taken.contains(spec.name))
        return tr("The name %1 is taken.").arg(spec.name);
    return {};
}

void AddHostDialog::check()
{
    const QStringList chosen = chosenAliases();
    if (chosen.size() > 1) {
        const auto isKnown = [this](const QString &name) { return m_taken.contains(name); };
        const auto known = std::ranges::count_if(chosen, isKnown);
        m_message->setText(known == 0 ? tr("%1 hosts will be added.").arg(chosen.size())
                                      : tr("To be added: %1. There already: %2.")
                                            .arg(chosen.size() - known)
                                            .arg(known));
        m_add->setEnabled(known < chosen.size());
        m_test->setReady(false);
        return;
    }
    const QString text = complaint();
    m_message->setText(text);
    m_add->setEnabled(text.isEmpty());
    m_test->setReady(parseTarget(typed().ssh).has_value()); // whether or not it has a name yet
}

void AddHostDialog::submit()
{
    check();
    if (!m_add->isEnabled())
        return;
    QList<HostSpec> hosts;
    const QStringList chosen = chosenAliases();
    if (chosen.size() <= 1) {
        hosts << typed();
    } else {
        for (const QString &alias : chosen) {
            if (m_taken.contains(alias))
                continue;
            HostSpec spec = typed();
            spec.services.clear();
            spec.name = alias;
            spec.ssh = alias;
            hosts << spec;
        }
    }
    emit submitted(hosts);
}

} // namespace pilothouse
