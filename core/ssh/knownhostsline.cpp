// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/knownhostsline.h"

#include <QCryptographicHash>
#include <QMessageAuthenticationCode>
#include <QtEndian>

#include <vector>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype saltSize = 20;
constexpr qsizetype maxPattern = 1022; // OpenSSH gives up on a list with a longer one
constexpr qsizetype maxBlob = 1 << 16;

bool isBlank(char c)
{
    return c == ' ' || c == '\t';
}

char lowered(char c)
{
    return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

/// Takes the next word and the blanks after it.
QByteArrayView takeWord(QByteArrayView &rest)
{
    qsizetype end = 0;
    while (end < rest.size() && !isBlank(rest[end]))
        ++end;
    const QByteArrayView word = rest.first(end);
    while (end < rest.size() && isBlank(rest[end]))
        ++end;
    rest = rest.sliced(end);
    return word;
}

/// * and ? against the whole of `text`. Linear memory, no recursion: a hostile pattern cannot blow
/// up.
bool matchesPattern(QByteArrayView text, QByteArrayView pattern)
{
    qsizetype t = 0;
    qsizetype p = 0;
    qsizetype star = -1;
    qsizetype starText = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            starText = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || lowered(pattern[p]) == text[t])) {
            ++p;
            ++t;
        } else if (star >= 0) {
            p = star + 1;
            t = ++starText;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

bool matchesHash(const QByteArray &name, QByteArrayView hashed)
{
    if (!hashed.startsWith("|1|"))
        return false;
    const QByteArrayView rest = hashed.sliced(3);
    const qsizetype bar = rest.indexOf('|');
    if (bar <= 0 || bar > 64)
        return false;
    const auto salt = QByteArray::fromBase64Encoding(rest.first(bar).toByteArray(),
                                                     QByteArray::Base64Encoding
                                                         | QByteArray::AbortOnBase64DecodingErrors);
    return salt && salt.decoded.size() == saltSize && hashedName(name, salt.decoded) == hashed;
}

/// The length-prefixed strings that a blob is made of; empty when they do not fill it exactly.
std::vector<QByteArrayView> wireStrings(QByteArrayView blob)
{
    std::vector<QByteArrayView> parts;
    while (!blob.isEmpty()) {
        if (blob.size() < 4 || parts.size() == 8)
            return {};
        const qsizetype length = qFromBigEndian<quint32>(blob.data());
        if (length > blob.size() - 4)
            return {};
        parts.push_back(blob.sliced(4, length));
        blob = blob.sliced(4 + length);
    }
    return parts;
}

/// How many strings a key has, its type included (RFC 4253, 5656, 8709, PROTOCOL.u2f); 0: a type
/// not known here.
size_t partsOf(QByteArrayView type)
{
    if (type == "ssh-ed25519")
        return 2;
    if (type == "ssh-rsa" || type.startsWith("ecdsa-sha2-nistp")
        || type == "sk-ssh-ed25519@openssh.com")
        return 3;
    if (type == "sk-ecdsa-sha2-nistp256@openssh.com")
        return 4;
    return type == "ssh-dss" ? 5 : 0;
}

QByteArrayView plainTypeOf(QByteArrayView type)
{
    if (type == "rsa-sha2-256" || type == "rsa-sha2-512")
        return "ssh-rsa";
    return type;
}

} // namespace

KnownHostsLine KnownHostsLine::split(QByteArrayView text)
{
    KnownHostsLine line;
    QByteArrayView rest = text;
    while (!rest.isEmpty() && (rest.back() == '\r' || isBlank(rest.back())))
        rest.chop(1);
    while (!rest.isEmpty() && isBlank(rest.front()))
        rest = rest.sliced(1);
    if (rest.isEmpty() || rest.front() == '#')
        return line;
    line.kind = Kind::Invalid;
    if (rest.contains('\0'))
        return line;
    if (rest.front() == '@') {
        const QByteArrayView marker = takeWord(rest);
        if (marker == "@revoked")
            line.marker = Marker::Revoked;
        else if (marker == "@cert-authority")
            line.marker = Marker::CertAuthority;
        else
            return line;
        if (rest.isEmpty() || rest.front() == '@') // only one marker, as OpenSSH
            return line;
    }
    line.names = takeWord(rest);
    line.keyType = takeWord(rest);
    line.keyText = takeWord(rest);
    if (!line.keyType.isEmpty() && !line.keyText.isEmpty())
        line.kind = Kind::Entry;
    return line;
}

bool KnownHostsLine::matches(const QString &name) const
{
    const QByteArray bytes = name.toUtf8();
    return names.startsWith('|') ? matchesHash(bytes, names) : matchesPatternList(bytes, names);
}

std::optional<HostKey> KnownHostsLine::key() const
{
    if (keyText.size() > maxBlob)
        return {};
    const auto blob = QByteArray::fromBase64Encoding(keyText.toByteArray(),
                                                     QByteArray::Base64Encoding
                                                         | QByteArray::AbortOnBase64DecodingErrors);
    if (!blob)
        return {};
    std::optional<HostKey> key = HostKey::fromBlob(blob.decoded);
    if (!key || key->type.toUtf8() != plainTypeOf(keyType))
        return {};
    return key;
}

bool matchesPatternList(QByteArrayView name, QByteArrayView patterns)
{
    bool positive = false;
    while (!patterns.isEmpty()) {
        const bool negated = patterns.front() == '!';
        if (negated)
            patterns = patterns.sliced(1);
        const qsizetype comma = patterns.indexOf(',');
        const QByteArrayView pattern = comma < 0 ? patterns : patterns.first(comma);
        patterns = comma < 0 ? QByteArrayView() : patterns.sliced(comma + 1);
        if (pattern.size() > maxPattern)
            return false;
        if (!matchesPattern(name, pattern))
            continue;
        if (negated)
            return false;
        positive = true;
    }
    return positive;
}

QByteArray hashedName(const QByteArray &name, const QByteArray &salt)
{
    const QByteArray hash = QMessageAuthenticationCode::hash(name, salt, QCryptographicHash::Sha1);
    return "|1|" + salt.toBase64() + '|' + hash.toBase64();
}

std::optional<HostKey> HostKey::fromBlob(const QByteArray &blob)
{
    const std::vector<QByteArrayView> parts = wireStrings(blob);
    if (parts.size() < 2 || parts[0].isEmpty() || parts[0].size() > 64)
        return {};
    for (const char c : parts[0]) {
        if (c <= ' ' || c > '~')
            return {};
    }
    const size_t expected = partsOf(parts[0]);
    if (expected != 0 && parts.size() != expected)
        return {};
    if (parts[0] == "ssh-ed25519" && parts[1].size() != 32)
        return {};
    return HostKey{QString::fromLatin1(parts[0]), blob};
}

QString HostKey::fingerprint() const
{
    const QByteArray hash = QCryptographicHash::hash(blob, QCryptographicHash::Sha256);
    return u"SHA256:"_s + QString::fromLatin1(hash.toBase64(QByteArray::OmitTrailingEquals));
}

QString HostKey::typeName() const
{
    if (type == "ssh-ed25519"_L1)
        return u"ED25519"_s;
    if (type == "ssh-rsa"_L1)
        return u"RSA"_s;
    if (type.startsWith("ecdsa-sha2-"_L1))
        return u"ECDSA"_s;
    if (type == "ssh-dss"_L1)
        return u"DSA"_s;
    if (type.startsWith("sk-ssh-ed25519"_L1))
        return u"ED25519-SK"_s;
    if (type.startsWith("sk-ecdsa"_L1))
        return u"ECDSA-SK"_s;
    return type;
}

QString KnownHostsName::text() const
{
    // Only ASCII, as OpenSSH: patterns are lowered in the same way.
    QString name = alias.isEmpty() ? host : alias;
    for (QChar &c : name) {
        if (c >= u'A' && c <= u'Z')
            c = QChar(c.unicode() - u'A' + u'a');
    }
    return port == 22 || !alias.isEmpty() ? name
                                          : QString(u'[' + name + u"]:"_s + QString::number(port));
}

} // namespace pilothouse
