// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/actions/httptext.h"

#include "core/base/cleantext.h"

namespace pilothouse {

using namespace Qt::StringLiterals;
using Outcome = HttpAnswer::Outcome;

namespace {

/// One quoted value of curl's configuration.
QByteArray quoted(QByteArray text)
{
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t");
    return '"' + text + '"';
}

struct Head
{
    int status = 0;
    QByteArray location;
    qint64 length = -1; ///< of the body, as announced
    qsizetype end = 0;  ///< where the body begins
};

/// Of the last head: interim answers (1xx) come before it.
Head headOf(QByteArrayView text)
{
    Head head;
    qsizetype from = 0;
    while (text.sliced(from).startsWith("HTTP/")) {
        qsizetype end = text.indexOf("\r\n\r\n", from);
        qsizetype behind = end + 4;
        const qsizetype plain = text.indexOf("\n\n", from);
        if (end < 0 || (plain >= 0 && plain < end)) {
            end = plain;
            behind = plain + 2;
        }
        if (end < 0)
            break;
        head = {};
        const QList<QByteArray> lines = text.sliced(from, end - from).toByteArray().split('\n');
        const qsizetype blank = lines.first().indexOf(' ');
        head.status = blank < 0 ? 0 : lines.first().mid(blank + 1, 3).toInt();
        for (const QByteArray &line : lines.mid(1)) {
            const qsizetype colon = line.indexOf(':');
            const QByteArray name = line.left(colon).toLower();
            const QByteArray value = line.mid(colon + 1).trimmed();
            bool isNumber = false;
            if (colon > 0 && name == "location")
                head.location = value;
            else if (const qint64 length = value.toLongLong(&isNumber); name == "content-length" && isNumber)
                head.length = length;
        }
        head.end = from = behind;
        if (head.status < 100 || head.status >= 200)
            break;
    }
    if (head.status < 100 || head.status > 999)
        head.status = 0;
    return head;
}

QByteArray decoded(const QByteArray &text)
{
    const QByteArray plain = text.simplified().replace(" ", "");
    // od's hexadecimal digits have blanks between the bytes; base64 has none.
    return text.trimmed().contains(' ') ? QByteArray::fromHex(plain) : QByteArray::fromBase64(plain);
}

Outcome outcomeOf(const QByteArray &tool, int status, bool began)
{
    if (tool == "wget") {
        switch (status) {
        case 0:
        case 8: // the server's answer is an error
            return Outcome::Answered;
        case 5:
            return Outcome::TlsFailed;
        case 124: // timeout's
            return Outcome::TimedOut;
        default:
            return began ? Outcome::Closed : Outcome::NothingListens;
        }
    }
    switch (status) {
    case 0:
        return Outcome::Answered;
    case 1:
    case 8:
        return Outcome::NotHttp;
    case 5:
    case 6:
        return Outcome::NoWay;
    case 7:
        return Outcome::NothingListens;
    case 28:
        return Outcome::TimedOut;
    case 35:
    case 51:
    case 58:
    case 59:
    case 60:
        return Outcome::TlsFailed;
    default:
        return Outcome::Closed;
    }
}

QString wordsOf(const HttpRequest &request, const HttpAnswer &answer)
{
    const QString where = addressOf(request);
    const QString seconds = QString::number(double(request.limit.count()) / 1000.0);
    switch (answer.outcome) {
    case Outcome::Answered:
        return statusWords(request, answer.status, answer.location);
    case Outcome::NothingListens:
        return u"Nothing listens at %1."_s.arg(where);
    case Outcome::Closed:
        return answer.status > 0
            ? u"%1 answers HTTP %2, but ends before its answer is whole."_s.arg(where).arg(answer.status)
            : u"%1 closed the connection without an answer."_s.arg(where);
    case Outcome::TimedOut:
        return answer.status > 0 ? u"%1 answers, but is not done within %2 s."_s.arg(where, seconds)
                                 : u"%1 does not answer within %2 s."_s.arg(where, seconds);
    case Outcome::TooLarge:
        return u"%1 sends more than the %2 KiB that such an answer may have."_s.arg(where)
            .arg(request.mostBytes / 1024);
    case Outcome::NotHttp:
        return u"What answers at %1 does not speak HTTP."_s.arg(where);
    case Outcome::TlsFailed:
        return u"No TLS with %1."_s.arg(where);
    case Outcome::NoWay:
    case Outcome::Lost:
        break;
    }
    return u"The host cannot ask %1."_s.arg(where);
}

} // namespace

QByteArray urlOf(const HttpRequest &request)
{
    const QByteArray host = request.socket.isEmpty() ? request.address.toLatin1() : QByteArray("localhost");
    const QByteArray port = request.socket.isEmpty() ? ':' + QByteArray::number(request.port) : QByteArray();
    return (request.tls ? "https://" : "http://") + (host.contains(':') ? '[' + host + ']' : host) + port
        + request.path;
}

QByteArray curlConfiguration(const HttpRequest &request)
{
    QByteArray text = "url = " + quoted(urlOf(request)) + "\nheader = \"Accept-Encoding: identity\"\n";
    if (!request.socket.isEmpty())
        text += "unix-socket = " + quoted(request.socket.toUtf8()) + '\n';
    if (!request.key.isEmpty())
        text += "header = " + quoted("Authorization: Bearer " + request.key) + '\n';
    if (!request.body.isEmpty())
        text += "header = \"Content-Type: application/json\"\nheader = \"Expect:\"\ndata-raw = " + quoted(request.body)
            + '\n';
    return text;
}

QByteArray wgetConfiguration(const HttpRequest &request)
{
    if (!request.socket.isEmpty() || request.body.contains('\n'))
        return {};
    QByteArray text = "header = Accept-Encoding: identity\n";
    if (!request.key.isEmpty())
        text += "header = Authorization: Bearer " + request.key + '\n';
    if (!request.body.isEmpty())
        text += "header = Content-Type: application/json\npost_data = " + request.body + '\n';
    return text;
}

qint64 mostBytesOnHost(const HttpRequest &request)
{
    return request.mostBytes + 64 * 1024;
}

HttpAnswer readHttpSection(const HttpRequest &request, const QByteArray &printed)
{
    HttpAnswer answer;
    answer.onHost = true;
    // Base64 or hexadecimal digits, a blank, the tool, a blank, its exit status.
    const QByteArray text = printed.trimmed();
    const qsizetype statusAt = text.lastIndexOf(' ');
    const qsizetype toolAt = statusAt <= 0 ? -1 : text.lastIndexOf(' ', statusAt - 1);
    const QByteArray tool = text.mid(toolAt + 1, statusAt - toolAt - 1);
    bool isNumber = false;
    const int exitStatus = text.mid(statusAt + 1).toInt(&isNumber);
    if (tool != "curl" && tool != "wget") {
        answer.outcome = Outcome::NoWay;
        answer.words = u"The host forwards nothing and has no %1 that could ask %2."_s
                           .arg(request.socket.isEmpty() ? u"curl or GNU wget"_s : u"curl"_s, addressOf(request));
        return answer;
    }
    const QByteArray raw = decoded(text.left(qMax(qsizetype(0), toolAt)));
    const Head head = headOf(raw);
    answer.status = head.status;
    answer.body = raw.mid(head.end);
    answer.location = cleanLine(QByteArrayView(head.location), 300);
    const bool tooMuch = raw.size() >= mostBytesOnHost(request) || answer.body.size() > request.mostBytes;
    answer.body.truncate(request.mostBytes);
    if (tooMuch)
        answer.outcome = Outcome::TooLarge;
    else if (!isNumber) // it was ended
        answer.outcome = Outcome::Closed;
    else
        answer.outcome = outcomeOf(tool, exitStatus, head.status > 0);
    if (answer.outcome == Outcome::Answered && head.status == 0)
        answer.outcome = raw.isEmpty() ? Outcome::Closed : Outcome::NotHttp;
    if (answer.outcome == Outcome::Answered && head.length > answer.body.size())
        answer.outcome = Outcome::Closed;
    answer.isWhole = answer.outcome == Outcome::Answered;
    answer.words = wordsOf(request, answer);
    return answer;
}

} // namespace pilothouse
