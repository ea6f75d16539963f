// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The one filled button of a page or a dialog: what its state asks for. GUI thread; owned by its parent.

#include <QPushButton>

namespace pilothouse {

class Theme;

class PrimaryButton final : public QPushButton
{
    Q_OBJECT
public:
    explicit PrimaryButton(const Theme &theme, QWidget *parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    const Theme &m_theme;
};

} // namespace pilothouse
