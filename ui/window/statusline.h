// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The line at the bottom: what the last snapshot cost, what may be done on the host, the time. GUI thread.

#include "ui/host/hostdata.h"

#include <QWidget>

namespace pilothouse {

class RunLabel;
class Theme;

class StatusLine final : public QWidget
{
    Q_OBJECT
public:
    explicit StatusLine(const Theme &theme, QWidget *parent = nullptr);

    /// `host` null: none chosen.
    void showHost(const HostData *host, const QDateTime &now);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    const Theme &m_theme;
    RunLabel *m_cost;
    RunLabel *m_access;
    RunLabel *m_clock;
};

} // namespace pilothouse
