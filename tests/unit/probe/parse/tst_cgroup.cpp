// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/cgroup.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;
using Kind = Owner::Kind;

namespace {

const QString id = u"9ec39b91f3d7aaaabbbbccccddddeeeeffff00001111222233334444555566ab"_s;
const QString pod = u"0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"_s;

} // namespace

class TstCgroup final : public QObject
{
    Q_OBJECT
private slots:
    void owner_ofEveryPath_data();
    void owner_ofEveryPath();
    void owner_nestedPathsNeverNameAHostUnit_data();
    void owner_nestedPathsNeverNameAHostUnit();
    void path_ofEveryFile_data();
    void path_ofEveryFile();
};

void TstCgroup::owner_ofEveryPath_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<Kind>("kind");
    QTest::addColumn<QString>("name");
    const auto row = [](const char *label, const QString &path, Kind kind, const QString &name) {
        QTest::newRow(label) << QString(path)
                                    .replace(u"ID"_s, id)
                                    .replace(u"POD_"_s, QString(pod).replace(u'-', u'_'))
                                    .replace(u"POD"_s, pod)
                             << kind << name;
    };
    const QString container = u"docker 9ec39b91f3d7"_s;
    row("service", u"/system.slice/ssh.service"_s, Kind::Unit, u"ssh.service"_s);
    row("template", u"/system.slice/system-vllm.slice/vllm@kimi.service"_s, Kind::Unit, u"vllm@kimi.service"_s);
    row("own slice", u"/gpu.slice/gpu-prod.slice/vllm.service"_s, Kind::Unit, u"vllm.service"_s);
    row("escaped", u"/system.slice/a\\x2db.service"_s, Kind::Unit, u"a\\x2db.service"_s);
    row("escaped against kernel files", u"/system.slice/_cpu.service"_s, Kind::Unit, u"cpu.service"_s);
    row("group inside a service", u"/system.slice/vllm.service/workers"_s, Kind::Unit, u"vllm.service"_s);
    row("service inside a delegated service", u"/system.slice/vllm.service/evil.service"_s, Kind::Unit,
        u"vllm.service"_s);
    row("removed while in use", u"/system.slice/vllm.service (deleted)"_s, Kind::Unit, u"vllm.service"_s);
    row("system scope", u"/system.slice/run-r1b2c.scope"_s, Kind::Unit, u"run-r1b2c.scope"_s);
    row("session", u"/user.slice/user-1000.slice/session-3.scope"_s, Kind::Session, u"session-3.scope"_s);
    row("user unit", u"/user.slice/user-1000.slice/user@1000.service/app.slice/x.service"_s, Kind::UserUnit,
        u"x.service"_s);
    row("tmux", u"/user.slice/user-1000.slice/user@1000.service/tmux-spawn-1b2c.scope"_s, Kind::UserUnit,
        u"tmux-spawn-1b2c.scope"_s);
    row("tmux in a slice",
        u"/user.slice/user-1000.slice/user@1000.service/app.slice/app-tmux.slice/tmux-spawn-9.scope"_s, Kind::UserUnit,
        u"tmux-spawn-9.scope"_s);
    row("the user manager itself", u"/user.slice/user-1000.slice/user@1000.service/init.scope"_s, Kind::UserUnit,
        u"init.scope"_s);
    row("user@.service is no service", u"/user.slice/user-1000.slice/user@1000.service"_s, Kind::Unknown,
        u"user@1000.service"_s);
    row("init", u"/init.scope"_s, Kind::Unknown, u"init.scope"_s);
    row("root", u"/"_s, Kind::Unknown, {});
    row("none", {}, Kind::Unknown, {});
    row("slice alone", u"/system.slice"_s, Kind::Unknown, {});
    row("outside the namespace", u"/../../system.slice/x.service"_s, Kind::Unknown, {});
    row("docker, cgroupfs", u"/docker/ID"_s, Kind::Container, container);
    row("docker, systemd", u"/system.slice/docker-ID.scope"_s, Kind::Container, container);
    row("docker below a user", u"/user.slice/user-1000.slice/user@1000.service/app.slice/docker-ID.scope"_s,
        Kind::Container, container);
    row("docker build", u"/docker/buildx/xyz"_s, Kind::Container, u"docker buildx"_s);
    row("bare id", u"/ID"_s, Kind::Container, u"container 9ec39b91f3d7"_s);
    row("ecs", u"/ecs/0a1b/ID"_s, Kind::Container, u"container 9ec39b91f3d7"_s);
    row("podman", u"/machine.slice/libpod-ID.scope"_s, Kind::Container, u"podman 9ec39b91f3d7"_s);
    row("podman, inner", u"/machine.slice/libpod-ID.scope/container"_s, Kind::Container, u"podman 9ec39b91f3d7"_s);
    row("podman, rootless", u"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-ID.scope/container"_s,
        Kind::Container, u"podman 9ec39b91f3d7"_s);
    row("podman's monitor", u"/machine.slice/libpod-conmon-ID.scope"_s, Kind::Unit,
        u"libpod-conmon-ID.scope"_s.replace(u"ID"_s, id));
    row("nerdctl", u"/system.slice/nerdctl-ID.scope"_s, Kind::Container, u"nerdctl 9ec39b91f3d7"_s);
    row("pod, cgroupfs", u"/kubepods/besteffort/podPOD/ID"_s, Kind::Pod, u"pod "_s + pod + u"/9ec39b91f3d7"_s);
    row("pod, guaranteed", u"/kubepods/podPOD/ID"_s, Kind::Pod, u"pod "_s + pod + u"/9ec39b91f3d7"_s);
    row("pod, containerd",
        u"/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podPOD_.slice/cri-containerd-ID.scope"_s,
        Kind::Pod, u"pod "_s + pod + u"/9ec39b91f3d7"_s);
    row("pod, crio", u"/kubepods.slice/kubepods-podPOD_.slice/crio-ID.scope/container"_s, Kind::Pod,
        u"pod "_s + pod + u"/9ec39b91f3d7"_s);
    row("pod, crio's monitor", u"/kubepods.slice/kubepods-podPOD_.slice/crio-conmon-ID.scope"_s, Kind::Pod,
        u"pod "_s + pod + u" (monitor)"_s);
    row("pod, docker", u"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podPOD_.slice/docker-ID.scope"_s,
        Kind::Pod, u"pod "_s + pod + u"/9ec39b91f3d7"_s);
    row("pod, colons",
        u"/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort-podPOD_.slice:cri-containerd:ID"_s,
        Kind::Pod, u"pod "_s + pod + u"/9ec39b91f3d7"_s);
    row("kubelet itself", u"/system.slice/kubelet.service"_s, Kind::Unit, u"kubelet.service"_s);
    row("kind: docker is the boundary",
        u"/docker/ID/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-podPOD_.slice/cri-containerd-ID.scope"_s,
        Kind::Container, container);
    row("slurm", u"/system.slice/slurmstepd.scope/job_4711/step_0/user/task_0"_s, Kind::Slurm, u"job 4711"_s);
    row("slurm, v1", u"/slurm/uid_1000/job_4711/step_batch"_s, Kind::Slurm, u"job 4711"_s);
    row("slurm, named node", u"/system.slice/n1_slurmstepd.scope/job_9/step_extern"_s, Kind::Slurm, u"job 9"_s);
    row("slurmd itself", u"/system.slice/slurmd.service"_s, Kind::Unit, u"slurmd.service"_s);
    row("a job of nobody", u"/system.slice/x.service/job_7"_s, Kind::Unit, u"x.service"_s);
    row("lxc", u"/lxc.payload.web"_s, Kind::Container, u"lxc web"_s);
    row("lxc, v1", u"/lxc/web"_s, Kind::Container, u"lxc web"_s);
    row("lxc's monitor", u"/lxc.monitor.web"_s, Kind::Unknown, u"monitor of lxc web"_s);
    row("nspawn", u"/machine.slice/systemd-nspawn@deb.service/payload/init.scope"_s, Kind::Container, u"nspawn deb"_s);
    row("nspawn's supervisor", u"/machine.slice/systemd-nspawn@deb.service/supervisor"_s, Kind::Unit,
        u"systemd-nspawn@deb.service"_s);
    row("nspawn, kept unit", u"/deb/payload/init.scope"_s, Kind::Container, u"nspawn deb"_s);
    row("virtual machine", u"/machine.slice/machine-qemu\\x2d1\\x2dvm.scope"_s, Kind::Container,
        u"machine qemu-1-vm"_s);
    row("an id of the wrong length", u"/docker/9ec39b91f3d7"_s, Kind::Unknown, {});
    row("a file name that is no unit", u"/system.slice/foo.conf"_s, Kind::Unknown, {});
    row("suffix alone", u"/system.slice/.service"_s, Kind::Unknown, {});
}

void TstCgroup::owner_ofEveryPath()
{
    QFETCH(QString, path);
    QFETCH(Kind, kind);
    QFETCH(QString, name);
    const Owner owner = ownerOf(path);
    QCOMPARE(owner.name, name);
    QCOMPARE(owner.kind, kind);
}

void TstCgroup::owner_nestedPathsNeverNameAHostUnit_data()
{
    QTest::addColumn<QString>("prefix");
    for (const QString &prefix :
         {u"/docker/"_s + id, u"/lxc.payload.web"_s, u"/lxc/web"_s,
          u"/machine.slice/systemd-nspawn@deb.service/payload"_s, u"/machine.slice/libpod-"_s + id + u".scope"_s,
          u"/system.slice/docker-"_s + id + u".scope"_s, u"/deb/payload"_s, u"/kubepods/podx/"_s + id,
          u"/machine.slice/machine-deb.scope/payload"_s, u"/.."_s})
        QTest::newRow(qPrintable(prefix)) << prefix;
}

void TstCgroup::owner_nestedPathsNeverNameAHostUnit()
{
    QFETCH(QString, prefix);
    for (const QString &inner :
         {u"/system.slice/vllm.service"_s, u"/init.scope"_s, u"/user.slice/user-0.slice/session-1.scope"_s,
          u"/user.slice/user-1.slice/user@1.service/app.slice/vllm.service"_s}) {
        const Owner owner = ownerOf(prefix + inner);
        QVERIFY2(owner.kind != Kind::Unit && owner.kind != Kind::UserUnit && owner.kind != Kind::Session,
                 qPrintable(owner.name));
    }
}

void TstCgroup::path_ofEveryFile_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("path");
    QTest::newRow("v2") << QByteArray("0::/system.slice/ssh.service\n") << u"/system.slice/ssh.service"_s;
    QTest::newRow("v2 in a namespace") << QByteArray("0::/\n") << u"/"_s;
    QTest::newRow("hybrid") << QByteArray(
        "12:devices:/system.slice\n1:name=systemd:/system.slice/ssh.service\n0::/system.slice/ssh.service\n")
                            << u"/system.slice/ssh.service"_s;
    QTest::newRow("v1") << QByteArray("12:memory:/docker/abc\n1:name=systemd:/docker/abc\n") << u"/docker/abc"_s;
    QTest::newRow("v1, controllers only")
        << QByteArray("4:cpu,cpuacct:/\n3:memory:/slurm/uid_1/job_2\n") << u"/slurm/uid_1/job_2"_s;
    QTest::newRow("unified is root, named is not") << QByteArray("1:name=systemd:/lxc/web\n0::/\n") << u"/lxc/web"_s;
    QTest::newRow("colon in the path") << QByteArray("0::/a:b:c\n") << u"/a:b:c"_s;
    QTest::newRow("control bytes") << QByteArray("0::/a\033[31m.service\n") << u"/a\u241b[31m.service"_s;
    QTest::newRow("garbage") << QByteArray("nothing\n::\nx::/y\n0:::\n0::relative\n") << QString();
    QTest::newRow("empty") << QByteArray() << QString();
}

void TstCgroup::path_ofEveryFile()
{
    QFETCH(QByteArray, file);
    QTEST(cgroupPathOf(file), "path");
}

PILOTHOUSE_TEST_MAIN(TstCgroup)
#include "tst_cgroup.moc"
