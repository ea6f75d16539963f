// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/processreap.h"

#include <QProcess>
#include <QThread>

namespace pilothouse {

void reapNow(QProcess *process)
{
    constexpr int longestMs = 1'000;
    process->waitForFinished(longestMs);
    delete process;
}

void reapWhenEnded(QProcess *process, const std::function<void()> &kill)
{
    if (process->state() == QProcess::NotRunning) {
        process->deleteLater();
        return;
    }
    QObject::connect(process, &QProcess::finished, process, &QObject::deleteLater);
    QObject::connect(QThread::currentThread(), &QThread::finished, process, [process, kill] {
        if (kill)
            kill();
        reapNow(process);
    });
}

} // namespace pilothouse
