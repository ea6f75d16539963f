// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The unit check against a real systemd: each unit misbehaves as its finding says, and with the suggested line it does not.
// All units are written, mended by their findings and started together, so that their waits pass side by side.
#include "core/units/checkunit.h"
#include "core/units/execline.h"
#include "tests/lab/labmain.h"

#include <QJsonArray>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

/// "@" stands for the unit's name: bad-NAME, and ok-NAME when it is mended.
struct Row
{
    QString name;
    QString rule;
    QString service;
    QString observe; ///< a script; its output tells the two apart
    QByteArray bad;
    QByteArray good;
    bool stop = false; ///< what is seen is seen after a stop
};


const QString result = u"systemctl show -P Result @"_s;
const QString active = u"systemctl show -P ActiveState @"_s;

QList<Row> rows()
{
    const QString file = u"cat /run/uc/@ 2>/dev/null || echo none"_s;
    const QString life = u"kill -0 $(cat /run/uc/@) 2>/dev/null && echo alive || echo dead"_s;
    return {
        {u"founding"_s, u"exec.variable_empty"_s,
         u"ExecStartPre=/bin/sh -c 'while true; do free=$(nvidia-smi --query-gpu=memory.used "
         "--format=csv,noheader,nounits | sort -n | head -1); if [ \"${free}\" -lt 1000 ]; then break; fi; "
         "echo \"waiting: $free\"; sleep 0.5; done'\nExecStart=/bin/sleep 600\nTimeoutStartSec=3"_s,
         active, "failed", "active"},
        {u"braces"_s, u"exec.variable_empty"_s,
         u"Type=oneshot\nExecStart=/bin/sh -c 'free=4711; echo \"got:${free}:$free\" >/run/uc/@'"_s, file, "got::4711",
         "got:4711:4711"},
        {u"substitution"_s, u"exec.word_removed"_s,
         u"Type=oneshot\nExecStart=/bin/sh -c '$(echo /bin/echo) got >/run/uc/@'"_s, file, "none", "got"},
        {u"longname"_s, u"exec.word_removed"_s,
         u"Type=oneshot\nEnvironment=ROOT=/opt\nExecStart=/bin/sh -c 'echo \"$#:$1\" >/run/uc/@' x $ROOT/model"_s, file,
         "0:", "1:/opt/model"},
        {u"awk"_s, u"exec.word_removed"_s,
         u"Type=oneshot\nStandardOutput=file:/run/uc/@\nExecStart=/usr/bin/awk '$1 == \"x\" {print \"got\"}' /run/uc/in"_s,
         u"grep -c got /run/uc/@ || :"_s, "0", "1"},
        {u"date"_s, u"exec.specifier"_s, u"Type=oneshot\nExecStart=/bin/sh -c 'date +%Y >/run/uc/@'"_s,
         u"grep -cE '^[0-9]{4}$' /run/uc/@ || :"_s, "0", "1"},
        {u"printf"_s, u"exec.specifier"_s,
         u"Type=oneshot\nExecStart=/bin/sh -c 'printf \"%s;%s\" a b >/run/uc/@'"_s, file, "/bin/bash;/bin/bash",
         "a;b"},
        {u"unknown"_s, u"exec.specifier"_s, u"Type=oneshot\nExecStart=/bin/sh -c 'date +%F >/run/uc/@'"_s,
         u"systemctl show -P LoadState @; ls /run/uc/@ 2>/dev/null | wc -l"_s, "bad-setting\n0", "loaded\n1"},
        {u"redirect"_s, u"exec.no_shell"_s, u"Type=oneshot\nExecStart=/bin/echo 'it is' got > /run/uc/@"_s, file, "none",
         "it is got"},
        {u"pipe"_s, u"exec.no_shell"_s,
         u"Type=oneshot\nExecStart=/bin/echo 'a  b' $(echo c) | /usr/bin/tee /run/uc/@"_s, file, "none", "a  b c"},
        {u"commands"_s, u"exec.no_shell"_s,
         u"ExecStart=/bin/echo a ; /bin/touch /run/uc/@"_s,
         u"systemctl show -P LoadState @; ls /run/uc/@ 2>/dev/null | wc -l"_s, "bad-setting\n0", "loaded\n1"},
        {u"assignment"_s, u"exec.no_shell"_s,
         u"Type=oneshot\nExecStart=OUT=got /bin/sh -c 'echo $OUT >/run/uc/@'"_s, file, "none", "got"},
        {u"killmode"_s, u"kill.mode"_s,
         u"ExecStart=/bin/sh -c 'sleep 601 & echo $! >/run/uc/@; exec sleep 602'\nKillMode=process"_s, life, "alive",
         "dead", true},
        {u"sigkill"_s, u"kill.no_sigkill"_s,
         u"ExecStart=/bin/sh -c 'trap \"\" TERM; echo $$$$ >/run/uc/@; while :; do sleep 0.2; done'\nSendSIGKILL=no\n"
         "TimeoutStopSec=1"_s,
         life, "alive", "dead", true},
        {u"notify"_s, u"start.never_ready"_s,
         u"Type=notify\nExecStart=/usr/local/bin/vllm serve m\nTimeoutStartSec=2"_s, active + u"; "_s + result,
         "failed\ntimeout", "active\nsuccess"},
        {u"wait"_s, u"start.timeout"_s,
         u"ExecStartPre=/bin/sh -c 'for i in 1 2 3; do sleep 1; done'\nExecStart=/bin/sleep 600\nTimeoutStartSec=1"_s,
         active + u"; "_s + result, "failed\ntimeout", "active\nsuccess"},
        {u"drain"_s, u"stop.timeout"_s,
         u"Environment=OUT=/run/uc/@\nExecStart=/usr/local/bin/vllm serve m --shutdown-timeout 2\nTimeoutStopSec=1"_s, file,
         "none", "drained", true},
        {u"limit"_s, u"start.limit"_s,
         u"ExecStartPre=/bin/false\nExecStart=/bin/sleep 600\nRestart=always"_s,
         active + u"; journalctl -u @ | grep -c 'repeated too quickly' || :"_s, "failed\n1", "activating\n0"},
        {u"pattern"_s, u"exec.pattern_kill"_s,
         u"Type=oneshot\nExecStartPre=-/usr/bin/pkill -f uc-stranger-@\nExecStart=/bin/true"_s,
         u"systemctl show -P ActiveState stranger-@"_s, "inactive", "active"},
        {u"threshold"_s, u"start.threshold"_s,
         u"ExecStartPre=/bin/sh -c '[ $(nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits | sed -n 7p) "
         "-lt 100 ]'\nExecStart=/bin/sleep 600"_s,
         active + u"; "_s + result, "failed\nexit-code", "active\nsuccess"},
        {u"devices"_s, u"device.private"_s,
         u"Type=oneshot\nEnvironment=CUDA_VISIBLE_DEVICES=0\nPrivateDevices=yes\n"
         "ExecStart=/bin/sh -c 'ls /dev/nvidia* | grep -c . >/run/uc/@ || :'"_s,
         file, "0", "10"},
        {u"access"_s, u"device.no_access"_s,
         u"Type=oneshot\nUser=nosudo\nEnvironment=CUDA_VISIBLE_DEVICES=5\n"
         "ExecStart=/bin/sh -c 'if true </dev/nvidia5; then echo yes; else echo no; fi >/run/uc/@'"_s,
         file, "no", "yes"},
        {u"tmp"_s, u"tmp.private_socket"_s,
         u"ExecStart=/bin/sh -c 'touch $$2 && exec sleep 600' x --uds /tmp/@.sock\nPrivateTmp=yes"_s,
         u"ls /tmp/@.sock 2>/dev/null | wc -l"_s, "0", "1"},
    };
}

QString named(QString text, const QString &name)
{
    return text.replace(u'@', name);
}

/// The service's lines with all that the findings suggest.
QString mended(const QString &service, const QList<UnitFinding> &findings)
{
    QStringList lines = service.split(u'\n');
    QStringList added;
    for (const UnitFinding &finding : findings) {
        if (finding.way == UnitFinding::Way::Replace)
            lines[finding.line - 2] = finding.suggestion; // line 1 is the section
        else if (finding.way == UnitFinding::Way::Add)
            added += finding.suggestion;
    }
    return (lines + added).join(u'\n');
}

} // namespace

class TstLabUnitCheck : public QObject
{
    Q_OBJECT

    const LabHost m_host{1};
    const QList<Row> m_rows = rows();
    QHash<QString, QStringList> m_found; // rules, by row
    QStringList m_trouble;

    void write(const QString &unit, const QString &service) const
    {
        QFile file(m_host.file(u"root/etc/systemd/system/"_s + unit + u".service"_s));
        const QByteArray text = QString(u"[Service]\n"_s + service + u'\n').toUtf8();
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    }

    /// What the product reads of a unit, by the commands that its own script runs.
    [[nodiscard]] QList<UnitFinding> findings(const QString &unit, const QByteArray &lines, int idle) const
    {
        const QString all = unitFactProperties().join(u',');
        UnitFacts facts = readUnitFacts(unit + u".service"_s, false,
                                        m_host.sh(u"systemctl show --property=%1 -- %2.service"_s.arg(all, unit)));
        addHostLines(facts, lines);
        facts.idleMib = idle;
        return checkUnit(readUnitText(m_host.sh(u"systemctl cat -- %1.service"_s.arg(unit)), facts.paths), facts);
    }

private slots:
    void initTestCase();
    void unit_misbehavesAsFoundAndNotWhenMended_data();
    void unit_misbehavesAsFoundAndNotWhenMended();
    void words_areSplitAsSystemdSplitsThem();
    void changedFile_runsItsOldTextUntilTheReload();
    void command_tellsFindingsAndItsExitCode();
    void command_saysWhyItCannot();
    void environmentFiles_tellNamesAndNoValues();
};

void TstLabUnitCheck::initTestCase()
{
    QTest::failOnWarning(QRegularExpression(u".*"_s));
    m_host.sh(u"mkdir -p /run/uc && chmod 1777 /run/uc && echo x >/run/uc/in && chmod 660 /dev/nvidia5 && chgrp video /dev/nvidia5\n"
              "printf '%s\\n' '#!/bin/sh' 'trap \"sleep 2; echo drained >\\$OUT; exit 0\" TERM' 'sleep 600 & wait' >/usr/local/bin/vllm\n"
              "printf '%s\\n' '#!/bin/sh' 'printf \"[%s]\" \"$@\" >>/run/uc/words; echo >>/run/uc/words' >/usr/local/bin/uc-words\n"
              "chmod 755 /usr/local/bin/vllm /usr/local/bin/uc-words\n"
              "systemd-run --quiet --unit=idle sim-hog --gpus 6 --mib 200 -- python3 idle"_s);
    const QString used = u"nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits | sed -n 7p"_s;
    QTRY_VERIFY(m_host.sh(used).toInt() > 200);
    const int idle = m_host.sh(used).toInt();
    const QByteArray lines = m_host.sh(u"echo account $(id -u nosudo) $(id -G nosudo); stat -c 'node %a %u %g %G %n' /dev/nvidia?"_s);

    QStringList units;
    for (const Row &row : m_rows)
        write(u"bad-"_s + row.name, named(row.service, u"bad-"_s + row.name));
    m_host.sh(u"systemctl daemon-reload"_s);
    for (const Row &row : m_rows) {
        const QString bad = u"bad-"_s + row.name;
        const QList<UnitFinding> found = findings(bad, row.name == u"access" ? lines : QByteArray(), idle);
        for (const UnitFinding &finding : found)
            m_found[row.name] += finding.rule;
        QString service = mended(named(row.service, bad), found);
        write(u"ok-"_s + row.name, service.replace(bad, u"ok-"_s + row.name));
        units << bad << u"ok-"_s + row.name;
    }
    m_host.sh(u"systemctl daemon-reload; for u in bad-pattern ok-pattern; do systemd-run --quiet --unit=stranger-$u /bin/sh -c "
              "'sleep 600; :' uc-stranger-$u; done; systemctl start --no-block %1 2>/dev/null || :"_s.arg(units.join(u' ')));
    QTest::qWait(4500); // the slowest of them
    QStringList stops;
    for (const Row &row : m_rows) {
        if (row.stop)
            stops << u"bad-"_s + row.name << u"ok-"_s + row.name;
    }
    m_host.sh(u"for u in %1; do systemctl stop $u & done; wait"_s.arg(stops.join(u' ')));
}

void TstLabUnitCheck::unit_misbehavesAsFoundAndNotWhenMended_data()
{
    QTest::addColumn<int>("row");
    for (qsizetype i = 0; i < m_rows.size(); ++i)
        QTest::newRow(qPrintable(m_rows.at(i).name)) << int(i);
}

void TstLabUnitCheck::unit_misbehavesAsFoundAndNotWhenMended()
{
    QFETCH(const int, row);
    const Row &one = m_rows.at(row);
    QVERIFY2(m_found.value(one.name).contains(one.rule), qPrintable(m_found.value(one.name).join(u' ')));
    const QString bad = u"bad-"_s + one.name;
    const QString ok = u"ok-"_s + one.name;
    const auto story = [&] {
        return m_host.sh(u"systemctl cat %1; systemctl status -n 20 --no-pager %1 %2 || :"_s.arg(ok, bad));
    };
    if (m_host.sh(named(one.observe, bad)).trimmed() != one.bad || m_host.sh(named(one.observe, ok)).trimmed() != one.good)
        qInfo("%s", story().constData());
    QCOMPARE(m_host.sh(named(one.observe, bad)).trimmed(), one.bad);
    QCOMPARE(m_host.sh(named(one.observe, ok)).trimmed(), one.good);
}

void TstLabUnitCheck::words_areSplitAsSystemdSplitsThem()
{
    const QStringList lines{u"a  b\tc"_s,        u"'a \"b\" c' x\"y z\"'w'"_s, u"'' b"_s,       u"\\x41\\101\\s\\u00e9\\\\ '\\''"_s,
                            u"'\\.\\$' x\\y"_s, u"ls {} \\; -print"_s,        u"b; c;d ';'"_s, u"\"a'b\" 'c\"d'"_s};
    QStringList expected;
    QString service = u"Type=oneshot"_s;
    for (const QString &line : lines) {
        const QString value = u"/usr/local/bin/uc-words "_s + line;
        service += u"\nExecStart="_s + value;
        QString words;
        for (const ExecWord &word : readExecLine(value).commands.first().words.mid(1))
            words += u'[' + word.text + u']';
        expected += words;
    }
    // What is replaced, in systemd's own words.
    const QList<std::pair<QString, QString>> replaced{{u"a${A}b $A ${A} c$A $$A $${A}"_s, u"[a1 2b][1][2][1 2][c$A][$A][${A}]"_s},
                                                      {u"x $NONE ${NONE} $A/y z"_s, u"[x][][z]"_s},
                                                      {u"${A:-3} 100%% %. 5%,%p"_s, u"[${A:-3}][100%][%.][5%,uc-words]"_s}};
    for (const auto &[line, words] : replaced) {
        service += u"\nExecStart=/usr/local/bin/uc-words "_s + line;
        expected += words;
    }
    service += u"\nExecStart=:-/usr/local/bin/uc-words ${A} $A $$\nEnvironment='A=1 2'"_s;
    expected += u"[${A}][$A][$$]"_s;
    write(u"uc-words"_s, service);
    m_host.sh(u"systemctl daemon-reload; systemctl start uc-words"_s);
    QCOMPARE(QString::fromUtf8(m_host.sh(u"cat /run/uc/words"_s)).trimmed().split(u'\n'), expected);
}

void TstLabUnitCheck::changedFile_runsItsOldTextUntilTheReload()
{
    write(u"stale"_s, u"Type=oneshot\nRemainAfterExit=yes\nExecStart=/bin/sh -c 'echo old >/run/uc/stale'"_s);
    m_host.sh(u"systemctl daemon-reload; systemctl start stale; sleep 1"_s);
    write(u"stale"_s, u"Type=oneshot\nRemainAfterExit=yes\nExecStart=/bin/sh -c 'echo new >/run/uc/stale'"_s);
    const QList<UnitFinding> found = findings(u"stale"_s, {}, 0);
    QCOMPARE(found.size(), 1);
    QCOMPARE(found.first().rule, u"unit.reload_needed"_s);
    QCOMPARE(m_host.sh(u"systemctl restart stale 2>/dev/null; cat /run/uc/stale"_s), QByteArray("old\n"));
    QCOMPARE(m_host.sh(found.first().suggestion + u"; systemctl restart stale; cat /run/uc/stale"_s), QByteArray("new\n"));
    QVERIFY(findings(u"stale"_s, {}, 0).isEmpty());
}

void TstLabUnitCheck::command_tellsFindingsAndItsExitCode()
{
    const Ran bad = ctl({u"unit"_s, u"lab1"_s, u"bad-braces"_s, u"check"_s, u"--json"_s});
    QVERIFY2(bad.exitCode == 1, bad.summary().constData());
    const QJsonArray findings = bad.json().value(u"findings"_s).toArray();
    QCOMPARE(findings.size(), 1);
    const QJsonObject finding = findings.first().toObject();
    QCOMPARE(finding.value(u"rule"_s).toString(), u"exec.variable_empty"_s);
    QCOMPARE(finding.value(u"severity"_s).toString(), u"error"_s);
    QCOMPARE(finding.value(u"line"_s).toInt(), 3);
    QVERIFY(finding.value(u"suggestion"_s).toString().contains(u"got:$${free}:$free"_s));

    const Ran text = ctl({u"unit"_s, u"lab1"_s, u"bad-access"_s, u"check"_s});
    QVERIFY2(text.exitCode == 1, text.summary().constData()); // accounts and nodes as the product's script tells them
    QVERIFY2(text.output.contains("SupplementaryGroups=video"), text.summary().constData());

    const Ran warning = ctl({u"unit"_s, u"lab1"_s, u"bad-killmode.service"_s, u"check"_s});
    QVERIFY2(warning.exitCode == 0 && warning.output.contains("kill.mode"), warning.summary().constData());

    const Ran fine = ctl({u"unit"_s, u"lab1"_s, u"ok-braces"_s, u"check"_s, u"--json"_s});
    QVERIFY2(fine.exitCode == 0, fine.summary().constData());
    QCOMPARE(fine.json().value(u"findings"_s), QJsonValue(QJsonArray()));
}

void TstLabUnitCheck::command_saysWhyItCannot()
{
    const Ran none = ctl({u"unit"_s, u"lab1"_s, u"no-such-thing"_s, u"check"_s});
    QVERIFY2(none.exitCode == 1 && none.output.isEmpty() && none.errors.contains("no unit no-such-thing.service"),
             none.summary().constData());
    const Ran masked = ctl({u"unit"_s, u"lab1"_s, u"unit-masked"_s, u"check"_s});
    QVERIFY2(masked.exitCode == 1 && masked.errors.contains("masked"), masked.summary().constData());
    const Ran box = ctl({u"unit"_s, u"lab1:2224"_s, u"bad-braces"_s, u"check"_s});
    QVERIFY2(box.exitCode == 6, box.summary().constData());
    for (const QString &name : {u"-x"_s, u"a;b"_s}) {
        const Ran refused = ctl({u"unit"_s, u"lab1"_s, name, u"check"_s});
        QVERIFY2(refused.exitCode == 2, refused.summary().constData());
    }
    const Ran user = ctl({u"unit"_s, u"ops@lab1"_s, u"vllm-user"_s, u"check"_s, u"--user"_s});
    QVERIFY2(user.exitCode == 0 || user.exitCode == 1, user.summary().constData());
    QVERIFY2(user.output.startsWith("vllm-user.service: "), user.summary().constData());
}

void TstLabUnitCheck::environmentFiles_tellNamesAndNoValues()
{
    m_host.sh(u"printf '%s\\n' '# A=1' 'PORT=8000' 'KEY=\"-----BEGIN' 'NESTED=secret' '-----END\"' \"S='x\" 'INNER=y' \"'\" 'LAST=a\\' 'b=c' "
              ">/etc/uc.env"_s);
    write(u"names"_s, u"Type=oneshot\nEnvironmentFile=/etc/uc.env\nEnvironmentFile=-/etc/uc-none.env\n"
                      "ExecStart=/usr/local/bin/uc-words ${PORT} ${KEY} ${LAST} ${S} ${NESTED} ${INNER} ${A}"_s);
    m_host.sh(u"systemctl daemon-reload"_s);
    const Ran ran = ctl({u"unit"_s, u"lab1"_s, u"names"_s, u"check"_s, u"--json"_s});
    QVERIFY2(ran.exitCode == 1, ran.summary().constData());
    QStringList told;
    for (const QJsonValue &finding : ran.json().value(u"findings"_s).toArray())
        told += finding.toObject().value(u"text"_s).toString().section(u' ', 0, 0);
    QCOMPARE(told, (QStringList{u"${NESTED}"_s, u"${INNER}"_s, u"${A}"_s}));
    m_host.sh(u"rm -f /run/uc/words; systemctl start names"_s);
    QVERIFY(m_host.sh(u"cat /run/uc/words"_s).endsWith("[][][]\n")); // as systemd has it
}

PILOTHOUSE_LAB_TEST_MAIN(TstLabUnitCheck)
#include "tst_labunitcheck.moc"
