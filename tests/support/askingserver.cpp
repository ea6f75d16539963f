// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/askingserver.h"

#include <QFile>

#include <libssh/libssh.h>
#include <libssh/server.h>

#include <vector>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pilothouse::test {

namespace {

void ask(ssh_message message, const AskingServer::Round &round)
{
    std::vector<const char *> texts;
    std::vector<char> echos;
    for (const auto &[text, echo] : round.prompts) {
        texts.push_back(text.constData());
        echos.push_back(echo ? 1 : 0);
    }
    ssh_message_auth_interactive_request(message, round.name.constData(), round.instruction.constData(),
                                         static_cast<unsigned>(texts.size()), texts.data(), echos.data());
}

} // namespace

AskingServer::AskingServer(Plan plan)
    : m_plan(std::move(plan))
{
}

AskingServer::~AskingServer()
{
    m_stop = true;
    if (const int client = m_client; client >= 0)
        ::shutdown(client, SHUT_RDWR);
    if (m_thread.joinable())
        m_thread.join();
    if (m_listener >= 0)
        ::close(m_listener);
}

bool AskingServer::start(const QString &hostKeyFile)
{
    m_listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(m_listener, reinterpret_cast<sockaddr *>(&address), size) != 0 || ::listen(m_listener, 4) != 0
        || ::getsockname(m_listener, reinterpret_cast<sockaddr *>(&address), &size) != 0)
        return false;
    m_port = ntohs(address.sin_port);
    m_thread = std::thread([this, key = QFile::encodeName(hostKeyFile)] { serve(key); });
    return true;
}

QList<QByteArrayList> AskingServer::answers() const
{
    const std::lock_guard lock(m_mutex);
    return m_answers;
}

void AskingServer::serve(const QByteArray &hostKeyFile)
{
    ssh_bind bind = ssh_bind_new();
    ssh_bind_options_set(bind, SSH_BIND_OPTIONS_HOSTKEY, hostKeyFile.constData());
    const bool parse = false;
    ssh_bind_options_set(bind, SSH_BIND_OPTIONS_PROCESS_CONFIG, &parse);
    while (!m_stop) {
        pollfd waiting{m_listener, POLLIN, 0};
        if (::poll(&waiting, 1, 20) <= 0)
            continue;
        const int fd = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0)
            continue;
        m_client = fd;
        talk(bind, fd);
        m_client = -1;
    }
    ssh_bind_free(bind);
}

void AskingServer::talk(void *bind, int fd)
{
    ssh_session session = ssh_new();
    int round = 0;
    int refused = 0;
    if (ssh_bind_accept_fd(static_cast<ssh_bind>(bind), session, fd) == SSH_OK
        && ssh_handle_key_exchange(session) == SSH_OK) {
        ssh_set_auth_methods(session, SSH_AUTH_METHOD_INTERACTIVE);
        while (ssh_message message = ssh_message_get(session)) {
            const bool asks = ssh_message_type(message) == SSH_REQUEST_AUTH
                && ssh_message_subtype(message) == SSH_AUTH_METHOD_INTERACTIVE;
            bool over = false;
            if (asks && ssh_message_auth_kbdint_is_response(message)) {
                QByteArrayList given;
                for (int i = 0; i < ssh_userauth_kbdint_getnanswers(session); ++i)
                    given += QByteArray(ssh_userauth_kbdint_getanswer(session, static_cast<unsigned>(i)));
                {
                    const std::lock_guard lock(m_mutex);
                    m_answers += given;
                }
                over = round == m_plan.hangUpAfter;
                if (m_plan.forEver || round + 1 < m_plan.rounds.size()) {
                    round = std::min<int>(round + 1, static_cast<int>(m_plan.rounds.size()) - 1);
                    ask(message, m_plan.rounds.at(round));
                } else if (refused++ < m_plan.refusals) {
                    ssh_message_reply_default(message);
                } else {
                    ssh_message_auth_reply_success(message, 0);
                }
            } else if (asks) {
                round = 0;
                over = m_plan.hangUpAfter == 0 && refused > 0;
                ask(message, m_plan.rounds.constFirst());
            } else {
                ssh_message_reply_default(message);
            }
            ssh_message_free(message);
            if (over)
                break;
        }
    }
    ssh_disconnect(session);
    ssh_free(session);
}

} // namespace pilothouse::test
