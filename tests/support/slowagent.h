// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// An agent that behaves as one with a person behind it: it stands before a real ssh-agent, passes everything on, and
// holds, refuses or spoils the signatures. In the test's thread. For tests only.

#include <QObject>
#include <QString>

#include <memory>

class QLocalServer;
class QLocalSocket;

namespace pilothouse::test {

class SlowAgent final : public QObject
{
public:
    enum class Mood { Sign, Hold, Refuse, Garbage, Die };

    SlowAgent();
    ~SlowAgent() override;

    /// Listens at `path` for the agent behind `realPath`.
    [[nodiscard]] bool start(const QString &path, const QString &realPath);
    void setMood(Mood mood) { m_mood = mood; }
    /// Signs what is held: the person has touched the key.
    void touch();
    /// Answers even the list of keys with nonsense.
    void setSpoilsList(bool spoils) { m_spoilsList = spoils; }
    [[nodiscard]] int signaturesAsked() const { return m_asked; }

private:
    void takeClient();
    void take(QLocalSocket *client, const QByteArray &request);

    std::unique_ptr<QLocalServer> m_server;
    QString m_realPath;
    Mood m_mood = Mood::Sign;
    bool m_spoilsList = false;
    int m_asked = 0;
    QLocalSocket *m_heldFor = nullptr;
    QByteArray m_held;
};

} // namespace pilothouse::test
