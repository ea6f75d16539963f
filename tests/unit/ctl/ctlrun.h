// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Runs the built pilothousectl to its end, without a terminal, in an environment of its own. For tests only.

#include <QByteArray>
#include <QJsonObject>
#include <QProcess>
#include <QStringList>

namespace pilothouse::test {

struct CtlResult
{
    int exitCode = -1;   ///< -1: it crashed, or did not end in time
    QByteArray output;
    QByteArray errors;
    qint64 elapsedMs = 0;

    /// The lines of the output as JSON objects; empty objects where a line is none.
    [[nodiscard]] QList<QJsonObject> json() const;
};

[[nodiscard]] QString ctlProgram();
/// `home` stands for the home folder; nothing of the person's own is read.
[[nodiscard]] QProcessEnvironment ctlEnvironment(const QString &home);
[[nodiscard]] CtlResult runCtl(const QStringList &arguments, const QString &home, int limitMs = 30'000,
                               const QString &program = ctlProgram());

} // namespace pilothouse::test
