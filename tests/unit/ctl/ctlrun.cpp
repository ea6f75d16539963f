// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/ctl/ctlrun.h"

#include <QElapsedTimer>
#include <QJsonDocument>

namespace pilothouse::test {

using namespace Qt::StringLiterals;

QList<QJsonObject> CtlResult::json() const
{
    QList<QJsonObject> objects;
    for (const QByteArray &line : output.split('\n')) {
        if (!line.isEmpty())
            objects += QJsonDocument::fromJson(line).object();
    }
    return objects;
}

QString ctlProgram()
{
    return QStringLiteral(PILOTHOUSE_BINARY_DIR "/bin/pilothousectl");
}

QProcessEnvironment ctlEnvironment(const QString &home)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"HOME"_s, home);
    environment.insert(u"XDG_CONFIG_HOME"_s, home + u"/.config"_s);
    environment.remove(u"SSH_AUTH_SOCK"_s);
    return environment;
}

CtlResult runCtl(const QStringList &arguments, const QString &home, int limitMs, const QString &program)
{
    QProcess process;
    process.setProcessEnvironment(ctlEnvironment(home));
    process.setStandardInputFile(QProcess::nullDevice());
    QElapsedTimer timer;
    timer.start();
    process.start(program, arguments);
    CtlResult result;
    const bool ended = process.waitForFinished(limitMs);
    result.elapsedMs = timer.elapsed();
    if (ended && process.exitStatus() == QProcess::NormalExit)
        result.exitCode = process.exitCode();
    else
        process.kill();
    process.waitForFinished(5'000);
    result.output = process.readAllStandardOutput();
    result.errors = process.readAllStandardError();
    return result;
}

} // namespace pilothouse::test
