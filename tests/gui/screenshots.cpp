// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/windowfixture.h"

#include "core/fleet/networkwatch.h"
#include "core/fleet/teststeps.h"
#include "core/fleet/inventorydiff.h"
#include "core/workflow/journal.h"
#include "ui/commands/commandset.h"
#include "ui/dialogs/importdialog.h"
#include "ui/dialogs/edithostdialog.h"
#include "ui/units/unitcheckdialog.h"
#include "ui/workflow/reclaimdialog.h"

#include <QApplication>
#include <QDir>
#include <QRadioButton>
#include <QTextStream>
#include <QToolButton>
#include <QTreeView>

#include <cmath>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

/// Memory that rises, stands and falls, so that the plot has something to show; a gap in the middle.
Snapshot shaped(Snapshot snapshot, qint64 ageMs)
{
    if (!snapshot.gpus)
        return snapshot;
    const double minutes = static_cast<double>(ageMs) / 60'000.0;
    for (Gpu &gpu : *snapshot.gpus) {
        if (!gpu.memoryUsedMib.isKnown())
            continue;
        const double start = 4.2 - 0.06 * gpu.index;
        const double share = std::clamp((start - minutes) / 0.8, 0.0, 1.0);
        gpu.memoryUsedMib = static_cast<qint64>(share * static_cast<double>(gpu.memoryUsedMib.value()));
        if (minutes > 1.8 && minutes < 2.1)
            gpu.memoryUsedMib = Quantity<qint64>::unknown(UnknownReason::Failed);
    }
    return snapshot;
}

class Studio final
{
public:
    Studio(QString folder, Theme::Mode mode, QSize size)
        : m_folder(std::move(folder))
        , m_suffix(mode == Theme::Mode::Dark ? u"dark"_s : u"light"_s)
        , m_fixture(mode)
    {
        m_fixture.window->resize(size);
        m_suffix += u"-%1x%2"_s.arg(size.width()).arg(size.height());
        m_suffix += u"-%1"_s.arg(qRound(m_fixture.window->devicePixelRatioF() * 100));
    }

    void fleet()
    {
        const auto add = [this](const QString &name, auto make) {
            m_fixture.addHost(name, [&](const QString &host, qint64 age) { return shaped(make(host, age), age); }, 140);
        };
        add(u"gpu1"_s, [](const QString &host, qint64 age) { return servingHost(host, age); });
        add(u"gpu2"_s, [](const QString &host, qint64 age) { return freeHost(host, age); });
        add(u"gpu3"_s, [](const QString &host, qint64 age) { return leftoverHost(host, age); });
        add(u"gpu4"_s, [](const QString &host, qint64 age) { return hungHost(host, age); });
        add(u"gb10"_s, [](const QString &host, qint64 age) { return unifiedHost(host, age); });
        add(u"mig1"_s, [](const QString &host, qint64 age) { return migHost(host, age); });
        add(u"big16"_s, [](const QString &host, qint64 age) { return servingHost(host, age, 16); });
        add(u"<b>hostile</b>"_s, [](const QString &host, qint64 age) { return hostileHost(host, age); });
        add(u"crowd"_s, [](const QString &host, qint64 age) { return crowdedHost(host, age); });
        add(u"nogpus"_s, [](const QString &host, qint64 age) { return bareSnapshot(host, age); });
        add(u"nosmi"_s, [](const QString &host, qint64 age) {
            Snapshot snapshot = bareSnapshot(host, age);
            snapshot.gpus.reset();
            snapshot.gpuSource.status = GpuSource::Status::Absent;
            return snapshot;
        });
        add(u"inference-h200-frankfurt-rack-17-node-003.internal.example.org"_s,
            [](const QString &host, qint64 age) { return leftoverHost(host, age); });
        m_fixture.addHost(u"young"_s, [](const QString &host, qint64 age) { return servingHost(host, age); }, 6);
        add(u"gpu17"_s, [](const QString &host, qint64 age) { return faultHost(host, age); });
        add(u"stale1"_s, [](const QString &host, qint64 age) { return servingHost(host, age + 14'000); });
        MainWindow &window = *m_fixture.window;
        window.addFindings(u"gpu1"_s, findingsOf(servingHost(u"gpu1"_s)));
        window.addFindings(u"gpu3"_s, findingsOf(leftoverHost(u"gpu3"_s)));
        window.addFindings(u"<b>hostile</b>"_s, findingsOf(hostileHost(u"<b>hostile</b>"_s)));
        window.addFindings(u"crowd"_s, findingsOf(crowdedHost(u"crowd"_s)));
        window.addHost(spec(u"connecting1"_s));
        window.setState(u"connecting1"_s, connecting(u"key exchange with 10.0.0.5:22"_s));
        window.addHost(spec(u"failed1"_s));
        window.setState(u"failed1"_s,
                        retrying({ErrorCode::ConnectRefused, u"10.0.0.7:22: Connection refused."_s, {}}, 8));
        window.addHost(spec(u"changed1"_s));
        window.setState(u"changed1"_s,
                        stopped({ErrorCode::HostKeyChanged,
                                 u"It shows SHA256:q7hT…; SHA256:mB0R… stands in ~/.ssh/known_hosts:12."_s, {}}));
    }

    void shoot(const QString &name)
    {
        QTest::qWait(50);
        save(*m_fixture.window, name);
    }
    void shootHost(const QString &host, const QString &name)
    {
        m_fixture.window->openHost(host);
        shoot(name);
    }
    void shootDialog(const QString &objectName, const QString &name)
    {
        QTest::qWait(50);
        if (QWidget *dialog = m_fixture.window->findChild<QWidget *>(objectName)) {
            save(*dialog, name);
            dialog->close();
        }
        QTest::qWait(10);
    }
    WindowFixture &fixture() { return m_fixture; }

private:
    void save(QWidget &widget, const QString &name)
    {
        const QString file = u"%1/%2-%3.png"_s.arg(m_folder, name, m_suffix);
        widget.grab().save(file);
        QTextStream(stdout) << file << '\n';
    }

    QString m_folder;
    QString m_suffix;
    WindowFixture m_fixture;
};

void shootInventory(Studio &studio)
{
    MainWindow &window = *studio.fixture().window;
    HostSpec host = spec(u"gpu3"_s);
    host.tags = QStringList{u"prod"_s, u"rack-3"_s};
    host.expectedGpus = 8;
    host.source = u"/home/op/.config/pilothouse/hosts.toml"_s;
    host.origin = HostOrigin::OwnFile;
    ServiceSpec kimi;
    kimi.name = u"kimi"_s;
    kimi.unit = u"vllm-kimi-k25.service"_s;
    kimi.gpus = QStringList{u"0"_s, u"1"_s, u"2"_s, u"3"_s};
    kimi.model = u"kimi-k2.5"_s;
    kimi.drain = u"/opt/lb/drain gpu3"_s;
    ServiceSpec embed;
    embed.name = u"embed"_s;
    embed.unit = u"embed.service"_s;
    host.services = {kimi, embed};
    (new EditHostDialog(studio.fixture().theme, host, {}, &window))->open();
    studio.shootDialog(u"editHostDialog"_s, u"edithost"_s);
    host.source = u"/home/op/.config/pilothouse/team/hosts.toml"_s;
    host.origin = HostOrigin::Included;
    (new EditHostDialog(studio.fixture().theme, host, {}, &window))->open();
    studio.shootDialog(u"editHostDialog"_s, u"edithost-included"_s);
    window.addHost(host);
    InventoryDifference difference;
    difference.added = QStringList{u"gpu21"_s, u"gpu22"_s};
    difference.removed = QStringList{u"gpu9"_s};
    difference.changed = {{u"gpu3"_s, {u"access: confirm → normal"_s}}};
    window.showInventoryChange(difference);
    studio.shootHost(u"gpu3"_s, u"reloaded"_s);
    window.showInventoryFailure(
        {ErrorCode::InventoryInvalid,
         u"/home/op/.config/pilothouse/hosts.toml:12:1: unknown key \"acess\" in [[host]], perhaps "
         "\"access\" is meant; expected one of access, expected_gpus, name, service, ssh."_s,
         {}});
    studio.shoot(u"broken"_s);
}

void shootImport(Studio &studio)
{
    ImportList list;
    list.source = u"/home/op/site/hosts.yml"_s;
    list.name = u"ansible-hosts"_s;
    for (const int i : {1, 2, 3, 4}) {
        ImportedHost host;
        host.spec.name = u"gpu0%1.lan"_s.arg(i);
        host.spec.ssh = u"root@10.0.0.%1:2222"_s.arg(i);
        host.spec.tags = {u"site"_s, u"gpu"_s};
        if (i == 3)
            host.notes += u"The jump host in ansible_ssh_common_args is not honoured; write it as ProxyJump in the SSH "
                          "configuration."_s;
        list.hosts += host;
    }
    list.leftOut += ImportLeftOut{u"win1"_s, u"It is not reached by SSH (ansible_connection is winrm)."_s};
    list.notes +=
        u"The folder group_vars beside it is not read; ansible-inventory --list --yaml writes all in one file."_s;
    auto *dialog = new ImportDialog(studio.fixture().theme, studio.fixture().window.get());
    dialog->open();
    dialog->findChild<QRadioButton *>(u"importAnsible"_s)->click();
    dialog->showList(list, {{u"gpu02.lan"_s, u"/home/op/.config/pilothouse/hosts.toml"_s}}, {u"gpu01.lan"_s});
    studio.shootDialog(u"importDialog"_s, u"import"_s);
}

void shootHolders(Studio &studio)
{
    MainWindow &window = *studio.fixture().window;
    window.openHost(u"gpu3"_s);
    window.addMark(u"gpu3"_s, sceneNow().addSecs(-150), u"stop"_s);
    window.addMark(u"gpu3"_s, sceneNow().addSecs(-145), u"TERM"_s);
    window.addMark(u"gpu3"_s, sceneNow().addSecs(-60), u"KILL"_s);
    studio.fixture().find<QToolButton>(u"holderWhy"_s)->click();
    auto *table = studio.fixture().find<QTreeView>(u"processTable"_s);
    table->setCurrentIndex(table->model()->index(2, 0));
    studio.shoot(u"evidence"_s);
    studio.fixture().find<QToolButton>(u"holderWhy"_s)->click();
    studio.fixture().find<QToolButton>(u"holderOthers"_s)->click();
    studio.shoot(u"others"_s);
    studio.fixture().find<QToolButton>(u"holderOthers"_s)->click();
}

void shootReclaim(Studio &studio)
{
    using State = WorkflowEvent::State;
    MainWindow &window = *studio.fixture().window;
    const FindingsPtr findings = findingsOf(leftoverHost(u"gpu3"_s));
    const auto show = [&](int until) {
        auto *dialog = new ReclaimDialog(studio.fixture().theme, u"gpu3"_s, &window);
        dialog->show();
        dialog->showPlan(findings->plan, *findings->snapshot);
        dialog->refresh(window.store().find(u"gpu3"_s)->history, sceneNow());
        if (until == 0)
            return dialog;
        dialog->showRunning();
        const auto say = [](int at, const QString &step, State state, const QString &text) {
            return WorkflowEvent{sceneNow().addSecs(at), step, state, text, {}};
        };
        const QList<WorkflowEvent> events{
            say(-20, u"who_else"_s, State::Started, u"Takes the host's lock and looks who else is here."_s),
            say(-19, u"who_else"_s, State::Done, u"Nobody else is at work here."_s),
            say(-19, u"evidence"_s, State::Started, u"Keeps evidence, for at most 10 s."_s),
            say(-17, u"evidence"_s, State::Done, u"Evidence is kept in ~/.local/state/pilothouse/evidence/gpu3.txt."_s),
            say(-17, u"terminate"_s, State::Started, u"SIGTERM to 8 processes."_s),
            say(-16, u"terminate"_s, State::Done, u"8 of 8 signalled."_s),
            say(-16, u"grace"_s, State::Started, u"Waits 5 s for them to end by themselves."_s),
            say(-11, u"kill"_s, State::Started, u"SIGKILL to the 8 processes that are left; trackers are spared."_s),
            say(-10, u"kill"_s, State::Done, u"8 of 8 signalled."_s),
            say(-9, u"end_of_processes"_s, State::Done, u"All of them have ended after 1 s."_s),
            say(-9, u"memory"_s, State::Started, u"Waits for the memory: usually 11 s."_s),
            say(-3, u"memory"_s, State::Done, u"Memory is back: 8 GPUs, 3 readings alike."_s),
            say(-2, u"second_look"_s, State::Done, u"Its memory is free."_s),
            say(-2, u"result"_s, State::Done, u"What they held is free."_s)};
        for (const WorkflowEvent &event : events.first(until))
            dialog->addEvent(event);
        dialog->refresh(window.store().find(u"gpu3"_s)->history, sceneNow());
        if (until == events.size())
            dialog->finish(0);
        return dialog;
    };
    int number = 0;
    for (const int until : {0, 7, 14}) {
        ReclaimDialog *dialog = show(until);
        studio.shootDialog(u"reclaimDialog"_s, u"reclaim%1"_s.arg(++number));
        delete dialog;
    }
}

void shootUnitCheck(Studio &studio)
{
    MainWindow &window = *studio.fixture().window;
    const ServiceSpec service{u"kimi"_s, u"vllm-kimi.service"_s, false, {}, {}, {}, {}, {}};
    const QByteArray text =
        "# /etc/systemd/system/vllm-kimi.service\n[Unit]\nDescription=Kimi\n[Service]\nType=notify\n"
        "ExecStartPre=/bin/sh -c 'while true; do free=$(nvidia-smi --query-gpu=memory.used "
        "--format=csv,noheader,nounits | sort -n | tail -1); if [ \"${free}\" -lt 1000 ]; then break; fi; sleep 5; "
        "done'\nExecStart=/opt/vllm/bin/vllm serve moonshotai/Kimi-K2.5\nExecStop=/usr/bin/pkill -9 -f "
        "\"python3.*vllm\"\nKillMode=process\n";
    auto *dialog = new UnitCheckDialog(studio.fixture().theme, u"gpu3"_s, {service}, &window);
    dialog->open();
    dialog->begin();
    dialog->showFindings(checkUnit(readUnitText(text, {}), {}));
    studio.shootDialog(u"unitCheckDialog"_s, u"unitcheck"_s);
    dialog->showFindings({});
    studio.shootDialog(u"unitCheckDialog"_s, u"unitcheck-none"_s);
    delete dialog;
}

void shootAll(Studio &studio)
{
    studio.shoot(u"empty"_s);
    studio.fleet();
    studio.shootHost(u"gpu1"_s, u"serving"_s);
    studio.shootHost(u"gpu2"_s, u"free"_s);
    studio.shootHost(u"gpu3"_s, u"leftover"_s);
    shootHolders(studio);
    shootReclaim(studio);
    shootUnitCheck(studio);
    studio.shootHost(u"gpu4"_s, u"hung"_s);
    studio.shootHost(u"gb10"_s, u"unified"_s);
    studio.shootHost(u"mig1"_s, u"mig"_s);
    studio.shootHost(u"big16"_s, u"sixteen"_s);
    studio.shootHost(u"crowd"_s, u"crowd"_s);
    studio.shootHost(u"nogpus"_s, u"nogpus"_s);
    studio.shootHost(u"nosmi"_s, u"nosmi"_s);
    studio.shootHost(u"inference-h200-frankfurt-rack-17-node-003.internal.example.org"_s, u"longname"_s);
    studio.shootHost(u"young"_s, u"young"_s);
    studio.shootHost(u"<b>hostile</b>"_s, u"hostile"_s);
    studio.shootHost(u"gpu17"_s, u"fault"_s);
    studio.shootHost(u"stale1"_s, u"stale"_s);
    studio.shootHost(u"connecting1"_s, u"connecting"_s);
    studio.shootHost(u"failed1"_s, u"failed"_s);
    studio.shootHost(u"changed1"_s, u"changed"_s);
    MainWindow &window = *studio.fixture().window;
    Question key;
    key.id = 1;
    key.host = u"root@gpu9.example:22"_s;
    key.keyType = u"ED25519"_s;
    key.fingerprint = u"SHA256:q7hTz0n3Yw1x7cZpJbQm3m5vX8Kk2o4oXb1o0Qq3v1E"_s;
    key.knownHostsFile = u"/home/op/.ssh/known_hosts"_s;
    key.note = u"Another key of type RSA is known for this host."_s;
    window.setState(u"connecting1"_s, [] {
        LinkState state = connecting(u"host key unknown"_s);
        state.phase = LinkState::Phase::Waiting;
        return state;
    }());
    window.ask(u"connecting1"_s, key);
    studio.shootDialog(u"hostKeyDialog"_s, u"hostkey"_s);
    for (int i = 1; i <= 6; ++i) {
        const QString host = u"rack%1"_s.arg(i);
        LinkState waits = connecting(u"host key unknown"_s);
        waits.phase = LinkState::Phase::Waiting;
        window.addHost(spec(host));
        window.setState(host, waits);
        Question many = key;
        many.host = u"rack%1 (10.0.0.%1)"_s.arg(i);
        many.through = i > 2 ? u"ops@bastion"_s : QString();
        many.fingerprint.replace(9, 2, QString::number(10 + i));
        many.note = i == 1 ? key.note : QString();
        window.ask(host, many);
    }
    studio.shootDialog(u"hostKeyListDialog"_s, u"hostkeys"_s);
    NetworkTrouble trouble;
    trouble.state = NetworkTrouble::State::Away;
    trouble.lost = 38;
    trouble.of = 40;
    trouble.within = std::chrono::seconds(3);
    trouble.trying = u"gpu1"_s;
    window.setNetworkTrouble(trouble);
    LinkState held = retrying({ErrorCode::ConnectionLost, u"Nothing came from root@10.0.0.7:22 for 45 s."_s, {}}, 8);
    held.held = true;
    held.nextTry = {};
    window.setState(u"failed1"_s, held);
    studio.shootHost(u"failed1"_s, u"network"_s);
    window.setNetworkTrouble({});
    Question phrase;
    phrase.id = 2;
    phrase.kind = Question::Kind::KeyPassphrase;
    phrase.host = key.host;
    phrase.keyFile = u"/home/op/.ssh/id_ed25519"_s;
    phrase.attempt = 2;
    window.ask(u"connecting1"_s, phrase);
    studio.shootDialog(u"secretDialog"_s, u"secret"_s);
    Question code;
    code.id = 3;
    code.kind = Question::Kind::KeyboardInteractive;
    code.host = u"root@bastion (10.0.0.2)"_s;
    code.note =
        u"5 keys were refused and 3 not offered. To sign in with a key, set IdentitiesOnly yes and IdentityFile for "
        "this host in the SSH configuration."_s;
    code.title = u"Two factors"_s;
    code.instruction = u"Enter your password and the code of your device."_s;
    code.prompts = {{u"Password: "_s, false}, {u"Verification code: "_s, true}};
    window.ask(u"connecting1"_s, code);
    studio.shootDialog(u"secretDialog"_s, u"code"_s);
    Question sudo;
    sudo.id = 4;
    sudo.kind = Question::Kind::SudoPassword;
    sudo.host = u"gpu9 (ops@10.0.0.5:22)"_s;
    sudo.prompts = {{u"Password for sudo"_s, false}};
    window.ask(u"connecting1"_s, sudo);
    studio.shootDialog(u"secretDialog"_s, u"sudo"_s);
    window.showRemoveHost(u"gpu3"_s, u"/home/op/.config/pilothouse/hosts.toml"_s,
                          u"# rack 4\n[[host]]\nname = \"gpu3\"\nsudo = \"nopasswd\"\n\n[[host.service]]\n"
                          "name = \"kimi\"\nunit = \"vllm-kimi-k25.service\"\n"_s);
    studio.shootDialog(u"removeHostDialog"_s, u"remove"_s);
    shootImport(studio);
    HostSpec own = spec(u"gpu1"_s);
    own.origin = HostOrigin::OwnFile;
    own.source = u"/home/op/.config/pilothouse/hosts.toml"_s;
    window.addHost(own);
    window.addSnapshot(own.name, shared(servingHost(own.name)));
    studio.shootHost(own.name, u"offer"_s);
    InterruptedRun run;
    run.person = u"ada@desk"_s;
    run.startedAt = sceneNow().addSecs(-600);
    run.events = {{sceneNow().addSecs(-590), u"grace"_s, WorkflowEvent::State::Started,
                   u"Waits 5 s for them to end by themselves."_s, {}}};
    window.setInterrupted(own.name, {run, run});
    studio.shoot(u"interrupted"_s);
    window.setInterrupted(own.name, {});
    window.showAddHost({u"gpu5"_s, u"gpu6"_s, u"gpu7"_s, u"bastion"_s}, true);
    const auto step = [&](TestStep which, StepResult::State state, const QString &text, double ms,
                          const QString &jumpHost = {}) {
        StepResult result{which, state, text, std::nullopt, std::nullopt, jumpHost};
        if (state != StepResult::State::Skipped)
            result.durationMs = ms;
        window.addTestStep(result);
    };
    using State = StepResult::State;
    step(TestStep::Resolve, State::Done, u"The SSH configuration and the name are clear."_s, 12);
    step(TestStep::JumpHost, State::Done, u"Signed in there."_s, 180, u"ops@bastion"_s);
    step(TestStep::Connect, State::Done, u"An SSH server answers."_s, 31);
    step(TestStep::HostKey, State::Failed,
         u"The host key has changed: gpu5 (10.0.0.5) shows the ED25519 key SHA256:q7hT…, not that of "
         "/home/op/.ssh/known_hosts:12. Ask the owner of the host before you do anything else."_s, 2);
    for (const TestStep rest :
         {TestStep::SignIn, TestStep::Shell, TestStep::Smi, TestStep::Systemctl, TestStep::Rights})
        step(rest, State::Skipped, u"Not reached."_s, 0);
    studio.shootDialog(u"addHostDialog"_s, u"addhost"_s);
    shootInventory(studio);
}

} // namespace

int main(int argc, char **argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    const QString folder = arguments.value(1, u"."_s);
    QDir().mkpath(folder);
    const QStringList sides = arguments.value(3, u"1280x800"_s).split(u'x');
    const QSize size(sides.value(0).toInt(), sides.value(1).toInt());
    for (const Theme::Mode mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
        const QString wanted = arguments.value(2);
        if (!wanted.isEmpty() && (wanted == "dark"_L1) != (mode == Theme::Mode::Dark))
            continue;
        Studio studio(folder, mode, size);
        shootAll(studio);
    }
    return 0;
}
