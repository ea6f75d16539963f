// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/libsshapi.h"

#include <libssh/server.h> // ssh_send_keepalive

#if defined(__SANITIZE_ADDRESS__)
#define PILOTHOUSE_LEAKS_ARE_LOOKED_FOR
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PILOTHOUSE_LEAKS_ARE_LOOKED_FOR
#endif
#endif
#ifdef PILOTHOUSE_LEAKS_ARE_LOOKED_FOR
#include <sanitizer/lsan_interface.h>
#endif

namespace pilothouse {

namespace {

/// In sanitizer builds: what libssh loses while this lives is not counted. Its own names are stripped from its frames,
/// so that no list of suppressions could say it as exactly.
struct LeaksOfLibssh
{
    LeaksOfLibssh()
    {
#ifdef PILOTHOUSE_LEAKS_ARE_LOOKED_FOR
        __lsan_disable();
#endif
    }
    ~LeaksOfLibssh()
    {
#ifdef PILOTHOUSE_LEAKS_ARE_LOOKED_FOR
        __lsan_enable();
#endif
    }
    LeaksOfLibssh(const LeaksOfLibssh &) = delete;
    LeaksOfLibssh &operator=(const LeaksOfLibssh &) = delete;
};

} // namespace

ssh_session LibsshApi::sessionNew()
{
    return ssh_new();
}

void LibsshApi::sessionFree(ssh_session session)
{
    ssh_free(session);
}

void LibsshApi::setBlocking(ssh_session session, bool blocking)
{
    ssh_set_blocking(session, blocking ? 1 : 0);
}

int LibsshApi::setOption(ssh_session session, ssh_options_e option, const void *value)
{
    return ssh_options_set(session, option, value);
}

void LibsshApi::setCounters(ssh_session session, ssh_counter socket)
{
    ssh_set_counters(session, socket, nullptr);
}

int LibsshApi::connect(ssh_session session)
{
    return ssh_connect(session);
}

void LibsshApi::disconnect(ssh_session session)
{
    ssh_disconnect(session);
}

bool LibsshApi::isConnected(ssh_session session)
{
    return ssh_is_connected(session) != 0;
}

int LibsshApi::fd(ssh_session session)
{
    return ssh_get_fd(session);
}

int LibsshApi::pollFlags(ssh_session session)
{
    return ssh_get_poll_flags(session);
}

const char *LibsshApi::serverBanner(ssh_session session)
{
    return ssh_get_serverbanner(session);
}

const char *LibsshApi::errorText(ssh_session session)
{
    return ssh_get_error(session);
}

int LibsshApi::sendKeepalive(ssh_session session)
{
    return ssh_send_keepalive(session);
}

ssh_event LibsshApi::eventNew()
{
    return ssh_event_new();
}

void LibsshApi::eventFree(ssh_event event)
{
    ssh_event_free(event);
}

int LibsshApi::eventAddSession(ssh_event event, ssh_session session)
{
    return ssh_event_add_session(event, session);
}

int LibsshApi::eventRemoveSession(ssh_event event, ssh_session session)
{
    return ssh_event_remove_session(event, session);
}

int LibsshApi::eventPoll(ssh_event event)
{
    return ssh_event_dopoll(event, 0);
}

int LibsshApi::serverPublicKey(ssh_session session, ssh_key *key)
{
    return ssh_get_server_publickey(session, key);
}

int LibsshApi::exportPublicKey(ssh_key key, char **base64)
{
    return ssh_pki_export_pubkey_base64(key, base64);
}

void LibsshApi::stringFree(char *text)
{
    ssh_string_free_char(text);
}

void LibsshApi::keyFree(ssh_key key)
{
    ssh_key_free(key);
}

int LibsshApi::importPublicKeyFile(const char *path, ssh_key *key)
{
    return ssh_pki_import_pubkey_file(path, key);
}

int LibsshApi::importPrivateKeyFile(const char *path, const char *passphrase, ssh_auth_callback ask, void *user,
                                    ssh_key *key)
{
    return ssh_pki_import_privkey_file(path, passphrase, ask, user, key);
}

int LibsshApi::importCertFile(const char *path, ssh_key *certificate)
{
    return ssh_pki_import_cert_file(path, certificate);
}

int LibsshApi::copyCert(ssh_key certificate, ssh_key privateKey)
{
    return ssh_pki_copy_cert_to_privkey(certificate, privateKey);
}

int LibsshApi::publicFromPrivate(ssh_key privateKey, ssh_key *publicKey)
{
    return ssh_pki_export_privkey_to_pubkey(privateKey, publicKey);
}

int LibsshApi::authNone(ssh_session session)
{
    return ssh_userauth_none(session, nullptr);
}

int LibsshApi::authMethods(ssh_session session)
{
    return ssh_userauth_list(session, nullptr);
}

int LibsshApi::authTryPublicKey(ssh_session session, ssh_key publicKey)
{
    return ssh_userauth_try_publickey(session, nullptr, publicKey);
}

int LibsshApi::authPublicKey(ssh_session session, ssh_key privateKey)
{
    return ssh_userauth_publickey(session, nullptr, privateKey);
}

int LibsshApi::setAgentSocket(ssh_session session, int fd)
{
    return ssh_set_agent_socket(session, fd);
}

int LibsshApi::authAgent(ssh_session session)
{
    // libssh 0.10 forgets its earlier list of the agent's keys (some 150 bytes) each time that it asks for the list.
    const LeaksOfLibssh excused;
    return ssh_userauth_agent(session, nullptr);
}

int LibsshApi::authPassword(ssh_session session, const char *password)
{
    return ssh_userauth_password(session, nullptr, password);
}

int LibsshApi::authInteractive(ssh_session session)
{
    return ssh_userauth_kbdint(session, nullptr, nullptr);
}

const char *LibsshApi::interactiveName(ssh_session session)
{
    return ssh_userauth_kbdint_getname(session);
}

const char *LibsshApi::interactiveInstruction(ssh_session session)
{
    return ssh_userauth_kbdint_getinstruction(session);
}

int LibsshApi::interactivePromptCount(ssh_session session)
{
    return ssh_userauth_kbdint_getnprompts(session);
}

const char *LibsshApi::interactivePrompt(ssh_session session, unsigned index, char *echo)
{
    return ssh_userauth_kbdint_getprompt(session, index, echo);
}

int LibsshApi::interactiveAnswer(ssh_session session, unsigned index, const char *answer)
{
    return ssh_userauth_kbdint_setanswer(session, index, answer);
}

ssh_channel LibsshApi::channelNew(ssh_session session)
{
    return ssh_channel_new(session);
}

void LibsshApi::channelFree(ssh_channel channel)
{
    ssh_channel_free(channel);
}

int LibsshApi::channelOpenSession(ssh_channel channel)
{
    return ssh_channel_open_session(channel);
}

int LibsshApi::channelOpenForward(ssh_channel channel, const char *host, int port)
{
    // The originator as ssh -W names it.
    return ssh_channel_open_forward(channel, host, port, "127.0.0.1", 65535);
}

int LibsshApi::channelOpenForwardUnix(ssh_channel channel, const char *path)
{
    return ssh_channel_open_forward_unix(channel, path, "127.0.0.1", 0);
}

int LibsshApi::channelExec(ssh_channel channel, const char *command)
{
    return ssh_channel_request_exec(channel, command);
}

int LibsshApi::channelWrite(ssh_channel channel, const void *data, uint32_t length)
{
    return ssh_channel_write(channel, data, length);
}

int LibsshApi::channelRead(ssh_channel channel, void *data, uint32_t length)
{
    return ssh_channel_read_nonblocking(channel, data, length, 0);
}

int LibsshApi::channelSendEof(ssh_channel channel)
{
    return ssh_channel_send_eof(channel);
}

int LibsshApi::channelClose(ssh_channel channel)
{
    return ssh_channel_close(channel);
}

int LibsshApi::channelSetCallbacks(ssh_channel channel, ssh_channel_callbacks callbacks)
{
    return ssh_set_channel_callbacks(channel, callbacks);
}

int LibsshApi::channelRemoveCallbacks(ssh_channel channel, ssh_channel_callbacks callbacks)
{
    return ssh_remove_channel_callbacks(channel, callbacks);
}

} // namespace pilothouse
