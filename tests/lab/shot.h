// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One `pilothousectl snapshot --json` as a script would read it. Blocking, for tests alone.

#include "tests/lab/labhost.h"

#include <QJsonObject>
#include <QList>

#include <optional>

namespace pilothouse::test {

class Shot
{
public:
    /// Takes it: pilothousectl snapshot TARGET --json OPTIONS.
    [[nodiscard]] static Shot of(const QString &target, const QStringList &options = {}, std::chrono::milliseconds limit = 40s);
    /// Reads one document, for example a line of --watch.
    explicit Shot(const QByteArray &document);

    [[nodiscard]] const Ran &ran() const { return m_ran; }
    [[nodiscard]] const QJsonObject &json() const { return m_json; }
    [[nodiscard]] int exitCode() const { return m_ran.exitCode; }
    [[nodiscard]] QByteArray story() const { return m_ran.summary(); }

    /// No value where the document has null.
    [[nodiscard]] std::optional<QList<QJsonObject>> list(const QString &key) const;
    [[nodiscard]] QList<QJsonObject> gpus() const { return list(QStringLiteral("gpus")).value_or(QList<QJsonObject>()); }
    [[nodiscard]] QList<QJsonObject> processes() const { return list(QStringLiteral("processes")).value_or(QList<QJsonObject>()); }
    /// Those whose `command` matches the regular expression.
    [[nodiscard]] QList<QJsonObject> processes(const QString &expression) const;
    [[nodiscard]] QJsonObject process(qint64 pid) const;
    [[nodiscard]] QJsonObject unit(const QString &name) const;
    [[nodiscard]] QJsonObject gpuSource() const { return m_json.value(QStringLiteral("gpu_source")).toObject(); }
    [[nodiscard]] QStringList problemCodes() const;
    [[nodiscard]] QStringList problemTexts() const;

private:
    explicit Shot(Ran ran);

    Ran m_ran;
    QJsonObject m_json;
};

/// What all GPU rows of a process add up to.
[[nodiscard]] qint64 mibOf(const QJsonObject &process);

} // namespace pilothouse::test
