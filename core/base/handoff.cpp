// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/handoff.h"

#include <QCoreApplication>
#include <QEvent>

namespace pilothouse {

namespace {
const QEvent::Type wakeType = QEvent::Type(QEvent::registerEventType());
}

HandoffWaker::HandoffWaker(std::function<void()> receive, QObject *parent)
    : QObject(parent)
    , m_receive(std::move(receive))
{
}

void HandoffWaker::wake()
{
    QCoreApplication::postEvent(this, new QEvent(wakeType));
}

bool HandoffWaker::event(QEvent *event)
{
    if (event->type() != wakeType)
        return QObject::event(event);
    const auto receive = m_receive; // the receiver may delete us
    receive();
    return true;
}

} // namespace pilothouse
