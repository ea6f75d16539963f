// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/units/unittext.h"

#include <QStringDecoder>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostBytes = 1024 * 1024;
constexpr qsizetype mostLines = 20'000;

class Reader
{
public:
    Reader(UnitText &text, const QStringList &paths) : m_text(text), m_paths(paths) { }

    void take(QByteArrayView bytes)
    {
        if (isHeader(bytes)) {
            endFile();
            m_file = QString::fromUtf8(bytes.sliced(2));
            m_text.files += m_file;
            m_line = 0;
            return;
        }
        ++m_line;
        const QByteArrayView bare = bytes.trimmed();
        if (!bare.isEmpty() && (bare.front() == '#' || bare.front() == ';'))
            return; // even between a line and its continuation
        if (!m_open) {
            m_begin = m_line;
            m_joined.clear();
        }
        m_last = m_line;
        m_joined += bytes;
        m_open = endsEscaped();
        if (m_open)
            m_joined.back() = ' ';
        else
            assign();
    }

    void endFile()
    {
        if (std::exchange(m_open, false))
            assign();
        m_section.clear();
    }

private:
    bool isHeader(QByteArrayView bytes)
    {
        if (!bytes.startsWith("# /"))
            return false;
        const QString path = QString::fromUtf8(bytes.sliced(2));
        if (m_paths.isEmpty()) {
            const bool looksSo = path.endsWith(u".service") || path.endsWith(u".conf");
            return looksSo && !path.contains(u' ') && !m_text.files.contains(path);
        }
        // One after the other: a comment that repeats a path is a comment.
        const qsizetype next = m_paths.indexOf(path, m_text.files.isEmpty() ? 0 : m_paths.indexOf(m_file) + 1);
        return next >= 0;
    }

    bool endsEscaped() const
    {
        const auto backslashes =
            std::find_if(m_joined.crbegin(), m_joined.crend(), [](char c) { return c != '\\'; }) - m_joined.crbegin();
        return backslashes % 2 == 1;
    }

    void assign()
    {
        QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
        const QString line = QString(decoder(m_joined)).trimmed();
        if (decoder.hasError() || line.isEmpty() || m_text.lines.size() >= mostLines) {
            m_text.cut = m_text.cut || m_text.lines.size() >= mostLines;
            return; // systemd leaves a line out that is no UTF-8
        }
        if (line.startsWith(u'[')) {
            if (line.endsWith(u']'))
                m_section = line.sliced(1, line.size() - 2);
            return;
        }
        const qsizetype equals = line.indexOf(u'=');
        if (equals <= 0 || m_section.isEmpty())
            return;
        m_text.lines += UnitLine{
            m_file, m_begin, m_last, m_section, line.first(equals).trimmed(), line.sliced(equals + 1).trimmed()};
    }

    UnitText &m_text;
    const QStringList &m_paths;
    QString m_file;
    QString m_section;
    QByteArray m_joined;
    int m_line = 0;
    int m_begin = 0;
    int m_last = 0;
    bool m_open = false; // a continuation follows
};

} // namespace

QList<UnitLine> UnitText::listOf(QStringView section, QStringView key) const
{
    QList<UnitLine> found;
    for (const UnitLine &line : lines) {
        if (line.section != section || line.key != key)
            continue;
        if (line.value.isEmpty())
            found.clear();
        else
            found += line;
    }
    return found;
}

const UnitLine *UnitText::last(QStringView section, const QStringList &keys) const
{
    const auto line = std::find_if(lines.crbegin(), lines.crend(), [&](const UnitLine &candidate) {
        return candidate.section == section && keys.contains(candidate.key);
    });
    return line == lines.crend() || line->value.isEmpty() ? nullptr : &*line;
}

UnitText readUnitText(QByteArrayView cat, const QStringList &paths)
{
    UnitText text;
    text.cut = cat.size() > mostBytes;
    cat = cat.first(std::min(cat.size(), mostBytes));
    Reader reader(text, paths);
    while (!cat.isEmpty()) {
        const auto end = std::find_if(cat.begin(), cat.end(), [](char c) { return c == '\n' || c == '\0'; });
        QByteArrayView line = cat.first(end - cat.begin());
        cat = cat.sliced(std::min(cat.size(), line.size() + 1));
        if (line.endsWith('\r'))
            line.chop(1);
        if (text.lines.isEmpty() && line.startsWith("\xEF\xBB\xBF"))
            line = line.sliced(3);
        reader.take(line);
    }
    reader.endFile();
    return text;
}

} // namespace pilothouse
