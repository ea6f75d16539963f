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

QString firstPrompt(const Question &question)
{
    if (question.kind == Question::Kind::KeyPassphrase)
        return u"Passphrase for %1: "_s.arg(question.keyFile);
    return u"Password for %1: "_s.arg(question.host);
}

/// What is asked for, one after the other; a question without prompts of its own has one.
QList<Question::Prompt> promptsOf(const Question &question)
{
    if (!question.prompts.isEmpty() || question.kind == Question::Kind::KeyboardInteractive)
        return question.prompts;
    return {Question::Prompt{firstPrompt(question), false}};
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
    if (question.attempt > 1)
        m_output.prompt(u"That was not right; try again.\n"_s);
    for (const QString &line : {question.title, question.instruction}) {
        if (!line.isEmpty())
            m_output.prompt(line + u'\n');
    }
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
    const QList<Question::Prompt> prompts = promptsOf(m_question);
    if (m_replies.size() >= prompts.size()) {
        finish(true);
        return;
    }
    const Question::Prompt &prompt = prompts.at(m_replies.size());
    QString text = prompt.text;
    if (!text.endsWith(u' '))
        text += u' ';
    m_terminal.ask(text, prompt.echo ? Terminal::Typing::Shown : Terminal::Typing::Hidden,
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
