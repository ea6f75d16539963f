// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/importdialog.h"

#include "ui/theme/plain.h"
#include "ui/theme/theme.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QRadioButton>
#include <QSignalBlocker>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

enum Column { NameColumn, TargetColumn, TagsColumn, RemarkColumn };

constexpr int indexRole = Qt::UserRole;

} // namespace

ImportDialog::ImportDialog(const Theme &theme, QWidget *parent)
    : QDialog(parent)
    , m_theme(theme)
    , m_ssh(new QRadioButton(tr("&SSH configuration")))
    , m_ansible(new QRadioButton(tr("&Ansible inventory")))
    , m_file(new QPushButton(tr("&Choose File…")))
    , m_source(plainLabel({}))
    , m_hosts(new QTreeWidget)
    , m_notes(plainLabel({}))
    , m_summary(plainLabel({}))
    , m_message(plainLabel({}))
    , m_import(nullptr)
{
    setObjectName(u"importDialog"_s);
    setWindowTitle(tr("Import Hosts"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto *column = new QVBoxLayout(this);
    column->setSpacing(space(this, 3));
    buildSource();
    m_hosts->setObjectName(u"importHosts"_s);
    m_hosts->setAccessibleName(tr("Hosts"));
    m_hosts->setHeaderLabels({tr("Host"), tr("SSH Target"), tr("Tags"), tr("Remark")});
    m_hosts->setRootIsDecorated(false);
    m_hosts->setUniformRowHeights(true);
    m_hosts->setMinimumSize(fontMetrics().averageCharWidth() * 100, fontMetrics().height() * 16);
    column->addWidget(m_hosts, 1);
    for (QLabel *label : {m_notes, m_summary, m_message}) {
        label->setWordWrap(true);
        column->addWidget(label);
    }
    m_notes->setObjectName(u"importNotes"_s);
    m_summary->setObjectName(u"importSummary"_s);
    m_message->setObjectName(u"importMessage"_s);
    tint(m_notes, theme, ColorId::TextMuted);
    tint(m_message, theme, ColorId::SeverityWarning);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_import = buttons->addButton(tr("&Import"), QDialogButtonBox::AcceptRole);
    m_import->setObjectName(u"importImport"_s);
    m_import->setDefault(true);
    QPushButton *cancel = buttons->button(QDialogButtonBox::Cancel);
    cancel->setObjectName(u"importCancel"_s);
    cancel->setAutoDefault(false);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &ImportDialog::submit);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_hosts, &QTreeWidget::itemChanged, this, &ImportDialog::check);
    check();
}

void ImportDialog::buildSource()
{
    m_ssh->setObjectName(u"importSsh"_s);
    m_ansible->setObjectName(u"importAnsible"_s);
    m_file->setObjectName(u"importFile"_s);
    m_file->setAutoDefault(false);
    m_file->setEnabled(false);
    m_source->setObjectName(u"importSource"_s);
    tint(m_source, m_theme, ColorId::TextMuted);
    m_ssh->setChecked(true);
    auto *row = new QHBoxLayout;
    row->setSpacing(space(this, 3));
    for (QWidget *widget : std::initializer_list<QWidget *>{m_ssh, m_ansible, m_file})
        row->addWidget(widget);
    row->addWidget(m_source, 1);
    static_cast<QVBoxLayout *>(layout())->addLayout(row);
    connect(m_ssh, &QRadioButton::toggled, this, [this](bool ssh) {
        m_file->setEnabled(!ssh);
        showList({}, {}, {});
        if (ssh)
            emit sshWanted();
        else
            showFailure(tr("Choose the file of the inventory, INI or YAML."));
    });
    connect(m_file, &QPushButton::clicked, this, &ImportDialog::chooseFile);
}

void ImportDialog::chooseFile()
{
    auto *files = new QFileDialog(this, tr("Ansible Inventory"), QDir::homePath());
    files->setObjectName(u"importFiles"_s);
    files->setAttribute(Qt::WA_DeleteOnClose);
    files->setFileMode(QFileDialog::ExistingFile);
    connect(files, &QFileDialog::fileSelected, this, &ImportDialog::ansibleWanted);
    files->open();
}

void ImportDialog::showList(const ImportList &list, const QHash<QString, QString> &taken, const QStringList &before)
{
    m_list = list;
    m_source->setText(list.source);
    m_notes->setText(list.notes.join(u'\n'));
    m_notes->setVisible(!list.notes.isEmpty());
    {
        const QSignalBlocker quiet(m_hosts);
        m_hosts->clear();
        for (const ImportedHost &host : list.hosts)
            addHostRow(host, taken.value(host.spec.name), before.contains(host.spec.name));
        for (const ImportLeftOut &left : list.leftOut)
            addLeftOutRow(left);
        for (int i = 0; i < RemarkColumn; ++i)
            m_hosts->resizeColumnToContents(i);
    }
    check();
}

void ImportDialog::addHostRow(const ImportedHost &host, const QString &takenBy, bool before)
{
    auto *item = new QTreeWidgetItem(m_hosts);
    const QString tags = host.spec.tags.join(u", "_s);
    QStringList remarks = host.notes;
    if (!takenBy.isEmpty())
        remarks.prepend(tr("In %1 already").arg(takenBy));
    else if (before)
        remarks.prepend(tr("Imported before"));
    item->setText(NameColumn, host.spec.name);
    item->setText(TargetColumn, host.spec.ssh);
    item->setText(TagsColumn, tags);
    item->setText(RemarkColumn, remarks.join(u' '));
    for (int i = NameColumn; i <= RemarkColumn; ++i)
        item->setToolTip(i, plainToolTip(item->text(i)));
    item->setData(NameColumn, indexRole, m_hosts->topLevelItemCount() - 1);
    item->setCheckState(NameColumn, takenBy.isEmpty() ? Qt::Checked : Qt::Unchecked);
    if (!takenBy.isEmpty())
        item->setDisabled(true);
}

void ImportDialog::addLeftOutRow(const ImportLeftOut &left)
{
    auto *item = new QTreeWidgetItem(m_hosts);
    item->setText(NameColumn, left.name);
    item->setText(RemarkColumn, tr("Left out: %1").arg(left.why));
    item->setToolTip(RemarkColumn, plainToolTip(left.why));
    item->setDisabled(true);
}

QList<HostSpec> ImportDialog::chosen() const
{
    QList<HostSpec> hosts;
    for (int row = 0; row < m_hosts->topLevelItemCount() && row < m_list.hosts.size(); ++row) {
        const QTreeWidgetItem *item = m_hosts->topLevelItem(row);
        if (!item->isDisabled() && item->checkState(NameColumn) == Qt::Checked)
            hosts << m_list.hosts.at(item->data(NameColumn, indexRole).toInt()).spec;
    }
    return hosts;
}

void ImportDialog::check()
{
    const auto count = chosen().size();
    m_import->setEnabled(count > 0);
    QString summary;
    if (m_list.hosts.isEmpty() && !m_list.source.isEmpty())
        summary = tr("There is no host in it that could be imported.");
    else if (m_list.hosts.size() == 1 && count == 1)
        summary = tr("The host will be imported, read-only, in imported/%1.toml. A new import replaces that file.")
                      .arg(m_list.name);
    else if (!m_list.hosts.isEmpty())
        summary =
            tr("%1 of %2 hosts will be imported, read-only, in imported/%3.toml. A new import replaces that file.")
                .arg(QString::number(count), QString::number(m_list.hosts.size()), m_list.name);
    m_summary->setText(summary);
    showFailure({});
}

void ImportDialog::showFailure(const QString &text)
{
    m_message->setText(text);
    m_message->setVisible(!text.isEmpty());
}

void ImportDialog::submit()
{
    if (const QList<HostSpec> hosts = chosen(); !hosts.isEmpty())
        emit submitted(hosts);
}

} // namespace pilothouse
