// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The desktop's wish for light or dark, from its portal (org.freedesktop.portal.Settings), now and when it changes.
// GUI thread. Asks without waiting; a desktop without a session bus or portal simply never answers.

#include <QObject>

#include <memory>
#include <optional>

class QDBusVariant;

namespace pilothouse {

class DesktopScheme final : public QObject
{
    Q_OBJECT
public:
    explicit DesktopScheme(QObject *parent = nullptr);
    ~DesktopScheme() override;

    /// Sends the question; answered by changed().
    void ask();
    /// No value: no preference, or nobody to ask.
    [[nodiscard]] std::optional<bool> prefersDark() const { return m_dark; }

signals:
    void changed();

private slots:
    void onSettingChanged(const QString &group, const QString &key, const QDBusVariant &value);

private:
    void take(uint scheme);

    std::optional<bool> m_dark;
};

} // namespace pilothouse
