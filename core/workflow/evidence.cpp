// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/evidence.h"

#include "core/base/cleantext.h"
#include "core/base/localfile.h"

#include <QDir>
#include <QRegularExpression>

#include <array>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostCharacters = 8 * 1024 * 1024;

/// Of a host's name what is safe in a file's.
QString fileWord(const QString &host)
{
    QString word;
    for (const QChar c : host.left(60))
        word += c.isLetterOrNumber() || c == u'-' || c == u'.' ? c : u'_';
    return word.startsWith(u'.') || word.isEmpty() ? QString(u'_' + word) : word;
}

} // namespace

QString withoutSecrets(QByteArrayView text)
{
    static const auto insensitive = QRegularExpression::CaseInsensitiveOption;
    struct Rule
    {
        QRegularExpression what;
        QString instead;
    };
    static const std::array rules{
        // KEY=value, "key": "value", --api-key value, Authorization: Bearer value
        Rule{QRegularExpression(uR"(((?:api[_-]?key|access[_-]?key|token(?!s)|secret|passw(?:or)?d|passwd|credentials?|authorization|cookie)[\w-]*["']?(?:\s*[=:]\s*|\s+)["']?)(?:(?:bearer|basic)\s+)?[^\s"',;]+)"_s, insensitive),
             u"\\1[removed]"_s},
        Rule{QRegularExpression(uR"(((?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,})"_s, insensitive), u"\\1[removed]"_s},
        Rule{QRegularExpression(uR"(\b(?:hf_|sk-|ghp_|glpat-|xox[abp]-|AKIA)[A-Za-z0-9_-]{8,})"_s), u"[removed]"_s},
        Rule{QRegularExpression(uR"((\w+://)[^\s/@:]+:[^\s/@]+@)"_s), u"\\1[removed]@"_s},
    };
    QString clean = cleanText(text.toByteArray().replace('\t', ' '), mostCharacters);
    for (const Rule &rule : rules)
        clean.replace(rule.what, rule.instead);
    return clean;
}

Result<QString> keepEvidence(const QString &stateFolder, const QString &host, const QDateTime &at, QByteArrayView text)
{
    const QString folder = QDir(stateFolder).filePath(u"evidence"_s);
    const QString name = u"%1-%2.txt"_s.arg(fileWord(host), at.toUTC().toString(u"yyyyMMdd-HHmmss"_s));
    const QString path = QDir(folder).filePath(name);
    if (const auto kept = keepPrivately(path, withoutSecrets(text).toUtf8()); !kept)
        return fail(kept.error());
    return path;
}

} // namespace pilothouse
