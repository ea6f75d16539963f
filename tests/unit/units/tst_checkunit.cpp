// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Each rule of the unit check: what it finds, the line that it suggests, and what it leaves in peace.
#include "core/units/checkunit.h"
#include "tests/support/testmain.h"

#include <QJsonArray>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

const QString path = u"/etc/systemd/system/x.service"_s;

UnitText textOf(const QString &service)
{
    return readUnitText(QString(u"# "_s + path + u"\n[Unit]\n[Service]\n"_s + service + u'\n').toUtf8(), {path});
}

/// "rule line suggestion", one a finding, an exclamation mark before an error's.
QStringList briefs(const QList<UnitFinding> &findings)
{
    QStringList lines;
    for (const UnitFinding &finding : findings)
        lines += (finding.severity == UnitFinding::Severity::Error ? u"!"_s : QString()) + finding.rule + u' '
                 + QString::number(finding.line)
                 + (finding.suggestion.isEmpty() ? QString() : u' ' + finding.suggestion);
    return lines;
}

QString sh(const QString &key, const QString &script)
{
    return key + u"=/bin/sh -c '"_s + script + u'\'';
}

const QString vllm = u"ExecStart=/opt/vllm/bin/vllm serve model"_s;

} // namespace

class TstCheckUnit final : public QObject
{
    Q_OBJECT
private slots:
    void foundingUnit_hasItsCorrectedLines();
    void rule_data();
    void rule();
    void leftInPeace_data();
    void leftInPeace();
    void variablesOfTheUnit_areKnown();
    void unreadEnvironmentFile_isGivenTheBenefitOfTheDoubt();
    void threshold_isHeldAgainstTheIdleBaseline_data();
    void threshold_isHeldAgainstTheIdleBaseline();
    void device_needsAccess();
    void dropIn_countsAndIsNamed();
    void suggestion_leavesNothingToFind_data();
    void suggestion_leavesNothingToFind();
    void hostileText_isCleanedAndBounded();
    void json_isAsTheContractSays();
};

void TstCheckUnit::foundingUnit_hasItsCorrectedLines()
{
    const UnitText text =
        textOf(u"ExecStartPre=/bin/sh -c 'while true; do free=$(nvidia-smi --query-gpu=memory.used "
               "--format=csv,noheader,nounits | sort -n | "
               "tail -1); if [ \"${free}\" -lt 1000 ]; then break; fi; echo \"waiting: $free MiB\"; sleep 5; done'\n"
               "ExecStart=/usr/bin/python3 /opt/vllm/bin/vllm serve moonshotai/Kimi-K2.5 --tensor-parallel-size 8\n"
               "ExecStop=/usr/bin/pkill -9 -f \"python3.*vllm\"\n"
               "Restart=always"_s);
    UnitFacts facts;
    facts.unit = u"vllm.service"_s;
    const QList<UnitFinding> findings = checkUnit(text, facts);
    const QString line = u"ExecStartPre=/bin/sh -c 'while true; do free=$(nvidia-smi --query-gpu=memory.used "
                         "--format=csv,noheader,nounits | sort -n | tail -1); if [ \"$${free}\" -lt 1000 ]; then "
                         "break; fi; echo "
                         "\"waiting: $free MiB\"; sleep 5; done'"_s;
    QCOMPARE(briefs(findings), (QStringList{u"start.limit 3 RestartSec=10s"_s,
                                            u"start.timeout 3 "
                                            "TimeoutStartSec=10min"_s,
                                            u"!exec.variable_empty 3 "_s + line,
                                            u"!exec.pattern_kill 5 ExecStop=/bin/kill -s TERM $MAINPID"_s}));
    QVERIFY(findings.at(2).text.contains(u"${free}"));
    QVERIFY(findings.at(2).text.contains(u"although the script sets it"));
    QVERIFY(hasErrors(findings));
}

void TstCheckUnit::rule_data()
{
    QTest::addColumn<QString>("service");
    QTest::addColumn<QStringList>("found");
    const auto row = [](const char *name, const QString &service, const QStringList &found) {
        QTest::newRow(name) << service << found;
    };
    row("braces", sh(u"ExecStart"_s, u"x=1; echo a${x}b"_s),
        {u"!exec.variable_empty 3 "_s + sh(u"ExecStart"_s, u"x=1; echo a$${x}b"_s)});
    row("braces without a shell", u"ExecStart=/bin/a --model ${MODEL}"_s, {u"!exec.variable_empty 3"_s});
    row("another case", u"Environment=MODEL=m\nExecStart=/bin/a \"--model=${model}\" $model"_s,
        {u"!exec.variable_empty 4 ExecStart=/bin/a \"--model=${MODEL}\" $MODEL"_s,
         u"!exec.word_removed 4 ExecStart=/bin/a \"--model=${MODEL}\" $MODEL"_s});
    row("word of its own", u"ExecStart=/bin/a $OPTIONS"_s, {u"!exec.word_removed 3"_s});
    row("substitution first", sh(u"ExecStart"_s, u"$(which python3) -c 1"_s),
        {u"!exec.word_removed 3 "_s + sh(u"ExecStart"_s, u"$$(which python3) -c 1"_s)});
    row("awk", u"ExecStart=/usr/bin/awk '$1 > 5' /etc/passwd"_s,
        {u"!exec.word_removed 3 ExecStart=/usr/bin/awk '$$1 > 5' /etc/passwd"_s});
    row("longer than its name", u"Environment=ROOT=/opt\nExecStart=/bin/a $ROOT/model x"_s,
        {u"!exec.word_removed 4 ExecStart=/bin/a ${ROOT}/model x"_s});
    row("home of a system unit", u"ExecStart=/bin/a ${HOME}/x"_s, {u"!exec.variable_empty 3"_s});
    row("main process before the start", u"ExecStartPre=/bin/a ${MAINPID}\nExecStart=/bin/b"_s,
        {u"!exec.variable_empty 3"_s});
    row("program", u"Environment=PYTHON=/usr/bin/python3\nExecStart=${PYTHON} -m x"_s,
        {u"!exec.word_removed 4 ExecStart=/usr/bin/env ${PYTHON} -m x"_s});
    row("date", sh(u"ExecStartPre"_s, u"echo start >/tmp/$(date +%Y-%m-%d)"_s) + u"\nExecStart=/bin/a"_s,
        {u"!exec.specifier 3 "_s + sh(u"ExecStartPre"_s, u"echo start >/tmp/$(date +%%Y-%%m-%%d)"_s)});
    row("date that systemd knows nothing of", u"ExecStart=/bin/date +%F"_s,
        {u"!exec.specifier 3 ExecStart=/bin/date +%%F"_s});
    row("address", u"ExecStart=/bin/a http://h/%20%E2%82"_s,
        {u"!exec.specifier 3 ExecStart=/bin/a http://h/%%20%%E2%%82"_s,
         u"!exec.specifier 3 ExecStart=/bin/a http://h/%%20%%E2%%82"_s});
    row("printf", u"ExecStart=/usr/bin/printf '%s and %i' a 1"_s,
        {u"!exec.specifier 3 ExecStart=/usr/bin/printf "
         "'%%s and %%i' a 1"_s});
    row("printf with separators", sh(u"ExecStart"_s, u"printf \"%s;%s|%d\" a b 1"_s),
        {u"!exec.specifier 3 "_s + sh(u"ExecStart"_s, u"printf \"%%s;%%s|%%d\" a b 1"_s)});
    row("awk's printf", sh(u"ExecStart"_s, u"x | awk \"{printf \\\"%s\\\", NF}\""_s),
        {u"!exec.specifier 3 "_s + sh(u"ExecStart"_s, u"x | awk \"{printf \\\"%%s\\\", NF}\""_s)});
    row("remainder", sh(u"ExecStart"_s, u"echo $((7%n))"_s),
        {u"!exec.specifier 3 "_s + sh(u"ExecStart"_s, u"echo $((7%%n))"_s)});
    row("instance of no template", u"ExecStart=/bin/a --gpu %i"_s, {u"exec.specifier 3"_s});
    row("address in the environment", u"Environment=URL=http://h/a%C3%A9\nExecStart=/bin/a"_s,
        {u"!exec.specifier 3 Environment=URL=http://h/a%%C3%%A9"_s});
    row("pipe", u"ExecStart=/bin/a 'b c' | /usr/bin/tee $LOG"_s,
        {u"!exec.no_shell 3 ExecStart=/bin/sh -c '/bin/a \\'b c\\' | /usr/bin/tee $$LOG'"_s,
         u"!exec.word_removed 3 ExecStart=/bin/sh -c '/bin/a \\'b c\\' | /usr/bin/tee $$LOG'"_s});
    row("redirection", u"ExecStart=-/bin/a >> /var/log/a 2>&1"_s,
        {u"!exec.no_shell 3 ExecStart=-/bin/sh -c 'exec /bin/a >> /var/log/a 2>&1'"_s});
    row("and", u"ExecStartPre=/bin/a && /bin/b\nExecStart=/bin/c"_s,
        {u"!exec.no_shell 3 ExecStartPre=/bin/sh -c '/bin/a && /bin/b'"_s});
    row("glued semicolon", u"ExecStartPre=/bin/a; /bin/b\nExecStart=/bin/c"_s,
        {u"!exec.no_shell 3 ExecStartPre=/bin/sh -c '/bin/a; /bin/b'"_s});
    row("two commands", u"ExecStart=/bin/a ; /bin/b"_s,
        {u"!exec.no_shell 3 ExecStart=/bin/sh -c '/bin/a ; exec "
         "/bin/b'"_s});
    row("substitution without a shell", u"ExecStart=/bin/a --gpus $(nproc)"_s,
        {u"!exec.no_shell 3 ExecStart=/bin/sh -c 'exec /bin/a --gpus $$(nproc)'"_s});
    row("variable before the program", u"ExecStart=CUDA_VISIBLE_DEVICES=0 /bin/a"_s,
        {u"!exec.no_shell 3 ExecStart=/usr/bin/env CUDA_VISIBLE_DEVICES=0 /bin/a"_s});
    row("open quote", u"ExecStart=/bin/sh -c 'a"_s, {u"!exec.syntax 3"_s});
    row("KillMode", vllm + u"\nKillMode=process"_s, {u"!kill.mode 4 KillMode=mixed"_s});
    row("KillMode of no server", u"ExecStart=/usr/sbin/sshd -D\nKillMode=none"_s, {u"kill.mode 4 KillMode=mixed"_s});
    row("SendSIGKILL", vllm + u"\nSendSIGKILL=no"_s, {u"!kill.no_sigkill 4 SendSIGKILL=yes"_s});
    row("notify", u"Type=notify\n"_s + vllm, {u"!start.never_ready 3 Type=exec"_s});
    row("notify, llama.cpp through env", u"Type=notify\nExecStart=/usr/bin/env A=1 /opt/llama-server -m x"_s,
        {u"!start.never_ready 3 Type=exec"_s});
    row("wait longer than the start",
        sh(u"ExecStartPre"_s, u"for i in $(seq 1 60); do test -e /x && exit 0; sleep "
                              "5; done; exit 1"_s)
            + u"\nExecStart=/bin/a\nTimeoutStartSec=60"_s,
        {u"!start.timeout 5 TimeoutStartSec=7min"_s});
    row("wait longer than the usual start", sh(u"ExecStartPre"_s, u"sleep 100"_s) + u"\nExecStart=/bin/a"_s,
        {u"!start.timeout 3 TimeoutStartSec=3min"_s});
    row("bounded by timeout", u"ExecStartPre=/usr/bin/timeout 10m /opt/wait\nExecStart=/bin/a"_s,
        {u"!start.timeout 3 TimeoutStartSec=13min"_s});
    row("endless wait",
        sh(u"ExecStartPre"_s, u"until test -e /x; do sleep 1; done"_s)
            + u"\nExecStart=/bin/a\nTimeoutStartSec=infinity"_s,
        {u"start.timeout 5 TimeoutStartSec=10min"_s});
    row("stop in a hurry", vllm + u"\nTimeoutStopSec=5"_s, {u"stop.timeout 4 TimeoutStopSec=60s"_s});
    row("stop amid the drain", vllm + u" --shutdown-timeout 120"_s, {u"stop.timeout 3 TimeoutStopSec=3min"_s});
    row("stop command", u"ExecStart=/bin/a\nExecStop=/bin/sleep 200"_s, {u"!stop.timeout 4 TimeoutStopSec=5min"_s});
    row("start limit", u"ExecStartPre=/opt/check-gpus\nExecStart=/bin/a\nRestart=on-failure\nRestartSec=1"_s,
        {u"start.limit 6 RestartSec=10s"_s});
    row("killall", u"ExecStartPre=-/usr/bin/killall -9 python3\nExecStart=/bin/a"_s,
        {u"!exec.pattern_kill 3 # ExecStartPre=-/usr/bin/killall -9 python3"_s});
    row("pkill in a script", sh(u"ExecStartPre"_s, u"pkill -f \"a;b\" || true; sleep 2"_s) + u"\nExecStart=/bin/a"_s,
        {u"!exec.pattern_kill 3 "_s + sh(u"ExecStartPre"_s, u"true || true; sleep 2"_s)});
    row("PrivateDevices", vllm + u"\nPrivateDevices=true"_s, {u"!device.private 4 PrivateDevices=no"_s});
    row("PrivateTmp", vllm + u" --uds /tmp/vllm.sock\nPrivateTmp=yes"_s, {u"tmp.private_socket 4 PrivateTmp=no"_s});
}

void TstCheckUnit::rule()
{
    QFETCH(QString, service);
    UnitFacts facts;
    facts.unit = u"x.service"_s;
    QTEST(briefs(checkUnit(textOf(service), facts)), "found");
}

void TstCheckUnit::leftInPeace_data()
{
    QTest::addColumn<QString>("service");
    const auto row = [](const char *name, const QString &service) { QTest::newRow(name) << service; };
    row("bare dollar inside a script", sh(u"ExecStart"_s, u"free=$(x); echo $free \"$free\" `y`"_s));
    row("default value", sh(u"ExecStart"_s, u"echo ${free:-none} ${x:=1}"_s));
    row("doubled", sh(u"ExecStart"_s, u"echo $${free} $$free $$((1 %% 2))"_s));
    row("colon", u"ExecStart=:/bin/sh -c 'echo ${free}; kill $$'"_s);
    row("main process", u"ExecStart=/bin/a\nExecStop=/bin/kill -s TERM $MAINPID\nExecReload=/bin/kill -HUP "
                        "${MAINPID}"_s);
    row("systemd's own", u"ExecStart=/bin/a --id ${INVOCATION_ID} ${LISTEN_FDS} ${RUNTIME_DIRECTORY} $PATH"_s);
    row("home of an account", u"User=ops\nExecStart=/bin/a ${HOME}/x ${USER}"_s);
    row("awk that prints", u"ExecStart=/usr/bin/awk '{print $1}' /etc/passwd"_s);
    row("specifiers that are meant", u"ExecStart=/bin/a --name %n --host %H --dir %t/x --state %S/%N"_s);
    row("specifiers joined", u"ExecStart=/bin/a --listen %H:%p --name %p-%N %n/%t"_s);
    row("percent that stands for itself", u"ExecStart=/bin/a --cache 50% --share 10%,20%"_s);
    row("regular expression", u"ExecStart=/bin/a --allow (a|b) x>y --filter 'a && b | c > d;'"_s);
    row("operators in a script", sh(u"ExecStart"_s, u"a | b >c 2>&1 && d; e &"_s));
    row("commands of a oneshot", u"Type=oneshot\nExecStart=/bin/a ; /bin/b"_s);
    row("commands before the start", u"ExecStartPre=/bin/a ; /bin/b\nExecStart=/bin/c"_s);
    row("find", u"ExecStart=/usr/bin/find /x -exec rm {} \\;"_s);
    row("container", u"Type=notify\nKillMode=control-group\nPrivateDevices=yes\nExecStart=/usr/bin/docker run "
                     "vllm/vllm-openai vllm serve x"_s);
    row("notify of a wrapper", u"Type=notify\nNotifyAccess=all\nExecStart=/bin/sh -c 'vllm serve x & systemd-notify "
                               "--ready; wait'"_s);
    row("notify of another server", u"Type=notify\nExecStart=/usr/sbin/nginx"_s);
    row("wait in its limits", sh(u"ExecStartPre"_s, u"for i in 1 2 3; do sleep 5; done"_s) + u"\nExecStart=/bin/a"_s);
    row("restart without a check", u"ExecStartPre=/bin/mkdir -p "
                                   "/run/x\nExecStartPre=-/opt/check\nExecStart=/bin/a\nRestart=always"_s);
    row("restart with patience", u"ExecStartPre=/opt/check\nExecStart=/bin/a\nRestart=always\nRestartSec=10"_s);
    row("children by parent", u"ExecStart=/bin/a\nExecStop=/usr/bin/pkill -TERM -P $MAINPID"_s);
    row("a word about pkill", sh(u"ExecStart"_s, u"echo do not pkill here"_s));
    row("PrivateDevices without GPUs", u"ExecStart=/usr/bin/python3 -m http.server\nPrivateDevices=yes"_s);
    row("private files in /tmp", vllm + u" --download-dir /tmp/models\nPrivateTmp=yes"_s);
    row("quotes in quotes", u"ExecStart=/bin/sh -c \"x='a b'; echo \\\"$x\\\"\""_s);
}

void TstCheckUnit::leftInPeace()
{
    QFETCH(QString, service);
    UnitFacts facts;
    facts.unit = u"x.service"_s;
    QCOMPARE(briefs(checkUnit(textOf(service), facts)), QStringList());
}

void TstCheckUnit::variablesOfTheUnit_areKnown()
{
    UnitFacts facts;
    facts.environmentFiles = {{u"/etc/default/x"_s, QStringList{u"FROM_FILE"_s}}};
    facts.managerNames = QStringList{u"FROM_MANAGER"_s};
    const QString start = u"ExecStart=/bin/a ${A} ${B} $PASSED ${FROM_FILE} ${FROM_MANAGER}"_s;
    const QString known = u"Environment=A=1 \"B=2 3\"\nPassEnvironment=PASSED\nEnvironmentFile=-/etc/default/x\n"_s;
    QCOMPARE(briefs(checkUnit(textOf(known + start), facts)), QStringList());
    QCOMPARE(briefs(checkUnit(textOf(known + u"UnsetEnvironment=B\nEnvironment=\n"_s + start), facts)),
             QStringList(2, u"!exec.variable_empty 8"_s)); // A and B
    facts.environmentFiles.first().names = QStringList();
    QCOMPARE(briefs(checkUnit(textOf(known + start), facts)), QStringList{u"!exec.variable_empty 6"_s});
}

void TstCheckUnit::unreadEnvironmentFile_isGivenTheBenefitOfTheDoubt()
{
    const QString service = u"EnvironmentFile=/etc/default/x\n"_s
                            + sh(u"ExecStart"_s, u"used=1; echo ${used} "
                                                 "${PORT}"_s);
    const QList<UnitFinding> findings = checkUnit(textOf(service), {});
    QCOMPARE(findings.size(), 1); // what the script itself sets is meant for it
    QVERIFY(findings.first().text.contains(u"${used}"));
    QVERIFY(findings.first().suggestion.contains(u"${PORT}") && !findings.first().suggestion.contains(u"$${PORT}"));
}

void TstCheckUnit::threshold_isHeldAgainstTheIdleBaseline_data()
{
    QTest::addColumn<QString>("script");
    QTest::addColumn<int>("idle");
    QTest::addColumn<QString>("mended"); // empty: nothing is found
    const QString smi = u"nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits"_s;
    const QString loop = u"until [ $("_s + smi + u" | sort -n | tail -1) -lt %1 ]; do sleep 1; done"_s;
    QTest::newRow("below") << loop.arg(1000) << 1400 << loop.arg(1900);
    QTest::newRow("equal is too little") << loop.arg(1400) << 1400 << loop.arg(1900);
    QTest::newRow("above") << loop.arg(2000) << 1400 << QString();
    const QString variable = u"n=0; while used=$("_s + smi
                             + u"); [ \"$used\" -gt %1 ]; do n=$((n+1)); [ $n -lt 60 ] "
                               "|| exit 1; sleep 1; done"_s;
    QTest::newRow("variable, the counter is none") << variable.arg(500) << 600 << variable.arg(900);
    QTest::newRow("free memory is another thing")
        << u"[ $(nvidia-smi --query-gpu=memory.free) -gt 500 ]"_s << 600 << QString();
    QTest::newRow("no memory at all") << u"[ $(nproc) -gt 50 ]"_s << 600 << QString();
}

void TstCheckUnit::threshold_isHeldAgainstTheIdleBaseline()
{
    QFETCH(QString, script);
    QFETCH(int, idle);
    QFETCH(QString, mended);
    UnitFacts facts;
    facts.idleMib = idle;
    facts.timeoutStart = std::chrono::minutes(20);
    QList<UnitFinding> findings = checkUnit(textOf(sh(u"ExecStartPre"_s, script) + u"\nExecStart=/bin/a"_s), facts);
    QCOMPARE(briefs(findings),
             mended.isEmpty() ? QStringList() : QStringList{u"!start.threshold 3 "_s + sh(u"ExecStartPre"_s, mended)});
    facts.idleMib.reset();
    QVERIFY(checkUnit(textOf(sh(u"ExecStartPre"_s, script) + u"\nExecStart=/bin/a"_s), facts).isEmpty());
}

void TstCheckUnit::device_needsAccess()
{
    UnitFacts facts;
    facts.uid = 1000;
    facts.gids = {1000};
    facts.devices = {{u"/dev/nvidia0"_s, 0660, 0, 44, u"video"_s}, {u"/dev/nvidia1"_s, 0660, 0, 44, u"video"_s}};
    const QString service = u"User=ops\n"_s + vllm;
    QCOMPARE(briefs(checkUnit(textOf(service), facts)),
             QStringList{u"!device.no_access 3 SupplementaryGroups=video"_s});
    QCOMPARE(briefs(checkUnit(textOf(service + u"\nSupplementaryGroups=audio video"_s), facts)), QStringList());
    QCOMPARE(briefs(checkUnit(textOf(vllm), facts)), QStringList()); // root's
    facts.gids = {1000, 44};
    QCOMPARE(briefs(checkUnit(textOf(service), facts)), QStringList());
    facts.devices = {{u"/dev/nvidia0"_s, 0600, 0, 0, u"root"_s}};
    QCOMPARE(briefs(checkUnit(textOf(service), facts)), QStringList{u"!device.no_access 3 chmod 0666 /dev/nvidia0"_s});
    facts.devices = {{u"/dev/nvidia0"_s, 0666, 0, 0, u"root"_s}};
    QCOMPARE(briefs(checkUnit(textOf(service), facts)), QStringList());
}

void TstCheckUnit::dropIn_countsAndIsNamed()
{
    const QString dropIn = u"/etc/systemd/system/x.service.d/a.conf"_s;
    const QByteArray fragment = QString(u"# "_s + path + u"\n[Service]\nKillMode=process\n"_s + vllm + u'\n').toUtf8();
    UnitFacts facts;
    facts.unit = u"x.service"_s;
    facts.needDaemonReload = true;
    facts.paths = {path, dropIn};
    const UnitText mended =
        readUnitText(fragment + QString(u"\n# "_s + dropIn + u"\n[Service]\nKillMode=mixed\n"_s).toUtf8(), facts.paths);
    QCOMPARE(briefs(checkUnit(mended, facts)), QStringList{u"unit.reload_needed 0 systemctl daemon-reload"_s});
    facts.needDaemonReload = false;
    const UnitText spoilt =
        readUnitText(fragment + QString(u"\n# "_s + dropIn + u"\n[Service]\nKillMode=none\n"_s).toUtf8(), facts.paths);
    const QList<UnitFinding> findings = checkUnit(spoilt, facts);
    QCOMPARE(briefs(findings), QStringList{u"!kill.mode 2 KillMode=mixed"_s});
    QCOMPARE(findings.first().file, dropIn);
}

void TstCheckUnit::suggestion_leavesNothingToFind_data()
{
    rule_data();
}

void TstCheckUnit::suggestion_leavesNothingToFind()
{
    QFETCH(QString, service);
    UnitFacts facts;
    facts.unit = u"x.service"_s;
    QStringList lines = service.split(u'\n');
    QStringList added;
    bool all = true;
    for (const UnitFinding &finding : checkUnit(textOf(service), facts)) {
        all = all && finding.way != UnitFinding::Way::None;
        if (finding.way == UnitFinding::Way::Replace)
            lines[finding.line - 3] = finding.suggestion;
        else if (finding.way == UnitFinding::Way::Add)
            added += finding.suggestion;
    }
    if (all)
        QCOMPARE(briefs(checkUnit(textOf((lines + added).join(u'\n')), facts)), QStringList());
}

void TstCheckUnit::hostileText_isCleanedAndBounded()
{
    const UnitText odd = textOf(u"ExecStart=/bin/a \u202e$(\x1b[31m) ${<b>}\nUser=\x1b]0;x\nKillMode=process"_s);
    for (const UnitFinding &finding : checkUnit(odd, {})) {
        const QString all = finding.text + finding.suggestion;
        QVERIFY2(!all.contains(u'\x1b') && !all.contains(QChar(0x202e)), qPrintable(all));
    }
    const QList<UnitFinding> many =
        checkUnit(textOf((u"ExecStartPre=/bin/a ${"_s + QString(300, u'x') + u"}\n"_s).repeated(500)), {});
    QCOMPARE(many.size(), 100);
    QVERIFY(many.first().text.size() < 1000);
    QElapsedTimer timer;
    timer.start();
    const QString nasty = u"ExecStart=/bin/sh -c '"_s + u"%Y$(${a} $((i < "_s.repeated(4000) + u"'"_s;
    (void)checkUnit(textOf(nasty), {});
    QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
}

void TstCheckUnit::json_isAsTheContractSays()
{
    const QJsonArray findings =
        findingsJson(checkUnit(textOf(vllm + u"\nKillMode=process"_s), {})).value(u"findings"_s).toArray();
    QCOMPARE(findings.size(), 1);
    const QJsonObject finding = findings.first().toObject();
    QCOMPARE(finding.value(u"rule"_s).toString(), u"kill.mode"_s);
    QCOMPARE(finding.value(u"severity"_s).toString(), u"error"_s);
    QCOMPARE(finding.value(u"line"_s).toInt(), 4);
    QVERIFY(!finding.value(u"text"_s).toString().isEmpty());
    QCOMPARE(finding.value(u"suggestion"_s).toString(), u"KillMode=mixed"_s);
    QCOMPARE(finding.value(u"file"_s).toString(), path);
    QCOMPARE(findingsJson({}).value(u"findings"_s), QJsonValue(QJsonArray()));
    UnitFacts stale;
    stale.needDaemonReload = true;
    QVERIFY(
        findingsJson(checkUnit({}, stale)).value(u"findings"_s).toArray().first().toObject().value(u"line"_s).isNull());
}

PILOTHOUSE_TEST_MAIN(TstCheckUnit)
#include "tst_checkunit.moc"
