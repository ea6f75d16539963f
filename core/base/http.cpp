// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/http.h"

#include "core/base/cleantext.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

QString addressOf(const HttpRequest &request)
{
    const QString path = cleanLine(QByteArrayView(request.path), 200);
    if (!request.socket.isEmpty())
        return u"unix:%1 %2"_s.arg(cleanLine(request.socket, 200), path);
    QString host = cleanLine(request.address, 255);
    if (host.contains(u':'))
        host = u'[' + host + u']';
    return u"%1://%2:%3%4"_s.arg(request.tls ? u"https"_s : u"http"_s, host).arg(request.port).arg(path);
}

QString refusalOf(const HttpRequest &request)
{
    const auto isPrintable = [](char c) { return c > ' ' && c < 127; };
    if (!request.path.startsWith('/') || request.path.size() > 2000 || !std::ranges::all_of(request.path, isPrintable))
        return u"\"%1\" is no path of a URL."_s.arg(cleanLine(QByteArrayView(request.path), 80));
    if (!std::ranges::all_of(request.key, isPrintable))
        return u"The API key has characters that no header can carry."_s;
    if (!request.socket.isEmpty()) {
        const auto isControl = [](QChar c) { return c.unicode() < 32 || c.unicode() == 127; };
        // sun_path of Linux.
        if (!request.socket.startsWith(u'/') || request.socket.toUtf8().size() > 107
            || std::ranges::any_of(request.socket, isControl))
            return u"\"%1\" is no path of a socket."_s.arg(cleanLine(request.socket, 120));
        return {};
    }
    const auto isOfAddress = [](QChar c) {
        return c.unicode() < 128 && (c.isLetterOrNumber() || u".:-_%"_s.contains(c));
    };
    if (request.address.isEmpty() || request.address.size() > 255 || request.address.startsWith(u'-')
        || !std::ranges::all_of(request.address, isOfAddress))
        return u"\"%1\" is no address of a host."_s.arg(cleanLine(request.address, 80));
    if (request.port == 0)
        return u"There is no port to ask."_s;
    return {};
}

QString statusWords(const HttpRequest &request, int status, const QString &location)
{
    const QString where = addressOf(request);
    if (status == 401 || status == 403)
        return u"%1 answers HTTP %2: alive, key needed."_s.arg(where).arg(status);
    if (status >= 300 && status < 400)
        return u"%1 answers HTTP %2, a redirect to %3, which is not followed."_s.arg(where).arg(status)
            .arg(location.isEmpty() ? u"nowhere"_s : location);
    return u"%1 answers HTTP %2."_s.arg(where).arg(status);
}

} // namespace pilothouse
