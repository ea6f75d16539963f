// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/incident.h"

#include "core/diagnosis/diagnosisjson.h"
#include "core/host/snapshotjson.h"
#include "core/workflow/evidence.h"

#include <QJsonDocument>
#include <QSaveFile>

#include <algorithm>
#include <array>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype block = 512;
constexpr qsizetype mostTargets = 64;

/// RFC 1952, section 8.
quint32 crcOf(QByteArrayView bytes)
{
    static const auto table = [] {
        std::array<quint32, 256> made{};
        for (quint32 n = 0; n < made.size(); ++n) {
            quint32 c = n;
            for (int bit = 0; bit < 8; ++bit)
                c = (c & 1U) != 0 ? 0xEDB88320U ^ (c >> 1U) : c >> 1U;
            made[n] = c;
        }
        return made;
    }();
    quint32 crc = 0xFFFFFFFFU;
    for (const char byte : bytes)
        crc = table[(crc ^ static_cast<unsigned char>(byte)) & 0xFFU] ^ (crc >> 8U);
    return crc ^ 0xFFFFFFFFU;
}

QByteArray littleEndian(quint32 value)
{
    QByteArray bytes;
    for (int shift = 0; shift < 32; shift += 8)
        bytes += static_cast<char>((value >> static_cast<unsigned>(shift)) & 0xFFU);
    return bytes;
}

/// qCompress gives its own length, then a zlib stream: two bytes, the deflated data, four bytes of checksum.
QByteArray gzipped(const QByteArray &bytes)
{
    const QByteArray zlib = qCompress(bytes);
    const QByteArray head("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", 10);
    return head + zlib.mid(6, zlib.size() - 10) + littleEndian(crcOf(bytes))
        + littleEndian(static_cast<quint32>(bytes.size()));
}

QByteArray octal(qint64 value, int width)
{
    return QByteArray::number(value, 8).rightJustified(width - 1, '0') + '\0';
}

/// POSIX ustar, one regular file.
QByteArray tarEntry(const QByteArray &name, const QByteArray &data, const QDateTime &at)
{
    QByteArray head = name.leftJustified(100, '\0', true) + octal(0600, 8) + octal(0, 8) + octal(0, 8)
        + octal(data.size(), 12) + octal(at.toSecsSinceEpoch(), 12) + QByteArray(8, ' ') + '0' + QByteArray(100, '\0')
        + QByteArray("ustar\0" "00", 8);
    head = head.leftJustified(block, '\0');
    qint64 sum = 0;
    for (const char byte : std::as_const(head))
        sum += static_cast<unsigned char>(byte);
    head.replace(148, 8, QByteArray(QByteArray::number(sum, 8).rightJustified(6, '0') + QByteArray("\0 ", 2)));
    return head + data + QByteArray((block - data.size() % block) % block, '\0');
}

} // namespace

ActionRequest evidenceRequest(const Snapshot &snapshot, const Diagnosis &diagnosis, const QString &unit)
{
    ActionRequest request;
    request.kind = ActionRequest::Kind::Evidence;
    request.bootId = snapshot.bootId;
    request.asRoot = snapshot.system.root;
    request.unit = unit;
    // What a post-mortem asks first is what everybody waits for.
    const QList<Process> processes = snapshot.processes.value_or(QList<Process>());
    for (qsizetype at = 0; at < std::min(processes.size(), diagnosis.processes.size()); ++at) {
        const ProcessVerdict &verdict = diagnosis.processes.at(at);
        if (verdict.identity && !verdict.family.isEmpty() && request.targets.size() < mostTargets)
            request.targets += SignalTarget{*verdict.identity, std::nullopt, {}, processes.at(at).command};
    }
    for (const Family &family : diagnosis.families) {
        if (request.unit.isEmpty())
            request.unit = family.unit;
    }
    // One nvidia-smi that cannot be ended is enough.
    request.withDriver = snapshot.gpuSource.status != GpuSource::Status::Hung;
    return request;
}

QByteArray incidentArchive(const Incident &incident)
{
    const QJsonObject document = withDiagnosis(toJson(*incident.snapshot), incident.diagnosis);
    const QByteArray json = QJsonDocument(document).toJson(QJsonDocument::Indented);
    const QByteArray evidence = incident.evidence.isEmpty()
        ? u"None was gathered: %1\n"_s.arg(incident.evidenceTrouble).toUtf8()
        : withoutSecrets(incident.evidence).toUtf8();
    const QByteArray tar = tarEntry("incident/ticket.txt", withoutSecrets(incident.ticket.toUtf8()).toUtf8(), incident.at)
        + tarEntry("incident/snapshot.json", withoutSecrets(json).toUtf8(), incident.at)
        + tarEntry("incident/evidence.txt", evidence, incident.at) + QByteArray(2 * block, '\0');
    return gzipped(tar);
}

Result<void> exportIncident(const QString &file, const Incident &incident)
{
    QSaveFile out(file);
    const QByteArray bytes = incidentArchive(incident);
    const bool kept = out.open(QIODevice::WriteOnly) && out.setPermissions(QFile::ReadOwner | QFile::WriteOwner)
        && out.write(bytes) == bytes.size() && out.commit();
    if (!kept)
        return fail(ErrorCode::LocalIo, u"%1 cannot be written: %2."_s.arg(file, out.errorString()));
    return {};
}

} // namespace pilothouse
