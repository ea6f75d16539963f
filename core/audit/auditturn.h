// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// While one of these lives, its program may write to the audit. The first of all programs to begin finds what killed ones
// announced and never told the end of, and closes it as unknown. Any thread but the GUI's (it waits for the disk).

#include "core/base/result.h"

#include <QString>

#include <memory>

namespace pilothouse {

class AuditTurn
{
public:
    /// `folder` as from makeStateFolder(). Errors: LocalIo (what is open cannot be read or closed).
    [[nodiscard]] static Result<std::unique_ptr<AuditTurn>> begin(const QString &folder);

    ~AuditTurn();
    Q_DISABLE_COPY_MOVE(AuditTurn)

private:
    explicit AuditTurn(int fd);

    int m_fd; ///< holds a shared lock, which ends with the program
};

} // namespace pilothouse
