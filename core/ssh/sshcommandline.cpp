// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshcommandline.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// `-o` takes a line of the configuration: blanks need quotes there, and a percent sign begins a
/// token.
QString pathOption(const QString &keyword, QString path)
{
    path.replace(u'%', u"%%"_s);
    path.replace(u'\\', u"\\\\"_s).replace(u'"', u"\\\""_s);
    return keyword + u"=\""_s + path + u'"';
}

} // namespace

QStringList sshCommandLine(const ConnectionSettings &settings)
{
    QStringList words{u"ssh"_s};
    if (!settings.sshConfigFile.isEmpty())
        words << u"-F"_s << settings.sshConfigFile;
    if (settings.target.port)
        words << u"-p"_s << QString::number(*settings.target.port);
    if (!settings.target.user.isEmpty())
        words << u"-l"_s << settings.target.user;
    if (!settings.knownHostsFile.isEmpty()) {
        words << u"-o"_s << pathOption(u"UserKnownHostsFile"_s, settings.knownHostsFile);
        words << u"-o"_s << u"GlobalKnownHostsFile=none"_s;
    }
    if (!settings.identityFile.isEmpty()) {
        words << u"-o"_s << pathOption(u"IdentityFile"_s, settings.identityFile);
        words << u"-o"_s << u"IdentitiesOnly=yes"_s;
    }
    words << u"--"_s << settings.target.host;
    return words;
}

} // namespace pilothouse
