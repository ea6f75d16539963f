// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/hostkeydialog.h"

#include "ui/theme/plain.h"
#include "ui/theme/theme.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QFormLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace pilothouse {

using namespace Qt::StringLiterals;

HostKeyDialog::HostKeyDialog(const Theme &theme, const Question &question, QWidget *parent)
    : QDialog(parent)
    , m_questionId(question.id)
    , m_store(new QCheckBox(tr("&Remember this key")))
{
    setObjectName(u"hostKeyDialog"_s);
    setWindowTitle(tr("Unknown Host Key"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto *column = new QVBoxLayout(this);
    column->setSpacing(space(this, 3));
    QLabel *what = plainLabel(tr("%1 shows a key that is not known here.").arg(question.host));
    what->setWordWrap(true);
    column->addWidget(what);

    auto *form = new QFormLayout;
    const auto addRow = [&](const QString &name, const QString &title, const QString &value, bool fixed) {
        QLabel *label = plainLabel(value);
        label->setObjectName(name);
        label->setAccessibleName(title);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        if (fixed)
            label->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
        form->addRow(plainLabel(title), label);
    };
    addRow(u"hostKeyHost"_s, tr("Host"), question.host, false);
    addRow(u"hostKeyType"_s, tr("Key type"), question.keyType, false);
    addRow(u"hostKeyFingerprint"_s, tr("Fingerprint"), question.fingerprint, true);
    addRow(u"hostKeyFile"_s, tr("Stored in"), question.knownHostsFile, false);
    column->addLayout(form);
    if (!question.note.isEmpty()) {
        QLabel *note = plainLabel(question.note);
        note->setObjectName(u"hostKeyNote"_s);
        note->setWordWrap(true);
        tint(note, theme, ColorId::SeverityWarning);
        column->addWidget(note);
    }
    QLabel *advice = plainLabel(tr("Compare the fingerprint with one that you got from the owner of the host. Anyone "
                                   "between you and the host could show a key of their own."));
    advice->setWordWrap(true);
    tint(advice, theme, ColorId::TextMuted);
    column->addWidget(advice);
    m_store->setObjectName(u"hostKeyStore"_s);
    m_store->setChecked(true);
    column->addWidget(m_store);

    auto *buttons = new QDialogButtonBox;
    QPushButton *accept = buttons->addButton(tr("&Trust and Connect"), QDialogButtonBox::ActionRole);
    QPushButton *cancel = buttons->addButton(QDialogButtonBox::Cancel);
    accept->setObjectName(u"hostKeyAccept"_s);
    cancel->setObjectName(u"hostKeyCancel"_s);
    column->addWidget(buttons);
    accept->setAutoDefault(false);
    cancel->setDefault(true); // only now: a button takes note of its dialog when it is made the default
    cancel->setFocus();
    connect(accept, &QPushButton::clicked, this, [this] { finish(true); });
    connect(this, &QDialog::rejected, this, [this] {
        emit answered({.questionId = m_questionId, .accepted = false, .store = false, .replies = {}});
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

void HostKeyDialog::finish(bool accepted)
{
    emit answered({.questionId = m_questionId, .accepted = accepted, .store = m_store->isChecked(), .replies = {}});
    done(QDialog::Accepted);
}

} // namespace pilothouse
