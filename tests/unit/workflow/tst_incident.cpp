// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The archive of an incident, read back by tar itself.
#include "core/workflow/incident.h"
#include "tests/support/testmain.h"

#include <QFile>
#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryDir>

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstIncident final : public QObject
{
    Q_OBJECT
private slots:
    void archive_isReadByTar()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath(u"a.tar.gz"_s);
        const auto done = exportIncident(file, incident());
        QVERIFY2(done, done ? "" : qPrintable(sentenceOf(done.error())));
        QCOMPARE(QFile::permissions(file) & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
        QProcess tar;
        tar.start(u"tar"_s, {u"-xzvf"_s, file, u"-C"_s, folder.path()});
        QVERIFY(tar.waitForFinished());
        QVERIFY2(tar.exitCode() == 0, tar.readAllStandardError().constData());
        QCOMPARE(tar.readAllStandardOutput(),
                 QByteArray("incident/ticket.txt\nincident/snapshot.json\nincident/evidence.txt\n"));
        const auto text = [&](const QString &name) {
            QFile part(folder.filePath(u"incident/"_s + name));
            return part.open(QIODevice::ReadOnly) ? part.readAll() : QByteArray();
        };
        QCOMPARE(text(u"ticket.txt"_s), QByteArray("gpu3: leftover\n"));
        QVERIFY(QJsonDocument::fromJson(text(u"snapshot.json"_s)).isObject());
        QVERIFY2(text(u"snapshot.json"_s).contains("--api-key [removed]"), text(u"snapshot.json"_s).constData());
        QVERIFY(!text(u"snapshot.json"_s).contains("geheim"));
        QVERIFY(text(u"evidence.txt"_s).contains("State: S"));
        QVERIFY(!text(u"evidence.txt"_s).contains("hf_abcdefghijkl"));
    }

    void withoutEvidence_saysWhy()
    {
        const QTemporaryDir folder;
        Incident one = incident();
        one.evidence.clear();
        one.evidenceTrouble = u"The cable."_s;
        QVERIFY(exportIncident(folder.filePath(u"b.tar.gz"_s), one));
        QProcess tar;
        tar.start(u"tar"_s, {u"-xzOf"_s, folder.filePath(u"b.tar.gz"_s), u"incident/evidence.txt"_s});
        QVERIFY(tar.waitForFinished());
        QCOMPARE(tar.readAllStandardOutput(), QByteArray("None was gathered: The cable.\n"));
    }

    void unwritable_isALocalFailure()
    {
        const auto done = exportIncident(u"/nowhere/at/all.tar.gz"_s, incident());
        QVERIFY(!done);
        QCOMPARE(exitCodeOf(done.error().code), 8);
    }

private:
    static Incident incident()
    {
        auto snapshot = std::make_shared<Snapshot>();
        snapshot->host = u"gpu3"_s;
        Process process;
        process.pid = Pid{88};
        process.command = u"vllm serve m --api-key geheim"_s;
        snapshot->processes = QList<Process>{process};
        Incident made;
        made.at = QDateTime(QDate(2026, 3, 14), QTime(23, 0), Qt::UTC);
        made.ticket = u"gpu3: leftover\n"_s;
        made.snapshot = snapshot;
        made.diagnosis.processes = {ProcessVerdict()};
        made.evidence = "State: S\nHF_TOKEN=hf_abcdefghijkl\n";
        return made;
    }
};

PILOTHOUSE_TEST_MAIN(TstIncident)
#include "tst_incident.moc"
