// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// libssh as a script: each call gives the next of its prepared results, or its usual one, and is written down. Handles
// are counted, so that a test sees what was not given back. Single thread, except authAgent().

#include "core/ssh/libsshapi.h"

#include <QByteArrayList>
#include <QHash>
#include <QList>

#include <deque>
#include <functional>
#include <mutex>

#include <sys/socket.h>

namespace pilothouse::test {

class FakeLibssh final : public LibsshApi
{
public:
    /// Next results of a call, by its name here.
    void script(const QByteArray &call, std::initializer_list<int> results)
    {
        m_scripts[call].insert(m_scripts[call].end(), results.begin(), results.end());
    }
    [[nodiscard]] qsizetype count(const QByteArray &call) const
    {
        const std::lock_guard lock(m_mutex);
        return m_calls.count(call);
    }
    [[nodiscard]] bool allGivenBack() const { return sessions == 0 && events == 0 && keys == 0 && channels.isEmpty(); }

    // What the peer does.
    void data(ssh_channel channel, QByteArray bytes, bool isError = false)
    {
        counter->in_bytes += static_cast<uint64_t>(bytes.size());
        ssh_channel_callbacks callbacks = channels.value(channel);
        callbacks->channel_data_function(nullptr, channel, bytes.data(), static_cast<uint32_t>(bytes.size()), isError,
                                         callbacks->userdata);
    }
    void exitStatus(ssh_channel channel, int status)
    {
        channels.value(channel)->channel_exit_status_function(nullptr, channel, status,
                                                              channels.value(channel)->userdata);
    }
    void exitSignal(ssh_channel channel, const char *signal)
    {
        channels.value(channel)->channel_exit_signal_function(nullptr, channel, signal, 0, "", "",
                                                              channels.value(channel)->userdata);
    }
    void eof(ssh_channel channel)
    {
        channels.value(channel)->channel_eof_function(nullptr, channel, channels.value(channel)->userdata);
    }
    void closed(ssh_channel channel)
    {
        channels.value(channel)->channel_close_function(nullptr, channel, channels.value(channel)->userdata);
    }

    // What is set and seen.
    bool connected = true;
    int socket = -1;
    int flags = SSH_READ_PENDING;
    int methods = SSH_AUTH_METHOD_PUBLICKEY;
    const char *banner = "SSH-2.0-Fake";
    QByteArray error = "an error";
    QByteArray hostKey; ///< base64
    QByteArray privateKeyBlob = "cHJpdmF0ZQ==";
    QByteArray passphrase; ///< of key files; empty: not encrypted
    QHash<QByteArray, QByteArray> publicKeys; ///< path to base64
    QHash<QByteArray, QByteArray> certificates; ///< path to base64
    QByteArrayList prompts;
    QByteArrayList answers;
    QByteArray password;
    QHash<int, QByteArray> options; ///< text options
    std::function<void()> onPoll;
    std::function<int(const QByteArray &)> onWrite;
    QByteArray written;
    ssh_counter counter = &m_ownCounter;
    int agentFd = -1;
    std::function<int(int)> onAgent;
    int sessions = 0;
    int events = 0;
    int keys = 0;
    QHash<ssh_channel, ssh_channel_callbacks> channels;
    QList<ssh_channel> made; ///< channels in order

    ssh_session sessionNew() override
    {
        if (next("sessionNew", SSH_OK) != SSH_OK)
            return nullptr;
        ++sessions;
        return handle<ssh_session>();
    }
    void sessionFree(ssh_session) override { --sessions; note("sessionFree"); }
    void setBlocking(ssh_session, bool blocking) override { note(blocking ? "blocking" : "nonblocking"); }
    int setOption(ssh_session, ssh_options_e option, const void *value) override
    {
        if (isText(option))
            options.insert(option, static_cast<const char *>(value));
        note("setOption");
        return next("option" + QByteArray::number(option), SSH_OK);
    }
    void setCounters(ssh_session, ssh_counter given) override { counter = given; }
    int connect(ssh_session) override
    {
        drain();
        return next("connect", SSH_OK);
    }
    void disconnect(ssh_session) override { note("disconnect"); }
    bool isConnected(ssh_session) override { return connected; }
    int fd(ssh_session) override { return connected ? socket : -1; }
    int pollFlags(ssh_session) override { return flags; }
    const char *serverBanner(ssh_session) override { return banner; }
    const char *errorText(ssh_session) override { return error.constData(); }
    int sendKeepalive(ssh_session) override { return next("sendKeepalive", SSH_OK); }
    ssh_event eventNew() override
    {
        if (next("eventNew", SSH_OK) != SSH_OK)
            return nullptr;
        ++events;
        return handle<ssh_event>();
    }
    void eventFree(ssh_event) override { --events; }
    int eventAddSession(ssh_event, ssh_session) override { return next("eventAddSession", SSH_OK); }
    int eventRemoveSession(ssh_event, ssh_session) override { return next("eventRemoveSession", SSH_OK); }
    int eventPoll(ssh_event) override
    {
        drain();
        if (onPoll)
            onPoll();
        return next("eventPoll", SSH_AGAIN);
    }
    int serverPublicKey(ssh_session, ssh_key *key) override { return giveKey("serverPublicKey", hostKey, key); }
    int exportPublicKey(ssh_key key, char **base64) override
    {
        const int result = next("exportPublicKey", SSH_OK);
        if (result == SSH_OK)
            *base64 = ::strdup(m_blobs.value(key).constData());
        return result;
    }
    void stringFree(char *text) override { ::free(text); }
    void keyFree(ssh_key) override { --keys; }
    int importPublicKeyFile(const char *path, ssh_key *key) override
    {
        if (!publicKeys.contains(path))
            return SSH_ERROR;
        return giveKey("importPublicKeyFile", publicKeys.value(path), key);
    }
    int importPrivateKeyFile(const char *, const char *given, ssh_auth_callback ask, void *user, ssh_key *key) override
    {
        if (!passphrase.isEmpty() && !given) {
            char buffer[8] = {};
            (void)ask("", buffer, sizeof buffer, 0, 0, user);
            return SSH_ERROR;
        }
        if (passphrase != QByteArray(given))
            return SSH_ERROR;
        return giveKey("importPrivateKeyFile", privateKeyBlob, key);
    }
    int importCertFile(const char *path, ssh_key *key) override
    {
        if (!certificates.contains(path))
            return SSH_ERROR;
        return giveKey("importCertFile", certificates.value(path), key);
    }
    int copyCert(ssh_key, ssh_key) override { return next("copyCert", SSH_OK); }
    int publicFromPrivate(ssh_key, ssh_key *key) override { return giveKey("publicFromPrivate", privateKeyBlob, key); }
    int authNone(ssh_session) override { return next("authNone", SSH_AUTH_DENIED); }
    int authMethods(ssh_session) override { return next("authMethods", methods); }
    int authTryPublicKey(ssh_session, ssh_key) override { return next("authTryPublicKey", SSH_AUTH_SUCCESS); }
    int authPublicKey(ssh_session, ssh_key) override { return next("authPublicKey", SSH_AUTH_SUCCESS); }
    int setAgentSocket(ssh_session, int fd) override
    {
        agentFd = fd;
        return next("setAgentSocket", SSH_OK);
    }
    int authAgent(ssh_session) override { return onAgent ? onAgent(agentFd) : next("authAgent", SSH_AUTH_DENIED); }
    int authPassword(ssh_session, const char *given) override
    {
        password = given;
        return next("authPassword", SSH_AUTH_SUCCESS);
    }
    int authInteractive(ssh_session) override { return next("authInteractive", SSH_AUTH_SUCCESS); }
    const char *interactiveName(ssh_session) override { return "name"; }
    const char *interactiveInstruction(ssh_session) override { return "do this"; }
    int interactivePromptCount(ssh_session) override { return static_cast<int>(prompts.size()); }
    const char *interactivePrompt(ssh_session, unsigned index, char *echo) override
    {
        *echo = index > 0;
        return prompts.at(index).constData();
    }
    int interactiveAnswer(ssh_session, unsigned, const char *answer) override
    {
        answers += QByteArray(answer);
        return SSH_OK;
    }
    ssh_channel channelNew(ssh_session) override
    {
        if (next("channelNew", SSH_OK) != SSH_OK)
            return nullptr;
        const auto channel = handle<ssh_channel>();
        channels.insert(channel, nullptr);
        made += channel;
        return channel;
    }
    void channelFree(ssh_channel channel) override { channels.remove(channel); }
    int channelOpenSession(ssh_channel) override { return next("channelOpenSession", SSH_OK); }
    int channelOpenForward(ssh_channel, const char *host, int port) override
    {
        forwardedTo = QByteArray(host) + ' ' + QByteArray::number(port);
        return next("channelOpenForward", SSH_OK);
    }
    int channelOpenForwardUnix(ssh_channel, const char *path) override
    {
        forwardedTo = path;
        return next("channelOpenForwardUnix", SSH_OK);
    }
    int channelRead(ssh_channel, void *data, uint32_t length) override
    {
        note("channelRead");
        const QByteArray part = readable.left(length);
        readable.remove(0, part.size());
        std::copy(part.begin(), part.end(), static_cast<char *>(data));
        return static_cast<int>(part.size());
    }
    int channelExec(ssh_channel, const char *command) override
    {
        executed = command;
        return next("channelExec", SSH_OK);
    }
    int channelWrite(ssh_channel, const void *data, uint32_t length) override
    {
        note("channelWrite");
        const QByteArray bytes(static_cast<const char *>(data), length);
        const int taken = onWrite ? onWrite(bytes) : static_cast<int>(length);
        written += bytes.left(taken);
        return taken;
    }
    int channelSendEof(ssh_channel) override { return next("channelSendEof", SSH_OK); }
    int channelClose(ssh_channel) override { return next("channelClose", SSH_OK); }
    int channelSetCallbacks(ssh_channel channel, ssh_channel_callbacks callbacks) override
    {
        channels[channel] = callbacks;
        return SSH_OK;
    }
    int channelRemoveCallbacks(ssh_channel channel, ssh_channel_callbacks) override
    {
        channels[channel] = nullptr;
        return SSH_OK;
    }

    QByteArray executed;
    QByteArray forwardedTo;
    QByteArray readable; ///< in libssh's buffer of the one channel

private:
    static bool isText(ssh_options_e option)
    {
        switch (option) {
        case SSH_OPTIONS_PORT:
        case SSH_OPTIONS_FD:
        case SSH_OPTIONS_STRICTHOSTKEYCHECK:
        case SSH_OPTIONS_PROCESS_CONFIG:
        case SSH_OPTIONS_REKEY_DATA:
        case SSH_OPTIONS_REKEY_TIME:
        case SSH_OPTIONS_RSA_MIN_SIZE:
            return false;
        default:
            return true;
        }
    }
    template <class Handle>
    Handle handle()
    {
        return reinterpret_cast<Handle>(++m_next * 16); // never followed
    }
    int giveKey(const QByteArray &call, const QByteArray &base64, ssh_key *key)
    {
        const int result = next(call, SSH_OK);
        if (result == SSH_OK) {
            *key = handle<ssh_key>();
            m_blobs.insert(*key, base64);
            ++keys;
        }
        return result;
    }
    void drain()
    {
        char bytes[256];
        while (socket >= 0 && ::recv(socket, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
            counter->in_bytes += 1;
    }
    void note(const QByteArray &call)
    {
        const std::lock_guard lock(m_mutex);
        m_calls += call;
    }
    int next(const QByteArray &call, int usual)
    {
        note(call);
        auto &script = m_scripts[call];
        if (script.empty())
            return usual;
        const int result = script.front();
        script.pop_front();
        return result;
    }

    mutable std::mutex m_mutex;
    QByteArrayList m_calls;
    QHash<QByteArray, std::deque<int>> m_scripts;
    QHash<ssh_key, QByteArray> m_blobs;
    quintptr m_next = 1;
    ssh_counter_struct m_ownCounter{};
};

} // namespace pilothouse::test
