// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Asks whether an unknown host key is to be trusted. Enter never accepts: Cancel is the default button, and accepting
// takes the mouse or the space bar on its button. Deletes itself when closed. GUI thread.

#include "core/ssh/question.h"

#include <QDialog>

class QCheckBox;

namespace pilothouse {

class Theme;

class HostKeyDialog final : public QDialog
{
    Q_OBJECT
public:
    HostKeyDialog(const Theme &theme, const Question &question, QWidget *parent);

signals:
    /// Exactly once unless the dialog is withdrawn.
    void answered(const pilothouse::Answer &answer);

private:
    void finish(bool accepted);

    quint64 m_questionId;
    QCheckBox *m_store;
};

} // namespace pilothouse
