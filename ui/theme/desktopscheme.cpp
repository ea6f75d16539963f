// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/desktopscheme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QFileInfo>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

const QString service = u"org.freedesktop.portal.Desktop"_s;
const QString path = u"/org/freedesktop/portal/desktop"_s;
const QString interface = u"org.freedesktop.portal.Settings"_s;
const QString appearance = u"org.freedesktop.appearance"_s;
const QString colorScheme = u"color-scheme"_s;

/// Without an address libdbus would look for one by starting programs; that could keep the window waiting.
bool hasSessionBus()
{
    return !qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS")
        || QFileInfo::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + u"/bus"_s);
}

/// The portal wraps the value in one variant or in two, by its version.
uint schemeIn(QVariant value)
{
    while (value.canConvert<QDBusVariant>())
        value = value.value<QDBusVariant>().variant();
    return value.toUInt();
}

} // namespace

DesktopScheme::DesktopScheme(QObject *parent)
    : QObject(parent)
{
}

DesktopScheme::~DesktopScheme() = default;

void DesktopScheme::ask()
{
    if (!hasSessionBus())
        return;
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return;
    // For a signal of another process only a connect by text exists; 1 marks a slot.
    bus.connect(service, path, interface, u"SettingChanged"_s, this,
                "1onSettingChanged(QString,QString,QDBusVariant)");
    QDBusMessage call = QDBusMessage::createMethodCall(service, path, interface, u"Read"_s);
    call << appearance << colorScheme;
    auto *watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher *done) {
        const QDBusPendingReply<QDBusVariant> reply = *done;
        if (reply.isValid())
            take(schemeIn(reply.value().variant()));
        done->deleteLater();
    });
}

void DesktopScheme::onSettingChanged(const QString &group, const QString &key, const QDBusVariant &value)
{
    if (group == appearance && key == colorScheme)
        take(schemeIn(value.variant()));
}

void DesktopScheme::take(uint scheme)
{
    const std::optional<bool> dark = scheme == 1 ? std::optional(true)
        : scheme == 2                            ? std::optional(false)
                                                 : std::nullopt;
    if (dark == m_dark)
        return;
    m_dark = dark;
    emit changed();
}

} // namespace pilothouse
