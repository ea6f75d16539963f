// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One channel of one SSH connection, and the command behind it. Lives in the connection's thread, owned by the
// connection. The callbacks of libssh only note what came; pump() moves bytes.

#include "backend.h"

#include <libssh/callbacks.h>
#include <libssh/libssh.h>

#include <optional>
#include <poll.h>
#include <vector>

namespace pilothouse {

class SshChannelPump
{
public:
    /// `session` is shorter-lived than neither: the connection frees pumps first.
    SshChannelPump(ssh_channel channel, const HostBackend &backend, std::string user);
    /// For a forwarded connection, whose pipes are there already.
    SshChannelPump(ssh_channel channel, const HostBackend &backend, SessionPipes pipes);
    ~SshChannelPump();
    SshChannelPump(const SshChannelPump &) = delete;
    SshChannelPump &operator=(const SshChannelPump &) = delete;

    void addWaits(std::vector<pollfd> &waits) const;
    /// Moves what can be moved. `forwarded` channels have no exit status.
    void pump();
    /// Output is there that the client's window does not take.
    [[nodiscard]] bool isBlocked() const { return m_blocked; }
    [[nodiscard]] bool isDone() const { return m_done; }
    [[nodiscard]] bool isSession() const { return !m_forwarded; }

private:
    void attachCallbacks();
    int startCommand(const std::string &command);
    void take(std::string_view input);
    void writeInput();
    /// False at the end of the stream.
    bool readOutput(int &fd, bool isError);
    void sendMemory();
    void readStatus();
    void finish();

    ssh_channel m_channel;
    const HostBackend &m_backend;
    std::string m_user;
    ssh_channel_callbacks_struct m_callbacks = {};
    std::optional<TerminalSize> m_terminal;
    SessionPipes m_pipes;
    std::unique_ptr<MemoryShell> m_memory;
    std::string m_input;  ///< from the client, not yet written
    std::string m_output; ///< of the memory shell, not yet sent
    std::string m_statusText;
    bool m_started = false;
    bool m_forwarded = false;
    bool m_inputEnded = false;
    bool m_blocked = false;
    bool m_closedByClient = false;
    bool m_done = false;
};

} // namespace pilothouse
