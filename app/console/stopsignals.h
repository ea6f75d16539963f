// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// SIGINT, SIGTERM and SIGHUP as a Qt signal, so that the program ends in order. One object at a time. GUI thread.

#include <QObject>

namespace pilothouse {

class StopSignals final : public QObject
{
    Q_OBJECT
public:
    explicit StopSignals(QObject *parent = nullptr);
    ~StopSignals() override;

signals:
    void stopRequested();

private:
    int m_readFd = -1;
    int m_writeFd = -1;
};

} // namespace pilothouse
