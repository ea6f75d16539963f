// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// How long from the start of the program to its first painted window, offscreen, with twenty hosts in the inventory
// that take a connection and never say a word. Exits 1 above the limit, which holds for a release build.

#include "tests/bench/figures.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTcpServer>
#include <QTemporaryDir>

#include <algorithm>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

constexpr int runs = 9;
constexpr int hosts = 20;
constexpr double limitMs = 500;

void writeInventory(const QString &folder, quint16 port)
{
    QFile file(folder + u"/hosts.toml"_s);
    if (!file.open(QIODevice::WriteOnly))
        return;
    for (int i = 0; i < hosts; ++i)
        file.write(u"[[host]]\nname = \"silent%1\"\nssh = \"127.0.0.1:%2\"\n\n"_s.arg(i).arg(port).toUtf8());
}

/// Milliseconds, negative when the window never came.
double oneRun(const QString &folder)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"QT_QPA_PLATFORM"_s, u"offscreen"_s);
    environment.insert(u"QT_LOGGING_RULES"_s, u"pilothouse.startup.info=true"_s);
    environment.insert(u"XDG_STATE_HOME"_s, folder);
    process.setProcessEnvironment(environment);
    process.setReadChannel(QProcess::StandardError);
    QElapsedTimer timer;
    timer.start();
    process.start(QStringLiteral(PILOTHOUSE_BINARY_DIR) + u"/bin/pilothouse"_s, {u"--config"_s, folder});
    QByteArray said;
    double elapsed = -1;
    constexpr int stepMs = 5'000;
    while (elapsed < 0 && process.waitForReadyRead(stepMs)) {
        said += process.readAllStandardError();
        if (said.contains("first window painted"))
            elapsed = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    }
    process.terminate();
    process.waitForFinished(stepMs);
    return elapsed;
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    const QTemporaryDir folder;
    QTcpServer silent;
    if (!folder.isValid() || !silent.listen(QHostAddress::LocalHost))
        return 8;
    writeInventory(folder.path(), silent.serverPort());
    QList<double> times;
    for (int i = 0; i < runs; ++i)
        times << oneRun(folder.path());
    const bool painted = std::ranges::all_of(times, [](double ms) { return ms > 0; });
    const QString figure = u"start to first painted window, offscreen, %1 silent hosts"_s.arg(hosts);
    return bench::show(figure, bench::median(times), u"ms"_s, limitMs, 0) && painted ? 0 : 1;
}
