// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/simhost/simulation.h"
#include "tests/support/testmain.h"

#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTcpSocket>
#include <QTemporaryDir>

#include <libssh/libssh.h>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

struct SessionFree
{
    void operator()(ssh_session session) const
    {
        ssh_disconnect(session);
        ssh_free(session);
    }
};
using Session = std::unique_ptr<std::remove_pointer_t<ssh_session>, SessionFree>;

struct ChannelFree
{
    void operator()(ssh_channel channel) const { ssh_channel_free(channel); }
};
using Channel = std::unique_ptr<std::remove_pointer_t<ssh_channel>, ChannelFree>;

} // namespace

/// Clients that do what OpenSSH's never would, against hosts in memory. They get nothing, and disturb nobody.
class TstHostileclient final : public QObject
{
    Q_OBJECT

    QTemporaryDir m_parent;
    std::unique_ptr<Simulation> m_simulation;
    int m_port = 0;

    [[nodiscard]] QString folder() const { return m_parent.filePath(u"sim"_s); }

    /// Connected, keys exchanged, not signed in.
    [[nodiscard]] Session connected() const
    {
        Session session(ssh_new());
        const bool no = false;
        const long limit = 10;
        ssh_options_set(session.get(), SSH_OPTIONS_PROCESS_CONFIG, &no);
        ssh_options_set(session.get(), SSH_OPTIONS_HOST, "127.0.0.1");
        ssh_options_set(session.get(), SSH_OPTIONS_PORT, &m_port);
        ssh_options_set(session.get(), SSH_OPTIONS_USER, "root");
        ssh_options_set(session.get(), SSH_OPTIONS_TIMEOUT, &limit);
        ssh_options_set(session.get(), SSH_OPTIONS_KNOWNHOSTS, "/dev/null");
        return ssh_connect(session.get()) == SSH_OK ? std::move(session) : Session();
    }
    [[nodiscard]] static int signInWith(const Session &session, const QString &keyFile)
    {
        ssh_key key = nullptr;
        if (ssh_pki_import_privkey_file(QFile::encodeName(keyFile).constData(), nullptr, nullptr, nullptr, &key) != SSH_OK)
            return SSH_AUTH_ERROR;
        const SshKey owned(key);
        return ssh_userauth_publickey(session.get(), nullptr, key);
    }
    [[nodiscard]] Session signedIn() const
    {
        Session session = connected();
        if (!session || signInWith(session, folder() + u"/identity"_s) != SSH_AUTH_SUCCESS)
            return {};
        return session;
    }
    /// The probe's own first line is answered: all is well for somebody who behaves.
    [[nodiscard]] bool worksForOthers() const
    {
        const Session session = signedIn();
        const Channel channel(session ? ssh_channel_new(session.get()) : nullptr);
        if (!channel || ssh_channel_open_session(channel.get()) != SSH_OK
            || ssh_channel_request_exec(channel.get(), "exec /bin/sh") != SSH_OK)
            return false;
        const QByteArray line = "printf '@PH STAGE %s' 00112233aabbccdd; exec /bin/sh -s pilothouse-probe a b kernel\n";
        ssh_channel_write(channel.get(), line.constData(), uint32_t(line.size()));
        char answer[64] = {};
        return ssh_channel_read_timeout(channel.get(), answer, sizeof answer - 1, 0, 5'000) > 0
            && QByteArray(answer).startsWith("@PH STAGE ");
    }

private slots:
    void initTestCase()
    {
        SimulationOptions options;
        options.hosts = manyHosts(1, 0);
        options.folder = folder();
        options.inMemory = true;
        options.limits.maxSessions = 3;
        auto simulation = Simulation::start(options);
        QVERIFY2(simulation, simulation ? "" : qPrintable(simulation.error().detail));
        m_simulation = std::move(*simulation);
        m_port = QJsonDocument::fromJson(m_simulation->readyLine()).object().value(u"hosts"_s)[0][u"port"].toInt();
        QVERIFY(m_port > 0);
        QVERIFY(worksForOthers());
    }
    void cleanupTestCase()
    {
        m_simulation.reset();
        QVERIFY(!QFile::exists(folder()));
    }
    void cleanup() { QVERIFY(worksForOthers()); }

    void signIn_otherWaysAreRefused()
    {
        const Session session = connected();
        QVERIFY(session);
        QCOMPARE(ssh_userauth_none(session.get(), nullptr), int(SSH_AUTH_DENIED));
        QCOMPARE(ssh_userauth_list(session.get(), nullptr), int(SSH_AUTH_METHOD_PUBLICKEY));
        QVERIFY(ssh_userauth_password(session.get(), nullptr, "root") != SSH_AUTH_SUCCESS);
        QVERIFY(ssh_userauth_kbdint(session.get(), nullptr, nullptr) != SSH_AUTH_SUCCESS);
    }

    void signIn_anotherKeyIsRefused()
    {
        const Session session = connected();
        QVERIFY(session);
        const QString other = m_parent.filePath(u"other"_s);
        QVERIFY(makeKey(other));
        QCOMPARE(signInWith(session, other), int(SSH_AUTH_DENIED));
        // The public half of the right key is known to many; it opens nothing.
        ssh_key known = nullptr;
        QVERIFY(ssh_pki_import_privkey_file(QFile::encodeName(folder() + u"/identity"_s).constData(), nullptr, nullptr,
                                            nullptr, &known) == SSH_OK);
        const SshKey owned(known);
        QCOMPARE(ssh_userauth_try_publickey(session.get(), nullptr, known), int(SSH_AUTH_SUCCESS));
        const Channel channel(ssh_channel_new(session.get()));
        QVERIFY(ssh_channel_open_session(channel.get()) != SSH_OK);
    }

    void channel_beforeTheSignInIsRefused()
    {
        const Session session = connected();
        QVERIFY(session);
        const Channel channel(ssh_channel_new(session.get()));
        QVERIFY(ssh_channel_open_session(channel.get()) != SSH_OK);
        const Channel forward(ssh_channel_new(session.get()));
        QVERIFY(ssh_channel_open_forward(forward.get(), "127.0.0.1", 22, "127.0.0.1", 1) != SSH_OK);
    }

    void command_thatIsNotTheProbesIsRefused_data()
    {
        QTest::addColumn<QByteArray>("command");
        for (const char *command : {"id", "exec /bin/sh; id", "exec /bin/sh -c id", ""})
            QTest::newRow(*command ? command : "empty") << QByteArray(command);
    }
    void command_thatIsNotTheProbesIsRefused()
    {
        QFETCH(const QByteArray, command);
        const Session session = signedIn();
        QVERIFY(session);
        const Channel channel(ssh_channel_new(session.get()));
        QCOMPARE(ssh_channel_open_session(channel.get()), SSH_OK);
        QVERIFY(ssh_channel_request_exec(channel.get(), command.constData()) != SSH_OK);
    }

    void requests_ofOtherKindsAreRefused()
    {
        const Session session = signedIn();
        QVERIFY(session);
        const Channel channel(ssh_channel_new(session.get()));
        QCOMPARE(ssh_channel_open_session(channel.get()), SSH_OK);
        QVERIFY(ssh_channel_request_env(channel.get(), "LD_PRELOAD", "/tmp/x.so") != SSH_OK);
        QVERIFY(ssh_channel_request_subsystem(channel.get(), "sftp") != SSH_OK);
        QVERIFY(ssh_channel_request_x11(channel.get(), 0, nullptr, nullptr, 0) != SSH_OK);
        const Channel forward(ssh_channel_new(session.get()));
        QVERIFY(ssh_channel_open_forward(forward.get(), "127.0.0.1", m_port, "127.0.0.1", 1) != SSH_OK);
    }

    void command_secondOnOneChannelIsRefused()
    {
        const Session session = signedIn();
        QVERIFY(session);
        const Channel channel(ssh_channel_new(session.get()));
        QCOMPARE(ssh_channel_open_session(channel.get()), SSH_OK);
        QCOMPARE(ssh_channel_request_exec(channel.get(), "exec /bin/sh"), SSH_OK);
        QVERIFY(ssh_channel_request_exec(channel.get(), "exec /bin/sh") != SSH_OK);
    }

    void channels_areLimitedAndGivenBack()
    {
        const Session session = signedIn();
        QVERIFY(session);
        std::vector<Channel> channels;
        for (int i = 0; i < 3; ++i) {
            channels.emplace_back(ssh_channel_new(session.get()));
            QCOMPARE(ssh_channel_open_session(channels.back().get()), SSH_OK);
            QCOMPARE(ssh_channel_request_exec(channels.back().get(), "exec /bin/sh"), SSH_OK);
        }
        const auto opens = [&] {
            const Channel one(ssh_channel_new(session.get()));
            return ssh_channel_open_session(one.get()) == SSH_OK;
        };
        QVERIFY(!opens());
        ssh_channel_close(channels.back().get());
        channels.pop_back();
        QTRY_VERIFY(opens());
    }

    void input_withoutEndOrSenseIsSwallowed()
    {
        const Session session = signedIn();
        QVERIFY(session);
        const Channel channel(ssh_channel_new(session.get()));
        QCOMPARE(ssh_channel_open_session(channel.get()), SSH_OK);
        QCOMPARE(ssh_channel_request_exec(channel.get(), "exec /bin/sh"), SSH_OK);
        const QByteArray noise(256 * 1024, '\xfe');
        for (int i = 0; i < 16; ++i) // 4 MiB on one line
            QCOMPARE(ssh_channel_write(channel.get(), noise.constData(), uint32_t(noise.size())), int(noise.size()));
        const QByteArray end = "\nask n=1 t=1\nquit\n";
        QCOMPARE(ssh_channel_write(channel.get(), end.constData(), uint32_t(end.size())), int(end.size()));
        char answer[16];
        QVERIFY(ssh_channel_read_timeout(channel.get(), answer, sizeof answer, 0, 300) <= 0); // nothing was understood
        ssh_channel_send_eof(channel.get());
        QTRY_VERIFY(ssh_channel_poll(channel.get(), 0) == SSH_EOF); // and it ends with its input
    }

    void connections_thatSayNothingHoldNobodyUp()
    {
        std::vector<std::unique_ptr<QTcpSocket>> silent;
        for (int i = 0; i < 40; ++i) {
            silent.push_back(std::make_unique<QTcpSocket>());
            silent.back()->connectToHost(u"127.0.0.1"_s, quint16(m_port));
            QVERIFY(silent.back()->waitForConnected(5'000));
            if (i % 2 == 1)
                silent.back()->write("SSH-2.0-half a han");
        }
        QElapsedTimer timer;
        timer.start();
        QVERIFY(worksForOthers());
        QVERIFY2(timer.elapsed() < 3'000, qPrintable(QString::number(timer.elapsed())));
    }

    void listens_onTheLoopbackAlone()
    {
        QFile tcp(u"/proc/net/tcp"_s);
        QVERIFY(tcp.open(QIODevice::ReadOnly));
        const QByteArray port = ":" + QByteArray::number(m_port, 16).toUpper().rightJustified(4, '0');
        int listening = 0;
        for (const QByteArray &line : tcp.readAll().split('\n')) {
            const QList<QByteArray> words = line.simplified().split(' ');
            if (words.size() < 4 || words.at(3) != "0A" || !words.at(1).endsWith(port))
                continue;
            ++listening;
            QCOMPARE(words.at(1), QByteArray("0100007F" + port));
        }
        QCOMPARE(listening, 1);
        QFile tcp6(u"/proc/net/tcp6"_s);
        if (tcp6.open(QIODevice::ReadOnly))
            QVERIFY(!tcp6.readAll().contains(QByteArray("00000000000000000000000000000000" + port + " 0000")));
    }
};

PILOTHOUSE_TEST_MAIN(TstHostileclient)
#include "tst_hostileclient.moc"
