// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One line over the hosts while this side's network is away, instead of a message a host; gone by itself. GUI thread;
// owned by the window.

#include "core/fleet/networkwatch.h"

#include <QWidget>

namespace pilothouse {

class RunLabel;
class Theme;

class NetworkBanner final : public QWidget
{
    Q_OBJECT
public:
    explicit NetworkBanner(const Theme &theme, QWidget *parent = nullptr);

    /// Hidden while there is none.
    void showTrouble(const NetworkTrouble &trouble);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    const Theme &m_theme;
    RunLabel *m_words;
};

} // namespace pilothouse
