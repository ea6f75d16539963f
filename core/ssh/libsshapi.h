// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The seam over libssh: one virtual for each call that is used, so that every error branch is tested without a
// network. The base class calls the library; tests override. Stateless: any thread, but a handle stays in one thread.
// Return values are libssh's own. Error texts of libssh are hints for a detail, never the basis of a decision.

#include <libssh/callbacks.h>
#include <libssh/libssh.h>

namespace pilothouse {

class LibsshApi
{
public:
    LibsshApi() = default;
    virtual ~LibsshApi() = default;
    LibsshApi(const LibsshApi &) = delete;
    LibsshApi &operator=(const LibsshApi &) = delete;

    // session
    virtual ssh_session sessionNew();
    virtual void sessionFree(ssh_session session);
    virtual void setBlocking(ssh_session session, bool blocking);
    virtual int setOption(ssh_session session, ssh_options_e option, const void *value);
    virtual void setCounters(ssh_session session, ssh_counter socket);
    virtual int connect(ssh_session session);
    virtual void disconnect(ssh_session session);
    virtual bool isConnected(ssh_session session);
    virtual int fd(ssh_session session);
    virtual int pollFlags(ssh_session session);
    virtual const char *serverBanner(ssh_session session);
    virtual const char *errorText(ssh_session session);
    virtual int sendKeepalive(ssh_session session);

    // pump
    virtual ssh_event eventNew();
    virtual void eventFree(ssh_event event);
    virtual int eventAddSession(ssh_event event, ssh_session session);
    virtual int eventRemoveSession(ssh_event event, ssh_session session);
    virtual int eventPoll(ssh_event event);

    // keys
    virtual int serverPublicKey(ssh_session session, ssh_key *key);
    virtual int exportPublicKey(ssh_key key, char **base64);
    virtual void stringFree(char *text);
    virtual void keyFree(ssh_key key);
    virtual int importPublicKeyFile(const char *path, ssh_key *key);
    virtual int importPrivateKeyFile(const char *path, const char *passphrase, ssh_auth_callback ask, void *user,
                                     ssh_key *key);
    virtual int importCertFile(const char *path, ssh_key *certificate);
    virtual int copyCert(ssh_key certificate, ssh_key privateKey);
    virtual int publicFromPrivate(ssh_key privateKey, ssh_key *publicKey);

    // sign-in; the user name was set as an option
    virtual int authNone(ssh_session session);
    virtual int authMethods(ssh_session session);
    virtual int authTryPublicKey(ssh_session session, ssh_key publicKey);
    virtual int authPublicKey(ssh_session session, ssh_key privateKey);
    virtual int setAgentSocket(ssh_session session, int fd);
    virtual int authAgent(ssh_session session);
    virtual int authPassword(ssh_session session, const char *password);
    virtual int authInteractive(ssh_session session);
    virtual const char *interactiveName(ssh_session session);
    virtual const char *interactiveInstruction(ssh_session session);
    virtual int interactivePromptCount(ssh_session session);
    virtual const char *interactivePrompt(ssh_session session, unsigned index, char *echo);
    virtual int interactiveAnswer(ssh_session session, unsigned index, const char *answer);

    // channels
    virtual ssh_channel channelNew(ssh_session session);
    virtual void channelFree(ssh_channel channel);
    virtual int channelOpenSession(ssh_channel channel);
    virtual int channelOpenForward(ssh_channel channel, const char *host, int port);
    virtual int channelOpenForwardUnix(ssh_channel channel, const char *path);
    virtual int channelExec(ssh_channel channel, const char *command);
    virtual int channelWrite(ssh_channel channel, const void *data, uint32_t length);
    /// What is there now; never waits.
    virtual int channelRead(ssh_channel channel, void *data, uint32_t length);
    virtual int channelSendEof(ssh_channel channel);
    virtual int channelClose(ssh_channel channel);
    virtual int channelSetCallbacks(ssh_channel channel, ssh_channel_callbacks callbacks);
    virtual int channelRemoveCallbacks(ssh_channel channel, ssh_channel_callbacks callbacks);
};

} // namespace pilothouse
