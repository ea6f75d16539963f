// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A framed part of a page: a header with a title, a muted remark and room for controls, and the content below.
// GUI thread; owned by its parent.

#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace pilothouse {

class RunLabel;
class Theme;

class Panel final : public QWidget
{
    Q_OBJECT
public:
    Panel(const Theme &theme, const QString &title, QWidget *parent = nullptr);

    void setRemark(const QString &text);
    [[nodiscard]] QString remark() const;
    /// To the right end of the header, in the order of calls.
    void addControl(QWidget *control);
    void setContent(QWidget *content);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    const Theme &m_theme;
    RunLabel *m_header;
    QString m_title;
    QString m_remark;
    QWidget *m_bar;
    QHBoxLayout *m_barLayout;
};

} // namespace pilothouse
