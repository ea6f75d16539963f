// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Shows the audit of this console in the window, read beside the GUI thread. GUI thread; owned by Console.

#include "core/audit/auditlog.h"
#include "core/base/background.h"

namespace pilothouse {

class MainWindow;

class AuditView final : public QObject
{
    Q_OBJECT
public:
    AuditView(MainWindow &window, QString stateDir, QObject *parent = nullptr);

    /// Reads the last records and opens them as text.
    void show();

private:
    MainWindow &m_window;
    const QString m_stateDir;
    Background<Result<QList<AuditRecord>>> m_records;
};

/// The latest first, one deed in one or two lines; an intent whose outcome nobody wrote down says so.
[[nodiscard]] QString auditText(const QList<AuditRecord> &records);

} // namespace pilothouse
