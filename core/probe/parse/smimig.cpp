// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/smimig.h"

#include "core/base/cleantext.h"
#include "core/probe/parse/busid.h"
#include "core/probe/parse/bytes.h"
#include "core/probe/parse/smiwords.h"

namespace pilothouse {

namespace {

constexpr int mostDevices = 64; // a card has seven slices at most today

template <class T>
Quantity<T> numberOf(QByteArrayView value, bool mebibytes)
{
    QByteArrayView digits = value;
    if (mebibytes && digits.endsWith("MiB"))
        digits = digits.chopped(3).trimmed();
    const auto number = toInteger(digits);
    if (number && *number >= 0 && *number < 1'000'000'000)
        return T(*number);
    return Quantity<T>::unknown(reasonOf(kindOfCell(value)), cleanLine(value, 120));
}

/// The uuid in "…(UUID: GPU-…)".
QString uuidIn(QByteArrayView line)
{
    const qsizetype at = line.indexOf("(UUID: ");
    const qsizetype close = at < 0 ? -1 : line.indexOf(')', at);
    return close < 0 ? QString() : cleanLine(line.sliced(at + 7, close - at - 7), 80);
}

class Reader
{
public:
    void read(QByteArrayView line)
    {
        const qsizetype indent = indentOf(line);
        const QByteArrayView text = line.sliced(indent).trimmed();
        if (text.isEmpty())
            return;
        if (indent == 0) {
            readTop(text);
        } else if (indent <= 2 && text.startsWith("MIG ")) {
            readListed(text);
        } else if (text == "MIG Device") {
            m_deviceIndent = indent;
            QList<MigDevice> &devices = mig.byBusId[m_busId];
            m_device = !m_busId.isEmpty() && devices.size() < mostDevices ? &devices.emplace_back() : nullptr;
            m_inMemory = false;
        } else if (m_device) {
            if (indent <= m_deviceIndent)
                m_device = nullptr;
            else
                readDevice(indent, text);
        }
    }

    SmiMig mig;

private:
    static qsizetype indentOf(QByteArrayView line)
    {
        qsizetype indent = 0;
        while (indent < line.size() && line.at(indent) == ' ')
            ++indent;
        return indent;
    }

    void readTop(QByteArrayView text)
    {
        m_device = nullptr;
        m_busId.clear();
        m_gpuUuid.clear();
        if (!text.startsWith("GPU "))
            return;
        m_busId = normalBusId(text);
        m_gpuUuid = uuidIn(text);
    }

    void readListed(QByteArrayView text)
    {
        const QString uuid = uuidIn(text);
        QStringList &uuids = mig.uuidsByGpu[m_gpuUuid];
        if (!m_gpuUuid.isEmpty() && !uuid.isEmpty() && uuids.size() < mostDevices)
            uuids += uuid;
    }

    void readDevice(qsizetype indent, QByteArrayView text)
    {
        const qsizetype colon = text.indexOf(':');
        if (colon < 0) { // a heading; which one decides what "Total" means below it
            m_inMemory = text == "Shared FB Memory Usage" || text == "FB Memory Usage";
            m_memoryIndent = indent;
            return;
        }
        const QByteArrayView key = text.first(colon).trimmed();
        const QByteArrayView value = text.sliced(colon + 1).trimmed();
        if (m_inMemory && indent > m_memoryIndent) {
            if (key == "Total")
                m_device->memoryTotalMib = numberOf<qint64>(value, true);
            else if (key == "Used")
                m_device->memoryUsedMib = numberOf<qint64>(value, true);
            else if (key == "Free")
                m_device->memoryFreeMib = numberOf<qint64>(value, true);
            return;
        }
        m_inMemory = false;
        if (key == "Index")
            m_device->index = numberOf<int>(value, false).valueOr(0);
        else if (key == "GPU Instance ID")
            m_device->gpuInstance = numberOf<int>(value, false);
        else if (key == "Compute Instance ID")
            m_device->computeInstance = numberOf<int>(value, false);
        else if (key == "MIG UUID" || key == "UUID")
            m_device->uuid = cleanLine(value, 80);
    }

    QString m_busId;
    QString m_gpuUuid;
    MigDevice *m_device = nullptr; // into mig.byBusId; ends with the next "MIG Device"
    qsizetype m_deviceIndent = 0;
    qsizetype m_memoryIndent = 0;
    bool m_inMemory = false;
};

} // namespace

SmiMig parseSmiMig(QByteArrayView text)
{
    Reader reader;
    for (const QByteArrayView line : linesOf(text))
        reader.read(line);
    reader.mig.byBusId.remove(QString());
    reader.mig.uuidsByGpu.remove(QString());
    return reader.mig;
}

} // namespace pilothouse
