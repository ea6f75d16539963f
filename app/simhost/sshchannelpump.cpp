// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sshchannelpump.h"

#include <libssh/server.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace pilothouse {
namespace {

void closeOne(int &fd)
{
    if (fd >= 0)
        close(fd);
    fd = -1;
}

void makeNonBlocking(int fd)
{
    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

SshChannelPump *self(void *data) { return static_cast<SshChannelPump *>(data); }

} // namespace

SshChannelPump::SshChannelPump(ssh_channel channel, const HostBackend &backend, std::string user)
    : m_channel(channel)
    , m_backend(backend)
    , m_user(std::move(user))
{
    attachCallbacks();
}

SshChannelPump::SshChannelPump(ssh_channel channel, const HostBackend &backend, SessionPipes pipes)
    : m_channel(channel)
    , m_backend(backend)
    , m_pipes(pipes)
    , m_started(true)
    , m_forwarded(true)
{
    for (const int fd : {m_pipes.in, m_pipes.out})
        makeNonBlocking(fd);
    closeOne(m_pipes.status);
    attachCallbacks();
}

SshChannelPump::~SshChannelPump()
{
    m_pipes.closeAll();
    ssh_remove_channel_callbacks(m_channel, &m_callbacks);
    if (!m_closedByClient && ssh_channel_is_open(m_channel))
        ssh_channel_close(m_channel);
    ssh_channel_free(m_channel);
}

void SshChannelPump::attachCallbacks()
{
    ssh_callbacks_init(&m_callbacks);
    m_callbacks.userdata = this;
    m_callbacks.channel_data_function
        = [](ssh_session, ssh_channel, void *data, uint32_t length, int, void *pump) {
              self(pump)->take({static_cast<const char *>(data), length});
              return int(length);
          };
    m_callbacks.channel_eof_function = [](ssh_session, ssh_channel, void *pump) {
        self(pump)->m_inputEnded = true;
    };
    m_callbacks.channel_close_function = [](ssh_session, ssh_channel, void *pump) {
        self(pump)->m_closedByClient = self(pump)->m_done = true;
    };
    m_callbacks.channel_exec_request_function
        = [](ssh_session, ssh_channel, const char *command, void *pump) {
              return self(pump)->startCommand(command);
          };
    m_callbacks.channel_shell_request_function
        = [](ssh_session, ssh_channel, void *pump) { return self(pump)->startCommand({}); };
    m_callbacks.channel_pty_request_function
        = [](ssh_session, ssh_channel, const char *, int columns, int rows, int, int, void *pump) {
              self(pump)->m_terminal = TerminalSize{columns, rows};
              return 0;
          };
    m_callbacks.channel_pty_window_change_function
        = [](ssh_session, ssh_channel, int columns, int rows, int, int, void *pump) {
              winsize size = {};
              size.ws_col = static_cast<unsigned short>(columns);
              size.ws_row = static_cast<unsigned short>(rows);
              ioctl(self(pump)->m_pipes.in, TIOCSWINSZ, &size);
              return 0;
          };
    // As most servers, this one takes no variables from the client.
    m_callbacks.channel_env_request_function
        = [](ssh_session, ssh_channel, const char *, const char *, void *) { return 1; };
    ssh_set_channel_callbacks(m_channel, &m_callbacks);
}

int SshChannelPump::startCommand(const std::string &command)
{
    if (m_started)
        return 1;
    auto started = m_backend.start(m_user, command, m_terminal ? &*m_terminal : nullptr);
    if (!started)
        return 1;
    m_started = true;
    m_memory = std::move(started->memory);
    if (started->pipes)
        m_pipes = *started->pipes;
    for (const int fd : {m_pipes.in, m_pipes.out, m_pipes.err, m_pipes.status})
        makeNonBlocking(fd);
    if (!m_input.empty())
        take(std::exchange(m_input, {}));
    return 0;
}

void SshChannelPump::take(std::string_view input)
{
    if (m_memory)
        m_output += m_memory->feed(input);
    else
        m_input += input;
}

void SshChannelPump::addWaits(std::vector<pollfd> &waits) const
{
    if (m_pipes.in >= 0 && !m_input.empty())
        waits.push_back({m_pipes.in, POLLOUT, 0});
    if (!m_blocked) {
        for (const int fd : {m_pipes.out, m_pipes.err}) {
            if (fd >= 0)
                waits.push_back({fd, POLLIN, 0});
        }
    }
    if (m_pipes.status >= 0)
        waits.push_back({m_pipes.status, POLLIN, 0});
}

void SshChannelPump::writeInput()
{
    while (m_pipes.in >= 0 && !m_input.empty()) {
        const ssize_t count = write(m_pipes.in, m_input.data(), m_input.size());
        if (count < 0 && errno == EAGAIN)
            return;
        if (count <= 0) {
            // Nobody reads any more; what still comes is lost, as with a real pipe.
            m_input.clear();
            if (!m_terminal)
                closeOne(m_pipes.in);
            return;
        }
        m_input.erase(0, static_cast<std::size_t>(count));
    }
    if (m_inputEnded && m_input.empty() && !m_terminal)
        closeOne(m_pipes.in);
}

bool SshChannelPump::readOutput(int &fd, bool isError)
{
    char buffer[32768];
    while (fd >= 0) {
        const std::size_t window = ssh_channel_window_size(m_channel);
        if (window == 0) {
            m_blocked = true;
            return true;
        }
        const ssize_t count = read(fd, buffer, std::min(window, sizeof buffer));
        if (count < 0 && errno == EAGAIN)
            return true;
        if (count <= 0)
            return false;
        const auto length = static_cast<uint32_t>(count);
        const int sent = isError ? ssh_channel_write_stderr(m_channel, buffer, length)
                                 : ssh_channel_write(m_channel, buffer, length);
        if (sent < 0)
            m_done = true;
    }
    return false;
}

void SshChannelPump::sendMemory()
{
    while (!m_output.empty()) {
        const std::size_t window = ssh_channel_window_size(m_channel);
        if (window == 0) {
            m_blocked = true;
            return;
        }
        const auto length = static_cast<uint32_t>(std::min(window, m_output.size()));
        if (ssh_channel_write(m_channel, m_output.data(), length) < 0) {
            m_done = true;
            return;
        }
        m_output.erase(0, length);
    }
    const auto status = m_memory->exitStatus();
    if (status || m_inputEnded) {
        m_statusText = "exit " + std::to_string(status.value_or(0));
        finish();
    }
}

void SshChannelPump::readStatus()
{
    char text[64];
    const ssize_t count = read(m_pipes.status, text, sizeof text);
    if (count < 0 && errno == EAGAIN)
        return;
    if (count > 0)
        m_statusText.assign(text, static_cast<std::size_t>(count));
    closeOne(m_pipes.status);
}

void SshChannelPump::finish()
{
    if (m_done)
        return;
    m_done = true;
    const int number = std::atoi(m_statusText.substr(m_statusText.find(' ') + 1).c_str());
    if (!m_forwarded && m_statusText.starts_with("exit"))
        ssh_channel_request_send_exit_status(m_channel, number);
    else if (!m_forwarded)
        ssh_channel_request_send_exit_signal(m_channel, number == 15 ? "TERM" : "KILL", 0, "", "");
    ssh_channel_send_eof(m_channel);
    ssh_channel_close(m_channel);
}

void SshChannelPump::pump()
{
    if (!m_started || m_done)
        return;
    m_blocked = false;
    if (m_memory) {
        sendMemory();
        return;
    }
    writeInput();
    if (m_pipes.status >= 0)
        readStatus();
    if (!readOutput(m_pipes.out, false)) {
        if (m_terminal)
            m_pipes.in = -1; // the same descriptor
        closeOne(m_pipes.out);
    }
    if (!readOutput(m_pipes.err, true))
        closeOne(m_pipes.err);
    const bool outputIsOver = m_pipes.out < 0 && m_pipes.err < 0;
    const bool terminalEnded = m_terminal && m_pipes.status < 0 && !m_blocked;
    if ((outputIsOver && m_pipes.status < 0) || terminalEnded)
        finish();
}

} // namespace pilothouse
