// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// A thousand aliases of an SSH configuration, resolved in the background while the window paints sixty times a second
// (offscreen): the longest time between two frames. Then the same from the cache, as a reconnect of all hosts asks.

#include "core/ssh/sshconfigresolver.h"
#include "tests/bench/figures.h"
#include "ui/window/mainwindow.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QThread>
#include <QTimer>

using namespace pilothouse;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int aliases = 1'000;
constexpr double frameMs = 1000.0 / 60;

QString aliasOf(int number)
{
    return u"gpu%1"_s.arg(number);
}

/// As a large site has it: a file a rack, common settings at the end.
bool writeConfig(const QString &folder)
{
    constexpr int racks = 20;
    for (int rack = 0; rack < racks; ++rack) {
        QFile file(folder + u"/rack%1.conf"_s.arg(rack));
        if (!file.open(QIODevice::WriteOnly))
            return false;
        for (int i = rack; i < aliases; i += racks)
            file.write("Host " + aliasOf(i).toUtf8() + "\n  HostName 127.0.0.1\n  Port 2222\n  User root\n");
    }
    QFile file(folder + u"/config"_s);
    return file.open(QIODevice::WriteOnly)
        && file.write("Include " + folder.toUtf8() + "/rack*.conf\nHost gpu*\n  IdentitiesOnly yes\nHost *\n"
                      "  ServerAliveInterval 10\n") > 0;
}

/// Asks for all aliases from a thread of its own.
class Background final : public QThread
{
public:
    Background(const QString &config, std::shared_ptr<SshConfigCache> cache)
        : m_config(config)
        , m_cache(std::move(cache))
    {
    }
    double ms = 0;
    int answered = 0;
    int runs = 0;

protected:
    void run() override
    {
        SshConfigResolver resolver(m_cache);
        QObject context;
        QElapsedTimer clock;
        clock.start();
        int open = aliases;
        for (int i = 0; i < aliases; ++i) {
            resolver.resolve({{}, aliasOf(i), {}}, m_config, &context, [&](const Result<ResolvedHost> &host) {
                answered += host && host->port == 2222 && host->identitiesOnly ? 1 : 0;
                if (--open == 0)
                    quit();
            });
        }
        exec();
        ms = double(clock.nsecsElapsed()) / 1e6;
        runs = resolver.runs();
    }

private:
    QString m_config;
    std::shared_ptr<SshConfigCache> m_cache;
};

/// Paints the window at each frame until `isOver`; the longest time between two frames, in ms.
double longestGap(MainWindow &window, const std::function<bool()> &isOver)
{
    QEventLoop loop;
    QTimer frames;
    frames.setTimerType(Qt::PreciseTimer);
    frames.setInterval(std::chrono::milliseconds(qRound(frameMs)));
    QElapsedTimer clock;
    double longest = 0;
    QObject::connect(&frames, &QTimer::timeout, &loop, [&] {
        longest = std::max(longest, double(clock.nsecsElapsed()) / 1e6);
        clock.start();
        window.repaint();
        if (isOver())
            loop.quit();
    });
    clock.start();
    frames.start();
    loop.exec();
    return longest;
}

} // namespace

int main(int argc, char **argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    const QTemporaryDir folder;
    if (!folder.isValid() || !writeConfig(folder.path()))
        return 2;
    Theme theme(Theme::Mode::Dark);
    MainWindow window(theme);
    window.resize(1280, 800);
    window.show();
    QElapsedTimer idle;
    idle.start();
    (void)longestGap(window, [&] { return idle.elapsed() > 500; }); // first frames load fonts and icons
    idle.start();
    const double alone = longestGap(window, [&] { return idle.elapsed() > 3'000; });

    const auto cache = std::make_shared<SshConfigCache>();
    Background first(folder.filePath(u"config"_s), cache);
    first.start();
    const double gap = longestGap(window, [&] { return first.isFinished(); });
    Background second(folder.filePath(u"config"_s), cache);
    second.start();
    second.wait();
    if (first.answered != aliases || second.answered != aliases || second.runs != 0) {
        std::fprintf(stderr, "only %d and %d aliases were resolved, %d of them anew\n", first.answered, second.answered,
                     second.runs);
        return 2;
    }
    bool held = bench::show(u"1,000 aliases resolved in the background: longest time between two frames"_s, gap,
                            u"ms"_s, 2 * frameMs, 1);
    bench::show(u"the same window while nothing is resolved"_s, alone, u"ms"_s, 0, 1);
    bench::show(u"1,000 aliases resolved in the background"_s, first.ms / 1000, u"s"_s);
    held = bench::show(u"1,000 aliases resolved from the cache"_s, second.ms, u"ms"_s, 100, 1) && held;
    return held ? 0 : 1;
}
