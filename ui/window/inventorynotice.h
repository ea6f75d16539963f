// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One line over the hosts when their files have changed on disk: what differs, or why the last good reading stays. Gone
// when closed. GUI thread; owned by the window.

#include "core/base/error.h"
#include "core/fleet/inventorydiff.h"
#include "ui/theme/severity.h"

#include <QWidget>

class QDateTime;
class QToolButton;

namespace pilothouse {

class RunLabel;
class Theme;

/// "gpu4 added; gpu1: access: confirm → normal": as much as a line holds, counts otherwise.
[[nodiscard]] QString headlineOf(const InventoryDifference &difference);
/// A line a host and field.
[[nodiscard]] QString linesOf(const InventoryDifference &difference);

class InventoryNotice final : public QWidget
{
    Q_OBJECT
public:
    explicit InventoryNotice(const Theme &theme, QWidget *parent = nullptr);

    void showChange(const InventoryDifference &difference, const QDateTime &now);
    /// Stays until it is mended.
    void showFailure(const Error &error);
    void showMended();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void say(Severity severity, const QString &title, const QString &text);
    void showDetails();

    const Theme &m_theme;
    RunLabel *m_words;
    QToolButton *m_close;
    bool m_broken = false;
    QString m_changes; ///< newest first
    QString m_failure;
};

} // namespace pilothouse
