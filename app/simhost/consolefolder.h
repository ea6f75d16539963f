// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The folder in which a console finds the simulated hosts. What stands there and is not from this program is never
// touched; what this program made is gone when it ends. Main thread, owned by the simulation.

#include "core/base/result.h"

#include <QMap>
#include <QString>
#include <QStringList>

namespace pilothouse {

class ConsoleFolder
{
public:
    /// Makes what is missing of the path (0700). LocalIo with the reason where others may write to it, where files stand
    /// in the way that are not from an earlier run, or where such a run still goes on.
    [[nodiscard]] static Result<ConsoleFolder> claim(const QString &path);
    ConsoleFolder(ConsoleFolder &&other) noexcept;
    ConsoleFolder &operator=(ConsoleFolder &&) = delete;
    /// Removes keys, hosts, and those files that are still as they were written; then the folders that were made, where
    /// nothing else is in them.
    ~ConsoleFolder();

    [[nodiscard]] const QString &path() const { return m_path; }
    /// Of the console's files; the text must begin with firstLine().
    [[nodiscard]] Result<void> write(const QString &name, const QString &text);

    /// By this an earlier run's files are known, should it have been killed.
    [[nodiscard]] static QString firstLine();

private:
    explicit ConsoleFolder(QString path);
    [[nodiscard]] Result<void> make(const QString &folder);
    [[nodiscard]] Result<void> checkIsOurs() const;
    [[nodiscard]] Result<void> lock();
    [[nodiscard]] QString in(const QString &name) const { return m_path + u'/' + name; }
    void removeSecrets() const;

    QString m_path;
    QStringList m_made;                ///< folders, outermost first
    QMap<QString, QString> m_written;  ///< name -> text
    int m_lock = -1; ///< the folder, locked while we run
    bool m_claimed = false;
};

} // namespace pilothouse
