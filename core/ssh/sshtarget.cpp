// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshtarget.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

QString SshTarget::display() const
{
    QString text = user.isEmpty() ? QString() : QString(user + u'@');
    text += host.contains(u':') ? QString(u'[' + host + u']') : host;
    if (port)
        text += u':' + QString::number(*port);
    return text;
}

} // namespace pilothouse
