// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/asker.h"

#include "app/ctl/output.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

QString hostKeyText(const Question &question)
{
    QString text = u"The key of %1 is not known here.\n"_s.arg(question.host);
    text += u"%1 fingerprint: %2\n"_s.arg(question.keyType, question.fingerprint);
    if (!question.note.isEmpty())
        text += question.note + u'\n';
    if (!question.knownHostsFile.isEmpty())
        text += u"Accepted, it is stored in %1.\n"_s.arg(question.knownHostsFile);
    return text;
}

/// Our own prompts are labels without an end; a server's are shown as it wrote them.
QString promptText(const Question &question, const QString &text)
{
    QString shown = text;
    if (question.kind != Question::Kind::KeyboardInteractive && !shown.endsWith(u':'))
        shown += u':';
    return shown.endsWith(u' ') ? shown : QString(shown + u' ');
}

} // namespace

Asker::Asker(Output &output, Interrupts &interrupts)
    : m_output(output)
    , m_terminal(output, interrupts)
{
}

void Asker::ask(const Question &question)
{
    m_question = question;
    m_replies.clear();
    if (question.kind == Question::Kind::UnknownHostKey) {
        m_output.prompt(hostKeyText(question));
        askYesNo();
        return;
    }
    QStringList lines;
    if (question.attempt > 1)
        lines += u"That was not right; try again."_s;
    if (!question.note.isEmpty())
        lines += question.note;
    if (question.kind == Question::Kind::SudoPassword)
        lines += u"sudo on %1 wants the account's password to read as root."_s.arg(question.host);
    if (question.kind == Question::Kind::KeyboardInteractive) // whose words these are: a jump host's, or the host's
        lines += QStringList{u"%1 asks:"_s.arg(question.host), question.title, question.instruction};
    lines.removeAll(QString());
    for (const QString &line : std::as_const(lines))
        m_output.prompt(line + u'\n');
    askNextPrompt();
}

void Asker::askYesNo()
{
    m_terminal.ask(u"Connect? Type yes or no: "_s, Terminal::Typing::Shown, [this](const std::optional<QString> &line) {
        const QString word = line ? line->trimmed().toLower() : u"no"_s;
        if (word == u"yes" || word == u"no")
            finish(word == u"yes");
        else
            askYesNo();
    });
}

void Asker::askNextPrompt()
{
    if (m_replies.size() >= m_question.prompts.size()) {
        finish(true);
        return;
    }
    const Question::Prompt prompt = m_question.prompts.at(m_replies.size());
    m_terminal.ask(promptText(m_question, prompt.text), prompt.echo ? Terminal::Typing::Shown : Terminal::Typing::Hidden,
                   [this](const std::optional<QString> &line) {
                       if (!line) {
                           finish(false);
                           return;
                       }
                       m_replies += *line;
                       askNextPrompt();
                   });
}

void Asker::finish(bool accepted)
{
    Answer answer;
    answer.questionId = m_question.id;
    answer.accepted = accepted;
    answer.replies = std::exchange(m_replies, {});
    emit answered(answer);
}

} // namespace pilothouse
