// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A systemd unit as `systemctl show` tells it. Values, any thread.

#include "core/base/quantity.h"

#include <QDateTime>
#include <QString>

namespace pilothouse {

struct Unit
{
    QString name;
    bool user = false;     ///< of a user manager
    QString load;          ///< loaded, not-found, masked, bad-setting, error …: decides first
    QString active;
    QString sub;
    QString result;
    QString type;
    QString killMode;
    Quantity<qint64> mainPid; ///< unknown where there is none
    QString controlGroup;
    Quantity<int> restarts;
    Quantity<int> execMainCode;   ///< 1 exited, 2 killed, 3 dumped; unknown while no main process has ended
    Quantity<int> execMainStatus; ///< exit status, or the signal when the code is 2 or 3
    QDateTime hostSince;      ///< UTC, on the host's clock; invalid when unknown
    QString unitFileState;
    QString statusText;
    QString loadError;
    QString restart;          ///< the unit's Restart= setting
    QString userName;         ///< its User=
    bool needDaemonReload = false;

    friend bool operator==(const Unit &, const Unit &) = default;
};

} // namespace pilothouse
