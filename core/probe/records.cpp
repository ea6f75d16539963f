// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/records.h"

#include "core/base/cleantext.h"
#include "core/probe/parse/bytes.h"

#include <QSet>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

using namespace Qt::StringLiterals;

namespace pilothouse {

namespace {

constexpr qsizetype fileLimit =
    64 * 1024; // no file of a process that we read is larger, but for command lines

constexpr int startTimeWord = 19; // of /proc/PID/stat, behind the state

tl::unexpected<Error> malformed(const QString &what)
{
    return fail(ErrorCode::AnswerMalformed, what);
}

/// Takes the decimal number at the beginning of `text` off it.
template <class Number>
std::optional<Number> takeNumber(QByteArrayView &text)
{
    qsizetype length = 0;
    qint64 value = 0;
    while (length < text.size() && text[length] >= '0' && text[length] <= '9' && length < 18)
        value = value * 10 + (text[length++] - '0');
    if (length == 0 || (length < text.size() && text[length] >= '0' && text[length] <= '9')
        || !std::in_range<Number>(value))
        return std::nullopt;
    text = text.sliced(length);
    return static_cast<Number>(value);
}

bool take(QByteArrayView &text, QByteArrayView start)
{
    if (!text.startsWith(start))
        return false;
    text = text.sliced(start.size());
    return true;
}

template <class Function>
void forEachLine(QByteArrayView text, Function function)
{
    while (!text.isEmpty()) {
        const qsizetype end = text.indexOf('\n');
        function(end < 0 ? text : text.first(end));
        text = end < 0 ? QByteArrayView() : text.sliced(end + 1);
    }
}

enum class ProcFile { Stat, Cgroup, Cmdline };

struct FileName
{
    qint64 pid = 0;
    ProcFile file = ProcFile::Stat;

    friend bool operator==(const FileName &, const FileName &) = default;
};

/// Takes "PID/FILE" off the beginning of `text`.
std::optional<FileName> takeFileName(QByteArrayView &text)
{
    const auto pid = takeNumber<qint64>(text);
    if (!pid || *pid <= 0)
        return std::nullopt;
    if (take(text, "/stat"))
        return FileName{*pid, ProcFile::Stat};
    if (take(text, "/cgroup"))
        return FileName{*pid, ProcFile::Cgroup};
    if (take(text, "/cmdline"))
        return FileName{*pid, ProcFile::Cmdline};
    return std::nullopt;
}

QByteArray &contentOf(ProcessFilesByPid &files, const FileName &name)
{
    ProcessFiles &of = files[name.pid];
    return name.file == ProcFile::Stat     ? of.stat
           : name.file == ProcFile::Cgroup ? of.cgroup
                                           : of.cmdline;
}

void finishCmdline(ProcessFiles &files)
{
    if (files.cmdline.size() > cmdlineLimit) {
        files.cmdline.truncate(cmdlineLimit);
        files.cmdlineCut = true;
    }
    // A rewritten title is padded with NULs up to the old length; one of them ends the last
    // argument.
    qsizetype end = files.cmdline.size();
    while (end > 0 && files.cmdline[end - 1] == '\0')
        --end;
    files.cmdline.truncate(end);
}

Result<void> finishFiles(ProcessFilesByPid &files)
{
    for (auto it = files.begin(); it != files.end(); ++it) {
        finishCmdline(it.value());
        QByteArrayView stat = it.value().stat;
        if (!stat.isEmpty() && takeNumber<qint64>(stat) != it.key())
            return malformed(u"The record of process %1 holds another process."_s.arg(it.key()));
    }
    return {};
}

enum Sextet : quint8 { Blank = 64, Padding, Foreign };

constexpr std::array<quint8, 256> sextets = [] {
    std::array<quint8, 256> table{};
    table.fill(Foreign);
    quint8 value = 0;
    for (const char c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))
        table[static_cast<quint8>(c)] = value++;
    table['='] = Padding;
    table['\n'] = table['\r'] = table[' '] = Blank;
    return table;
}();

/// In one pass over the line feeds: nearly half of an answer is in this encoding.
std::optional<QByteArray> fromBase64(QByteArrayView text)
{
    QByteArray plain(text.size() / 4 * 3 + 3, Qt::Uninitialized);
    char *out = plain.data();
    quint32 block = 0;
    qsizetype count = 0;
    qsizetype padding = 0;
    const auto sextet = [](char c) { return sextets[static_cast<quint8>(c)]; };
    for (const char *at = text.data(), *end = at + text.size(); at != end; ++at) {
        while (count % 4 == 0 && end - at > 4) {
            const quint8 a = sextet(at[0]), b = sextet(at[1]), c = sextet(at[2]), d = sextet(at[3]);
            if ((a | b | c | d) >= Blank || padding > 0)
                break;
            *out++ = static_cast<char>(a << 2 | b >> 4);
            *out++ = static_cast<char>(b << 4 | c >> 2);
            *out++ = static_cast<char>(c << 6 | d);
            count += 4;
            at += 4;
        }
        const quint8 value = sextet(*at);
        if (value >= Blank) {
            if (value == Foreign)
                return std::nullopt;
            padding += value == Padding ? 1 : 0;
            continue;
        }
        if (padding > 0)
            return std::nullopt;
        block = block << 6 | value;
        if (++count % 4 == 0) {
            *out++ = static_cast<char>(block >> 16);
            *out++ = static_cast<char>(block >> 8);
            *out++ = static_cast<char>(block);
        }
    }
    if (padding > 2 || (padding > 0 && (count + padding) % 4 != 0))
        return std::nullopt;
    if (count % 4 == 2) {
        *out++ = static_cast<char>(block >> 4);
    } else if (count % 4 == 3) {
        *out++ = static_cast<char>(block >> 10);
        *out++ = static_cast<char>(block >> 2);
    }
    plain.truncate(out - plain.constData());
    return plain;
}

std::optional<QByteArray> fromHex(QByteArrayView text)
{
    QByteArray digits = text.toByteArray();
    digits.removeIf([](char c) { return c == '\n' || c == ' ' || c == '\r'; });
    const bool hex = std::ranges::all_of(
        digits, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
    if (!hex || digits.size() % 2 != 0)
        return std::nullopt;
    return QByteArray::fromHex(digits);
}

} // namespace

Result<QByteArray> decodeBytes(QByteArrayView text, Encoding encoding)
{
    const auto plain = encoding == Encoding::Base64 ? fromBase64(text) : fromHex(text);
    if (!plain)
        return malformed(u"A section is not in the encoding that it should have."_s);
    return *plain;
}

Result<ProcessFilesByPid> readPrefixedFiles(QByteArrayView raw)
{
    ProcessFilesByPid files;
    QHash<qint64, int> seen; // a bit for each file
    std::optional<FileName> current;
    QByteArray *content = nullptr; // of `current`: nothing is added to `files` while it is the same
    bool bad = false;
    bool twice = false;
    forEachLine(raw, [&](QByteArrayView line) {
        const auto name = takeFileName(line);
        if (!name || !take(line, ":")) {
            bad = true;
            return;
        }
        if (current == name) {
            content->append('\n');
        } else {
            const int bit = 1 << static_cast<int>(name->file);
            int &bits = seen[name->pid];
            twice = twice || (bits & bit) != 0;
            bits |= bit;
            current = name;
            content = &contentOf(files, *name);
        }
        const QByteArrayView text = line.first(std::min(line.size(), fileLimit));
        if (content->isEmpty())
            *content = text.toByteArray();
        else if (content->size() <= fileLimit)
            content->append(text);
    });
    if (bad)
        return malformed(u"A line of the process list has no process."_s);
    if (twice)
        return malformed(u"A process came twice in the process list."_s);
    if (const auto finished = finishFiles(files); !finished)
        return fail(finished.error());
    return files;
}

Result<void> readFramedFiles(QByteArrayView raw, const QByteArray &nonce, ProcessFilesByPid &files)
{
    if (nonce.size() < 16)
        return malformed(u"A request has no usable nonce."_s);
    const QByteArray mark = '\n' + nonce + ' ';
    QSet<std::pair<qint64, int>> seen;
    while (!raw.isEmpty()) {
        if (!take(raw, mark))
            return malformed(u"A record of the process list has no process."_s);
        const auto name = takeFileName(raw);
        if (!name || !take(raw, "\n"))
            return malformed(u"A record of the process list has no process."_s);
        const std::pair key(name->pid, static_cast<int>(name->file));
        if (seen.contains(key))
            return malformed(u"A process came twice in the process list."_s);
        seen.insert(key);
        const qsizetype next = raw.indexOf(mark);
        const QByteArrayView content = next < 0 ? raw : raw.first(next);
        QByteArray &target = contentOf(files, *name);
        target = content.toByteArray();
        if (name->file == ProcFile::Cmdline && content.size() >= cmdlineLimit)
            files[name->pid].cmdlineCut = true;
        if (name->file != ProcFile::Cmdline && target.endsWith('\n'))
            target.chop(1);
        raw = next < 0 ? QByteArrayView() : raw.sliced(next);
    }
    return finishFiles(files);
}

QHash<qint64, qint64> readUids(QByteArrayView text)
{
    QHash<qint64, qint64> uids;
    forEachLine(text, [&uids](QByteArrayView line) {
        const auto pid = takeNumber<qint64>(line);
        if (!pid || !take(line, "/status:Uid:\t"))
            return;
        if (const auto uid = takeNumber<qint64>(line))
            uids.insert(*pid, *uid);
    });
    return uids;
}

QHash<qint64, QByteArray> readStatusLines(QByteArrayView text)
{
    QHash<qint64, QByteArray> lines;
    forEachLine(text, [&lines](QByteArrayView line) {
        const auto pid = takeNumber<qint64>(line);
        if (!pid || (!take(line, "/status:") && !line.startsWith("/wchan:")))
            return;
        take(line, "/");
        QByteArray &of = lines[*pid];
        if (of.size() < fileLimit)
            of.append(line).append('\n');
    });
    return lines;
}

QList<qint64> readPids(QByteArrayView text)
{
    QList<qint64> pids;
    const auto gap = [](char c) { return c == ' ' || c == '\n'; };
    for (const char *at = text.begin(), *const end = text.end(); at != end;) {
        at = std::find_if_not(at, end, gap);
        const char *const stop = std::find_if(at, end, gap);
        QByteArrayView word(at, stop);
        at = stop;
        const auto pid = takeNumber<qint64>(word);
        if (pid && word.isEmpty() && *pid > 0)
            pids.append(*pid);
    }
    return pids;
}

QList<HeldLink> readLinks(QByteArrayView text)
{
    QList<HeldLink> links;
    forEachLine(text, [&links](QByteArrayView line) {
        const auto pid = takeNumber<qint64>(line);
        if (!pid)
            return;
        if (take(line, "/task/") && !takeNumber<qint64>(line))
            return;
        const auto fd = take(line, "/fd/") ? takeNumber<int>(line) : std::nullopt;
        if (!fd || !take(line, " ") || line.isEmpty())
            return;
        links.append({*pid, *fd, line.toByteArray()});
    });
    return links;
}

Networks readNetworks(QByteArrayView text)
{
    struct Table
    {
        QByteArray lines;
        qint64 count = 0; // of the longer of its two files
        bool headed = false;
    };
    qint64 limit = 0;
    Networks networks;
    QHash<QByteArray, Table> tables;
    QByteArrayView last;
    qint64 count = 0;
    forEachLine(text, [&](QByteArrayView line) {
        if (take(line, "limit ")) {
            limit = takeNumber<qint64>(line).value_or(0);
            return;
        }
        if (take(line, "in ")) {
            const qsizetype blank = line.indexOf(' ');
            QByteArrayView member = blank > 0 ? line.sliced(blank + 1) : QByteArrayView();
            if (const auto pid = takeNumber<qint64>(member))
                networks.of.insert(*pid, line.first(blank).toByteArray());
            return;
        }
        const qsizetype colon = line.indexOf(':');
        const QByteArrayView file = line.first(std::max<qsizetype>(colon, 0));
        const bool newer = file.endsWith("/net/tcp6");
        if (!newer && !file.endsWith("/net/tcp"))
            return;
        count = file == last ? count + 1 : 1;
        last = file;
        Table &table = tables[file.chopped(newer ? 9 : 8).toByteArray()];
        const QByteArrayView row = line.sliced(colon + 1);
        table.headed = table.headed || (!newer && row.trimmed().startsWith("sl "));
        table.count = std::max(table.count, count);
        table.lines.append(row).append('\n');
    });
    for (auto table = tables.cbegin(); table != tables.cend(); ++table) {
        if (table->headed && table->count < limit)
            networks.tables.insert(table.key(), table->lines);
    }
    networks.of.removeIf([&](const auto &entry) { return !networks.tables.contains(entry.value()); });
    return networks;
}

QList<RawShmFile> readShmFiles(QByteArrayView text)
{
    QList<RawShmFile> files;
    forEachLine(text, [&files](QByteArrayView line) {
        RawShmFile file;
        const auto device = takeNumber<quint64>(line);
        const auto inode = device && take(line, " ") ? takeNumber<quint64>(line) : std::nullopt;
        const auto bytes = inode && take(line, " ") ? takeNumber<qint64>(line) : std::nullopt;
        const auto uid = bytes && take(line, " ") ? takeNumber<qint64>(line) : std::nullopt;
        if (!uid || !take(line, " ") || line.isEmpty())
            return;
        files.append({line.toByteArray(), *bytes, *uid, *device, *inode, std::nullopt});
    });
    return files;
}

QHash<quint64, QList<qint64>> readMappings(QByteArrayView text)
{
    QHash<quint64, QList<qint64>> mappings;
    forEachLine(text, [&mappings](QByteArrayView line) {
        const auto pid = takeNumber<qint64>(line);
        if (!pid || !take(line, "/maps:"))
            return;
        for (int word = 0; word < 4; ++word) {
            const qsizetype blank = line.indexOf(' ');
            if (blank < 0)
                return;
            line = line.sliced(blank + 1);
        }
        const auto inode = takeNumber<quint64>(line);
        if (!inode || !line.isEmpty())
            return;
        QList<qint64> &pids = mappings[*inode];
        if (!pids.contains(*pid))
            pids.append(*pid);
    });
    return mappings;
}

QHash<qint64, QString> readUsers(QByteArrayView text)
{
    QHash<qint64, QString> users;
    forEachLine(text, [&users](QByteArrayView line) {
        const QList<QByteArray> cells = line.toByteArray().split(':');
        if (cells.size() < 4 || cells[0].isEmpty())
            return;
        QByteArrayView number = cells[2];
        const auto uid = takeNumber<qint64>(number);
        if (uid && number.isEmpty())
            users.insert(*uid, cleanLine(cells[0], 64));
    });
    return users;
}

QHash<QByteArray, QByteArray> readSettings(QByteArrayView text)
{
    QHash<QByteArray, QByteArray> settings;
    forEachLine(text, [&settings](QByteArrayView line) {
        const qsizetype equals = line.indexOf('=');
        if (equals > 0)
            settings.insert(line.first(equals).toByteArray(),
                            line.sliced(equals + 1).toByteArray());
    });
    return settings;
}

std::optional<StatHead> readStatHead(QByteArrayView stat)
{
    StatHead head;
    const qsizetype open = stat.indexOf('(');
    const qsizetype close = lastOf(stat, ')');
    QByteArrayView number = stat;
    const auto pid = takeNumber<qint64>(number);
    if (!pid || open < 0 || close < open || close + 2 >= stat.size())
        return std::nullopt;
    head.pid = *pid;
    head.comm = stat.sliced(open + 1, close - open - 1).toByteArray();
    QByteArrayView rest = stat.sliced(close + 2);
    if (rest.size() < 2 || rest[0] == ' ' || rest[1] != ' ')
        return std::nullopt;
    head.state = rest[0];
    for (int word = 0; word < startTimeWord; ++word) {
        const qsizetype blank = rest.indexOf(' ');
        if (blank < 0)
            return std::nullopt;
        rest = rest.sliced(blank + 1);
    }
    const auto ticks = takeNumber<quint64>(rest);
    if (!ticks)
        return std::nullopt;
    head.startTicks = *ticks;
    return head;
}

} // namespace pilothouse
