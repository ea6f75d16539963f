// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A light snapshot of an 8-GPU host with 300 processes over loopback, against the same script run on that host without
// SSH, and against what an operator would type: the founding commands through a ControlMaster. All in one run, in turn.

#include "core/probe/prober.h"
#include "core/ssh/sshsession.h"
#include "tests/bench/figures.h"
#include "tests/support/localshell.h"
#include "tests/support/sshdserver.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QTimer>

#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int crowd = 300;
constexpr int gpus = 8;
constexpr int snapshots = 200;
constexpr int foundings = 40;

/// Children that end with this program.
class Children final
{
public:
    Children() = default;
    ~Children()
    {
        for (const pid_t pid : m_pids)
            ::kill(pid, SIGKILL);
        for (const pid_t pid : m_pids)
            ::waitpid(pid, nullptr, 0);
    }
    Children(const Children &) = delete;
    Children &operator=(const Children &) = delete;
    void start(const QStringList &words) { m_pids += spawn(words); }

    static pid_t spawn(const QStringList &words)
    {
        QList<QByteArray> bytes;
        QList<char *> arguments;
        for (const QString &word : words)
            bytes += word.toLocal8Bit();
        for (QByteArray &word : bytes)
            arguments += word.data();
        arguments += nullptr;
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        pid_t pid = -1;
        ::posix_spawnp(&pid, arguments.first(), &actions, nullptr, arguments.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        return pid;
    }

private:
    QList<pid_t> m_pids;
};

double milliseconds(const timeval &time)
{
    return double(time.tv_sec) * 1e3 + double(time.tv_usec) / 1e3;
}

/// One prober and what its snapshots cost.
class Subject final
{
public:
    Subject(ShellProvider &shells, const ProbeSettings &settings)
        : m_prober(shells, settings)
    {
    }
    bool start()
    {
        bool started = false;
        QEventLoop loop;
        QObject::connect(&m_prober, &Prober::started, &loop, [&] {
            started = true;
            loop.quit();
        });
        QObject::connect(&m_prober, &Prober::failed, &loop, [&](const Error &error) {
            std::fprintf(stderr, "%s\n", qPrintable(sentenceOf(error)));
            loop.quit();
        });
        QTimer::singleShot(15s, &loop, &QEventLoop::quit);
        m_prober.start();
        loop.exec();
        return started;
    }
    bool measure()
    {
        SnapshotPtr taken;
        QEventLoop loop;
        QObject::connect(&m_prober, &Prober::snapshotTaken, &loop, [&](const SnapshotPtr &snapshot) {
            taken = snapshot;
            loop.quit();
        });
        QObject::connect(&m_prober, &Prober::requestFailed, &loop, &QEventLoop::quit);
        QElapsedTimer clock;
        clock.start();
        const double cpuBefore = bench::cpuMs();
        m_prober.requestSnapshot(Depth::Light);
        loop.exec();
        wall += double(clock.nsecsElapsed()) / 1e6;
        cpu += bench::cpuMs() - cpuBefore;
        last = taken;
        return taken && taken->gpus && taken->gpus->size() == gpus && taken->processes;
    }
    void forget()
    {
        wall.clear();
        cpu.clear();
    }

    QList<double> wall;
    QList<double> cpu;
    SnapshotPtr last;

private:
    Prober m_prober;
};

bool connectSession(SshSession &session)
{
    QEventLoop loop;
    QObject::connect(&session, &SshSession::stateChanged, &loop, [&](SshSession::State state) {
        if (state == SshSession::State::Ready || state == SshSession::State::Ended)
            loop.quit();
    });
    QObject::connect(&session, &SshSession::ended, &loop, [&](const Error &error) {
        std::fprintf(stderr, "%s\n", qPrintable(sentenceOf(error)));
        loop.quit();
    });
    session.open();
    if (session.state() != SshSession::State::Ended)
        loop.exec();
    return session.state() == SshSession::State::Ready;
}

/// CPU time of a process of one thread so far, in ms, as the scheduler counts it in nanoseconds.
double cpuOf(pid_t pid)
{
    QFile schedstat(u"/proc/%1/schedstat"_s.arg(pid));
    return schedstat.open(QIODevice::ReadOnly) ? schedstat.readAll().split(' ').first().toDouble() / 1e6 : 0;
}

struct Founding
{
    QList<double> wall;
    QList<double> cpu;
};

/// The client's share only: the `ssh` of each command and its part of the master.
Founding measureFounding(SshdServer &server)
{
    const QString control = server.path(u"control"_s);
    const QStringList common{u"ssh"_s, u"-F"_s, server.path(u"ssh_config"_s), u"-S"_s, control};
    Founding founding;
    const pid_t master = Children::spawn(common + QStringList{u"-M"_s, u"-N"_s, u"gpu_01"_s});
    QElapsedTimer waiting;
    waiting.start();
    while (!QFile::exists(control) && waiting.elapsed() < 10'000)
        ::usleep(20'000);
    double masterBefore = cpuOf(master);
    for (int i = 0; i < foundings; ++i) {
        QElapsedTimer clock;
        clock.start();
        const pid_t pid = Children::spawn(
            common + QStringList{u"gpu_01"_s, u"nvidia-smi; ps aux | grep -E \"python|vllm\""_s});
        rusage usage{};
        ::wait4(pid, nullptr, 0, &usage);
        founding.wall += double(clock.nsecsElapsed()) / 1e6;
        const double masterNow = cpuOf(master);
        founding.cpu += milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime) + masterNow - masterBefore;
        masterBefore = masterNow;
    }
    ::kill(master, SIGKILL); // SIGTERM may come in the moment before it waits, and be slept through
    ::waitpid(master, nullptr, 0);
    return founding;
}

/// The host sees its own processes only: this program once more, in a PID namespace with a /proc of its own. Where that
/// is not allowed, the machine's other processes are on the host too.
void enterHost(char **argv)
{
    if (::getenv("PILOTHOUSE_BENCH_INSIDE") || ::geteuid() != 0)
        return;
    ::setenv("PILOTHOUSE_BENCH_INSIDE", "1", 1);
    std::vector<char *> words;
    // A shell as process 1, so that orphans of the host's scripts are reaped as on any host.
    for (const char *word : {"unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "bash", "-c",
                             "\"$@\"; exit $?", "bash"})
        words.push_back(const_cast<char *>(word));
    for (char **word = argv; *word; ++word)
        words.push_back(*word);
    words.push_back(nullptr);
    ::execvp(words.front(), words.data());
}

} // namespace

int main(int argc, char **argv)
{
    enterHost(argv);
    QCoreApplication application(argc, argv);
    // The host: this machine, with the simulated nvidia-smi, eight holders and a crowd.
    QTemporaryDir host;
    const QString tools = QStringLiteral(PILOTHOUSE_BINARY_DIR "/bin/pilothouse-simtools");
    QDir(host.path()).mkpath(u"bin"_s);
    QDir(host.path()).mkpath(u"sim/claims"_s);
    for (const QString &name : {u"nvidia-smi"_s, u"sim-hog"_s})
        QFile::link(tools, host.filePath(u"bin/"_s + name));
    (void)writeFile(host.filePath(u"sim/gpus.conf"_s), "count = 8\n");
    const QByteArray path = host.filePath(u"bin"_s).toLocal8Bit() + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
    qputenv("PATH", path);
    qputenv("PILOTHOUSE_SIM_DIR", host.filePath(u"sim"_s).toLocal8Bit());
    Children children;
    for (int gpu = 0; gpu < gpus; ++gpu)
        children.start({u"sim-hog"_s, u"--gpus"_s, QString::number(gpu), u"--mib"_s, u"96615"_s, u"--title"_s,
                        u"VLLM::Worker_TP%1"_s.arg(gpu)});
    const auto running = QDir(u"/proc"_s).entryList({u"[0-9]*"_s}, QDir::Dirs).size();
    for (qsizetype i = running; i < crowd; ++i)
        children.start({u"sleep"_s, u"600"_s});

    SshdServer server({u"SetEnv PATH=%1 PILOTHOUSE_SIM_DIR=%2 SHLVL=5"_s.arg(
        QString::fromLocal8Bit(path), host.filePath(u"sim"_s))});
    if (!server.start()) {
        std::fprintf(stderr, "%s\n", qPrintable(server.error()));
        return 2;
    }
    SshSession session(server.settings());
    if (!connectSession(session))
        return 2;
    ProbeSettings settings;
    settings.consoleId = u"bench0000000ssh0"_s;
    ProbeSettings localSettings = settings;
    localSettings.consoleId = u"bench00000local0"_s;
    LocalShellProvider localShells;
    Subject remote(session, settings);
    Subject local(localShells, localSettings);
    if (!remote.start() || !local.start())
        return 2;
    for (int i = 0; i < snapshots; ++i) {
        if (!remote.measure() || !local.measure()) {
            std::fprintf(stderr, "a snapshot is not whole\n");
            return 2;
        }
        if (i == 4) { // names are looked up and pages are warm
            remote.forget();
            local.forget();
        }
    }
    const Founding founding = measureFounding(server);

    const double cpu = bench::median(remote.cpu);
    const double foundingCpu = bench::median(founding.cpu);
    bool held = bench::show(u"light snapshot: time that SSH adds to the same script run on the host"_s,
                            bench::median(remote.wall) - bench::median(local.wall), u"ms"_s, 3);
    held = bench::show(u"light snapshot: client CPU, parsing included"_s, cpu, u"ms"_s, 1) && held;
    held = bench::show(u"light snapshot: client CPU as a share of the founding commands'"_s,
                       foundingCpu > 0 ? cpu / foundingCpu : 1, u"times"_s, 0.05, 3)
        && held;
    bench::show(u"light snapshot: over SSH, wall time"_s, bench::median(remote.wall), u"ms"_s);
    bench::show(u"the same script on the host without SSH, wall time"_s, bench::median(local.wall), u"ms"_s);
    bench::show(u"founding commands through a ControlMaster, wall time"_s, bench::median(founding.wall), u"ms"_s);
    bench::show(u"founding commands through a ControlMaster, client CPU"_s, foundingCpu, u"ms"_s);
    bench::show(u"light snapshot: processes on the host"_s,
                double(QDir(u"/proc"_s).entryList({u"[0-9]*"_s}, QDir::Dirs).size()), u""_s, 0, 0);
    bench::show(u"light snapshot: answer"_s, double(remote.last->bytes) / 1024, u"KiB"_s);
    return held ? 0 : 1;
}
