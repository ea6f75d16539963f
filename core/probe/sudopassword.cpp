// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/sudopassword.h"

#include "core/ssh/secret.h"

namespace pilothouse {

SudoPassword::SudoPassword(std::chrono::milliseconds life)
    : m_life(life)
{
    m_end.setSingleShot(true);
    QObject::connect(&m_end, &QTimer::timeout, &m_end, [this] { forget(); });
}

SudoPassword::~SudoPassword()
{
    forget();
}

void SudoPassword::keep(QString &password)
{
    forget();
    QByteArray bytes = password.toUtf8();
    wipe(password);
    qsizetype length = 0;
    while (length < bytes.size() && bytes.at(length) != '\n' && bytes.at(length) != '\0')
        ++length;
    m_line.reserve(length + 1); // grown later, it would leave a copy behind
    m_line.append(bytes.constData(), length).append('\n');
    wipe(bytes);
    m_end.start(m_life);
}

void SudoPassword::forget()
{
    m_end.stop();
    wipe(m_line);
}

QByteArray SudoPassword::line() const
{
    return QByteArray(m_line.constData(), m_line.size());
}

} // namespace pilothouse
