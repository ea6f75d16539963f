// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The unit check of one host: which unit, what was found, the lines to copy. Changes nothing. Deletes itself when
// closed. GUI thread.

#include "core/fleet/hostspec.h"
#include "core/units/checkunit.h"

#include <QDialog>

class QComboBox;
class QPushButton;

namespace pilothouse {

class FindingList;
class RunLabel;
class Theme;

class UnitCheckDialog final : public QDialog
{
    Q_OBJECT
public:
    /// `services`: whose units are offered, the first one chosen; any other name can be typed.
    UnitCheckDialog(const Theme &theme, const QString &host, const QList<ServiceSpec> &services,
                    QWidget *parent = nullptr);

    /// Asks for the chosen unit, by checkRequested().
    void begin();
    /// What was asked last. Answers to older questions are not to be given.
    [[nodiscard]] const QString &unit() const { return m_unit; }
    void showFindings(const QList<UnitFinding> &findings);
    void showTrouble(const QString &words);

signals:
    void checkRequested(const QString &unit, bool user);

private:
    const QString m_host;
    QComboBox *m_choice;
    RunLabel *m_headline;
    FindingList *m_list;
    QPushButton *m_copy;
    QString m_unit;
    QList<UnitFinding> m_findings;
};

} // namespace pilothouse
