// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshconfigfiles.h"

#include <QFile>
#include <QFileInfo>

#include <glob.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int maxDepth = 16;
constexpr int maxFiles = 1'000;
constexpr qint64 maxFileSize = 1 << 20;

bool isBlank(QChar c)
{
    return c == u' ' || c == u'\t' || c == u'\r' || c == u'\f';
}

class Scanner
{
public:
    Scanner(const SshConfigRoots &roots, const std::function<void(const SshConfigLine &)> &visit)
        : m_roots(roots)
        , m_visit(visit)
    { }

    SshConfigScan take() { return std::move(m_scan); }

    void readFile(const QString &path, const QString &relativeTo, int depth)
    {
        QFile file(path);
        const QFileInfo info(path);
        const QString identity = info.canonicalFilePath();
        if (!info.exists()) {
            m_scan.absent += path;
            return;
        }
        const bool refused = depth > maxDepth || m_scan.files.size() >= maxFiles || !info.isFile()
                             || info.size() > maxFileSize || m_open.contains(identity)
                             || !file.open(QIODevice::ReadOnly);
        if (refused) {
            m_scan.unreadable += path;
            return;
        }
        if (!m_scan.files.contains(path))
            m_scan.files += path;
        m_open += identity;
        const QString text = QString::fromUtf8(file.read(maxFileSize));
        int number = 0;
        for (const QStringView raw : QStringView(text).split(u'\n')) {
            SshConfigLine line = splitSshConfigLine(raw);
            ++number;
            if (line.keyword.isEmpty())
                continue;
            line.file = path;
            line.line = number;
            if (line.keyword == "include"_L1)
                readIncludes(line.arguments, relativeTo, depth);
            else
                meet(line);
        }
        m_open.removeLast();
    }

private:
    void meet(const SshConfigLine &line)
    {
        if (line.keyword == "match"_L1) {
            for (const QString &criterion : line.arguments) {
                const QString word = criterion.section(u'=', 0, 0).toLower();
                if (word == "exec"_L1 || word == "!exec"_L1 || word == "localnetwork"_L1
                    || word == "!localnetwork"_L1)
                    m_scan.dependsOnMore = true;
            }
        }
        // Canonical names come from DNS.
        if (line.keyword == "canonicalizepermittedcnames"_L1
            || (line.keyword == "canonicalizehostname"_L1
                && line.arguments.value(0).toLower() != "no"_L1))
            m_scan.dependsOnMore = true;
        m_visit(line);
    }

    void readIncludes(const QStringList &patterns, const QString &relativeTo, int depth)
    {
        for (const QString &pattern : patterns) {
            QString path = pattern;
            if (path == u'~' || path.startsWith("~/"_L1))
                path = m_roots.home + path.mid(1);
            else if (!path.startsWith(u'/'))
                path = relativeTo + u'/' + path;
            if (path.contains(u'%') || path.contains("${"_L1)) // newer versions of ssh expand these
                m_scan.dependsOnMore = true;
            if (!m_scan.patterns.contains(path))
                m_scan.patterns += path;
            for (const QString &file : filesLike(path))
                readFile(file, relativeTo, depth + 1);
        }
    }

    const SshConfigRoots &m_roots;
    const std::function<void(const SshConfigLine &)> &m_visit;
    SshConfigScan m_scan;
    QStringList m_open; ///< canonical paths of the files being read, outermost first
};

} // namespace

SshConfigRoots SshConfigRoots::of(const QString &configFile, const QString &home)
{
    SshConfigRoots roots;
    roots.home = home;
    roots.userFolder = home + u"/.ssh"_s;
    roots.systemFolder = u"/etc/ssh"_s;
    roots.userFile = configFile.isEmpty() ? QString(roots.userFolder + u"/config"_s) : configFile;
    if (configFile.isEmpty())
        roots.systemFile = roots.systemFolder + u"/ssh_config"_s;
    return roots;
}

QStringList filesLike(const QString &pattern)
{
    QStringList files;
    glob_t found{};
    if (::glob(QFile::encodeName(pattern).constData(), 0, nullptr, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; ++i)
            files += QFile::decodeName(found.gl_pathv[i]);
    }
    ::globfree(&found);
    return files;
}

SshConfigLine splitSshConfigLine(QStringView text)
{
    SshConfigLine line;
    qsizetype at = 0;
    const auto skipBlanks = [&] {
        while (at < text.size() && isBlank(text[at]))
            ++at;
    };
    skipBlanks();
    if (at == text.size() || text[at] == u'#')
        return line;
    const qsizetype start = at;
    while (at < text.size() && !isBlank(text[at]) && text[at] != u'=')
        ++at;
    line.keyword = text.sliced(start, at - start).toString().toLower();
    if (line.keyword.startsWith(u'"') && line.keyword.endsWith(u'"'))
        line.keyword = line.keyword.mid(1, line.keyword.size() - 2);
    if (line.keyword.isEmpty())
        return line;
    skipBlanks();
    if (at < text.size() && text[at] == u'=')
        ++at;
    for (;;) {
        skipBlanks();
        if (at >= text.size() || text[at] == u'#')
            return line;
        QString word;
        QChar quote;
        for (; at < text.size() && (!quote.isNull() || !isBlank(text[at])); ++at) {
            const QChar c = text[at];
            if (c == u'\\' && at + 1 < text.size()
                && (text[at + 1] == u'"' || text[at + 1] == u'\'' || text[at + 1] == u'\\'))
                word += text[++at];
            else if (quote.isNull() && (c == u'"' || c == u'\''))
                quote = c;
            else if (c == quote && !quote.isNull())
                quote = QChar();
            else
                word += c;
        }
        line.arguments += word;
    }
}

SshConfigScan scanSshConfig(const SshConfigRoots &roots,
                            const std::function<void(const SshConfigLine &)> &visit)
{
    Scanner scanner(roots, visit);
    scanner.readFile(roots.userFile, roots.userFolder, 0);
    if (!roots.systemFile.isEmpty())
        scanner.readFile(roots.systemFile, roots.systemFolder, 0);
    return scanner.take();
}

} // namespace pilothouse
