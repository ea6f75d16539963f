// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The services of a host: a list, and the fields of the one that is chosen. GUI thread; owned by its dialog.

#include "core/fleet/hostspec.h"

#include <QWidget>

class QComboBox;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace pilothouse {

class ServicesEditor final : public QWidget
{
    Q_OBJECT
public:
    explicit ServicesEditor(QWidget *parent = nullptr);

    void setServices(const QList<ServiceSpec> &services);
    [[nodiscard]] const QList<ServiceSpec> &services() const { return m_services; }
    /// What is wrong with the first that is; empty: all are good.
    [[nodiscard]] QString complaint() const;
    void setReadOnly();

signals:
    /// By a person.
    void edited();

private:
    void buildFields();
    void choose(int row);
    void add();
    void remove();
    void take();
    [[nodiscard]] QList<QLineEdit *> lines() const;

    QList<ServiceSpec> m_services;
    QListWidget *m_list;
    QPushButton *m_add;
    QPushButton *m_remove;
    QWidget *m_fields;
    QLineEdit *m_name;
    QLineEdit *m_unit;
    QComboBox *m_scope;
    QLineEdit *m_gpus;
    QLineEdit *m_health;
    QLineEdit *m_model;
    QLineEdit *m_drain;
    QLineEdit *m_undrain;
    bool m_filling = false;
};

/// "a, b" as a list, without blanks around the items.
[[nodiscard]] QStringList listOf(const QString &text);

} // namespace pilothouse
