// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/secretdialog.h"

#include "ui/theme/plain.h"
#include "ui/theme/theme.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int mostFieldsInSight = 8;

QString titleOf(const Question &question)
{
    switch (question.kind) {
    case Question::Kind::KeyPassphrase: return SecretDialog::tr("Passphrase for a Key");
    case Question::Kind::Password: return SecretDialog::tr("Password");
    case Question::Kind::SudoPassword: return SecretDialog::tr("Password for sudo");
    default: return SecretDialog::tr("Sign-in");
    }
}

QString whatOf(const Question &question)
{
    switch (question.kind) {
    case Question::Kind::KeyPassphrase:
        return SecretDialog::tr("The key %1 is locked. Its passphrase is used once to sign in to %2 and is not kept.")
            .arg(question.keyFile, question.host);
    case Question::Kind::Password:
        return SecretDialog::tr("%1 asks for a password. It is used once and is not kept.").arg(question.host);
    case Question::Kind::SudoPassword:
        return SecretDialog::tr("sudo on %1 wants the account's password to read as root. It is kept in memory for "
                                "15 minutes, then wiped. Without it, Pilothouse reads what the account sees.")
            .arg(question.host);
    default: return SecretDialog::tr("%1 asks before it lets you in.").arg(question.host);
    }
}

QList<Question::Prompt> promptsOf(const Question &question)
{
    if (!question.prompts.isEmpty())
        return question.prompts;
    const bool phrase = question.kind == Question::Kind::KeyPassphrase;
    return {{phrase ? SecretDialog::tr("Passphrase") : SecretDialog::tr("Password"), false}};
}

} // namespace

SecretDialog::SecretDialog(const Theme &theme, const Question &question, QWidget *parent)
    : QDialog(parent)
    , m_questionId(question.id)
{
    setObjectName(u"secretDialog"_s);
    setWindowTitle(titleOf(question));
    setAttribute(Qt::WA_DeleteOnClose);
    auto *column = new QVBoxLayout(this);
    column->setSpacing(space(this, 3));
    const auto addText = [&](const QString &name, const QString &text, ColorId color) {
        if (text.isEmpty())
            return;
        QLabel *label = plainLabel(text);
        label->setObjectName(name);
        label->setWordWrap(true);
        label->setMinimumWidth(fontMetrics().averageCharWidth() * 50);
        tint(label, theme, color);
        column->addWidget(label);
    };
    addText(u"secretWhat"_s, whatOf(question), ColorId::Text);
    if (question.attempt > 1)
        addText(u"secretAgain"_s, tr("The last answer was wrong."), ColorId::SeverityWarning);
    addText(u"secretNote"_s, question.note, ColorId::SeverityWarning);
    addText(u"secretTitle"_s, question.title, ColorId::TextMuted);
    addText(u"secretInstruction"_s, question.instruction, ColorId::TextMuted);

    auto *form = new QFormLayout;
    for (const Question::Prompt &prompt : promptsOf(question)) {
        auto *field = new QLineEdit;
        field->setObjectName(u"secretField%1"_s.arg(m_fields.size()));
        field->setAccessibleName(prompt.text);
        field->setEchoMode(prompt.echo ? QLineEdit::Normal : QLineEdit::Password);
        field->setInputMethodHints(Qt::ImhHiddenText | Qt::ImhSensitiveData | Qt::ImhNoPredictiveText);
        QLabel *label = plainLabel(prompt.text);
        label->setBuddy(field);
        form->addRow(label, field);
        m_fields << field;
    }
    if (m_fields.size() <= mostFieldsInSight) {
        column->addLayout(form);
    } else { // no server's whim makes the dialog taller than the screen
        auto *fields = new QWidget;
        fields->setLayout(form);
        auto *scroll = new QScrollArea;
        scroll->setWidgetResizable(true);
        scroll->setFrameShape(QFrame::NoFrame);
        scroll->setWidget(fields);
        scroll->setMinimumHeight(mostFieldsInSight * (m_fields.first()->sizeHint().height() + space(this, 2)));
        column->addWidget(scroll);
    }

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    const bool sudo = question.kind == Question::Kind::SudoPassword;
    buttons->button(QDialogButtonBox::Ok)->setText(sudo ? tr("&Use sudo") : tr("&Sign In"));
    if (sudo)
        buttons->button(QDialogButtonBox::Cancel)->setText(tr("&Without sudo"));
    buttons->button(QDialogButtonBox::Ok)->setObjectName(u"secretOk"_s);
    buttons->button(QDialogButtonBox::Cancel)->setObjectName(u"secretCancel"_s);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &SecretDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(this, &QDialog::rejected, this, [this] {
        wipe();
        emit answered({.questionId = m_questionId, .accepted = false, .store = false, .replies = {}});
    });
    m_fields.first()->setFocus();
}

SecretDialog::~SecretDialog()
{
    wipe();
}

void SecretDialog::accept()
{
    Answer answer{.questionId = m_questionId, .accepted = true, .store = false, .replies = {}};
    for (const QLineEdit *field : std::as_const(m_fields))
        answer.replies << field->text();
    wipe();
    emit answered(answer);
    wipeReplies(answer.replies);
    QDialog::accept();
}

void SecretDialog::wipe()
{
    for (QLineEdit *field : std::as_const(m_fields)) {
        // A text set from outside also drops the field's undo history.
        field->setText(QString(field->text().size(), u' '));
        field->clear();
    }
}

void wipeReplies(QStringList &replies)
{
    // Ours may share its characters with the receiver's, who needs them until it has signed in: fill() detaches from
    // those and overwrites only what is ours alone.
    for (QString &reply : replies)
        reply.fill(u' ');
    replies.clear();
}

} // namespace pilothouse
