// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The hosts of the window and what is known of each, in the order of adding. GUI thread; owned by the main window.
// HostData keeps its address until its host is removed.

#include "ui/host/hostdata.h"

#include <QHash>
#include <QObject>

#include <functional>
#include <memory>
#include <vector>

namespace pilothouse {

class HostStore final : public QObject
{
    Q_OBJECT
public:
    using Clock = std::function<QDateTime()>;

    /// `clock` gives the present in UTC; the tests set their own.
    explicit HostStore(Clock clock, QObject *parent = nullptr);
    ~HostStore() override;

    [[nodiscard]] QDateTime now() const { return m_clock(); }
    /// False when the name is there already; its specification is replaced then.
    bool add(const HostSpec &spec);
    void remove(const QString &name);
    void setState(const QString &name, const LinkState &state);
    void addSnapshot(const QString &name, const SnapshotPtr &snapshot);
    void addFindings(const QString &name, const FindingsPtr &findings);
    /// On its plot, at `at`.
    void addMark(const QString &name, const QDateTime &at, const QString &text);
    void addFailure(const QString &name, const Error &error);

    [[nodiscard]] const HostData *find(const QString &name) const; ///< null when unknown
    [[nodiscard]] QStringList names() const;

signals:
    void added(const QString &name);
    void removed(const QString &name);
    /// Once for each set…, add… and replaced specification.
    void changed(const QString &name);

private:
    [[nodiscard]] HostData *at(const QString &name) const;

    Clock m_clock;
    std::vector<std::unique_ptr<HostData>> m_hosts;
    QHash<QString, HostData *> m_byName;
};

} // namespace pilothouse
