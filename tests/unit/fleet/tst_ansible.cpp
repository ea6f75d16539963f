// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Ansible inventories, INI and YAML, as Ansible reads them.
#include "core/fleet/imports/importsources.h"
#include "tests/support/testmain.h"

#include <QElapsedTimer>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

/// "name ssh [tags]" a host, "- name: why" for one left out; the error's text where there is one.
QStringList told(const Result<AnsibleInventory> &read)
{
    if (!read)
        return {read.error().detail};
    const ImportList list = hostsOf(*read, u"hosts"_s);
    QStringList lines;
    for (const ImportedHost &host : list.hosts) {
        lines += u"%1 %2 [%3]"_s.arg(host.spec.name, host.spec.ssh, host.spec.tags.join(u' '));
        for (const QString &note : host.notes)
            lines += u"  "_s + note;
    }
    for (const ImportLeftOut &left : list.leftOut)
        lines += u"- %1: %2"_s.arg(left.name, left.why);
    return lines;
}

QStringList ini(const char *text)
{
    return told(readAnsibleIni(QByteArrayView(text), u"f"_s));
}

QStringList yaml(const char *text)
{
    return told(readAnsibleYaml(QByteArrayView(text), u"f"_s));
}

} // namespace

class TstAnsible final : public QObject
{
    Q_OBJECT
private slots:
    void range_isSpelledOut_data();
    void range_isSpelledOut();
    void range_thatCannotBe_data();
    void range_thatCannotBe();
    void ini_isRead_data();
    void ini_isRead();
    void ini_mistakeHasItsLine_data();
    void ini_mistakeHasItsLine();
    void yaml_isRead_data();
    void yaml_isRead();
    void yaml_mistakeIsNamed_data();
    void yaml_mistakeIsNamed();
    void yaml_bombIsRefused();
    void yaml_deepNestingIsRefused();
    void imported_isReadOnly();
    void variables_otherThanAnsiblesAreNotKept();
};

void TstAnsible::range_isSpelledOut_data()
{
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("hosts");
    QTest::newRow("none") << u"gpu1"_s << u"gpu1"_s;
    QTest::newRow("padded") << u"gpu[08:11]"_s << u"gpu08 gpu09 gpu10 gpu11"_s;
    QTest::newRow("plain") << u"gpu[8:11].x"_s << u"gpu8.x gpu9.x gpu10.x gpu11.x"_s;
    QTest::newRow("letters") << u"db-[a:c]"_s << u"db-a db-b db-c"_s;
    QTest::newRow("step") << u"n[0:6:3]"_s << u"n0 n3 n6"_s;
    QTest::newRow("from the beginning") << u"n[:2]"_s << u"n0 n1 n2"_s;
    QTest::newRow("two") << u"r[1:2]n[a:b]"_s << u"r1na r1nb r2na r2nb"_s;
}

void TstAnsible::range_isSpelledOut()
{
    QFETCH(const QString, pattern);
    const auto hosts = expandAnsiblePattern(pattern, 100);
    QVERIFY2(hosts.has_value(), hosts ? "" : qPrintable(hosts.error().detail));
    QTEST(hosts->join(u' '), "hosts");
}

void TstAnsible::range_thatCannotBe_data()
{
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("words");
    QTest::newRow("not closed") << u"gpu[1:2"_s << u"not closed"_s;
    QTest::newRow("one number") << u"gpu[1]"_s << u"a first and a last"_s;
    QTest::newRow("backwards") << u"gpu[3:1]"_s << u"ends before it begins"_s;
    QTest::newRow("mixed") << u"gpu[1:c]"_s << u"neither"_s;
    QTest::newRow("digits") << u"gpu[01:100]"_s << u"as many digits"_s;
    QTest::newRow("no step") << u"gpu[1:5:0]"_s << u"step"_s;
    QTest::newRow("too many") << u"gpu[0:2000000000]"_s << u"more than 100"_s;
    QTest::newRow("too many together") << u"a[1:50]b[1:50]"_s << u"more than 100"_s;
}

void TstAnsible::range_thatCannotBe()
{
    QFETCH(const QString, pattern);
    QFETCH(const QString, words);
    const auto hosts = expandAnsiblePattern(pattern, 100);
    QVERIFY(!hosts);
    QVERIFY2(hosts.error().detail.contains(words), qPrintable(hosts.error().detail));
}

void TstAnsible::ini_isRead_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QStringList>("lines");
    const auto row = [](const char *name, const char *text, const QStringList &lines) {
        QTest::newRow(name) << QByteArray(text) << lines;
    };
    row("nothing", "# none\n; here\n\n", {});
    row("no group", "gpu1\n", {u"gpu1 gpu1 []"_s});
    row("variables of a host", "[gpu]\ngpu1 ansible_host=10.0.0.5 ansible_port=2222 ansible_user=root\n",
        {u"gpu1 root@10.0.0.5:2222 [gpu]"_s});
    row("old names", "gpu1 ansible_ssh_host=10.0.0.5 ansible_ssh_user=ops\n", {u"gpu1 ops@10.0.0.5 []"_s});
    row("IPv6", "gpu1 ansible_host=2001:db8::5 ansible_port=22\n", {u"gpu1 [2001:db8::5]:22 []"_s});
    row("a port behind the name", "gpu1:2222\n", {u"gpu1 gpu1:2222 []"_s});
    row("a port behind a range", "gpu[1:2]:2222\n", {u"gpu1 gpu1:2222 []"_s, u"gpu2 gpu2:2222 []"_s});
    row("quotes and comments", "gpu1 ansible_user='root' ansible_host=\"10.0.0.5\" # rack 3\n",
        {u"gpu1 root@10.0.0.5 []"_s});
    row("Windows line ends", "[gpu]\r\ngpu1 ansible_user=root\r\n", {u"gpu1 root@gpu1 [gpu]"_s});
    row("group variables",
        "[gpu]\ngpu[01:02]\n[gpu:vars]\nansible_user = root  # always\nansible_port=\"2222\"\n",
        {u"gpu01 root@gpu01:2222 [gpu]"_s, u"gpu02 root@gpu02:2222 [gpu]"_s});
    row("children, and the nearer variable",
        "[a]\ngpu1\n[site:children]\na\n[site:vars]\nansible_user=far\nansible_port=1\n[a:vars]\nansible_user=near\n"
        "[all:vars]\nansible_user=all\nansible_port=9\n",
        {u"gpu1 near@gpu1:1 [site a]"_s});
    row("the host's own wins", "[a:vars]\nansible_user=group\n[a]\ngpu1 ansible_user=own\n", {u"gpu1 own@gpu1 [a]"_s});
    row("several groups", "[b]\ngpu1\n[a]\ngpu1\n", {u"gpu1 gpu1 [a b]"_s});
    row("a circle of groups", "[a:children]\nb\n[b:children]\na\n[b]\ngpu1\n", {u"gpu1 gpu1 [b a]"_s});
    row("own name as a template",
        "gpu1.lan ansible_host='{{ inventory_hostname }}' ansible_user=x_{{inventory_hostname_short}}\n",
        {u"gpu1.lan x_gpu1@gpu1.lan []"_s});
    row("own name in quotes", "gpu1.lan ansible_host='{{ inventory_hostname_short }}.net'\n",
        {u"gpu1.lan gpu1.net []"_s});
    row("other templates", "gpu1 ansible_host='{{ lookup(\"env\", \"X\") }}'\n",
        {u"- gpu1: ansible_host is a template that only Ansible can fill in."_s});
    row("not by SSH",
        "h1 ansible_connection=local\nh2 ansible_connection=docker\nh3 ansible_connection=winrm\nh4 "
        "ansible_connection=ssh\n",
        {u"h4 h4 []"_s, u"- h1: It is not reached by SSH (ansible_connection is local)."_s,
         u"- h2: It is not reached by SSH (ansible_connection is docker)."_s,
         u"- h3: It is not reached by SSH (ansible_connection is winrm)."_s});
    row("a jump host", "gpu1 ansible_ssh_common_args='-o ProxyJump=bastion'\n",
        {u"gpu1 gpu1 []"_s,
         u"  The jump host in ansible_ssh_common_args is not honoured; write it as ProxyJump in the SSH "
          u"configuration."_s});
    row("an extra argument", "gpu1 ansible_ssh_extra_args='-J bastion'\n",
        {u"gpu1 gpu1 []"_s,
         u"  The jump host in ansible_ssh_extra_args is not honoured; write it as ProxyJump in the SSH "
          u"configuration."_s});
    row("a key", "gpu1 ansible_ssh_private_key_file=~/.ssh/x\n",
        {u"gpu1 gpu1 []"_s,
         u"  ansible_ssh_private_key_file is not honoured; write it as IdentityFile in the SSH configuration."_s});
    row("no port", "gpu1 ansible_port=http\n", {u"- gpu1: Its port \"http\" is none."_s});
    row("an option as a host", "gpu1 ansible_host=-oProxyCommand=x\n",
        {u"- gpu1: \"-oProxyCommand=x\" cannot be given to ssh."_s});
    row("an option as a name", "-oProxyCommand=x\n",
        {u"- -oProxyCommand=x: Its name, or how it is reached, cannot stand in hosts.toml."_s});
    row("a slash in a name", "a/b\n", {u"- a/b: Its name, or how it is reached, cannot stand in hosts.toml."_s});
}

void TstAnsible::ini_isRead()
{
    QFETCH(const QByteArray, text);
    QTEST(ini(text.constData()), "lines");
}

void TstAnsible::ini_mistakeHasItsLine_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("words");
    QTest::newRow("no section") << QByteArray("gpu1\n[gpu\n")
                                << u"f:2: expected [group], [group:children] or [group:vars], found [gpu."_s;
    QTest::newRow("unknown kind") << QByteArray("[gpu:hats]\n")
                                  << u"f:1: expected [group], [group:children] or [group:vars], found [gpu:hats]."_s;
    QTest::newRow("no variable") << QByteArray("[g:vars]\n\nuser\n") << u"f:3: expected name=value, found user."_s;
    QTest::newRow("a word behind a host")
        << QByteArray("gpu1 root\n") << u"f:1: expected name=value after the host's name."_s;
    QTest::newRow("an open quote") << QByteArray("gpu1 ansible_user='x\n") << u"f:1: a quote is not closed."_s;
    QTest::newRow("a range too far") << QByteArray("gpu[1:999999]\n")
                                     << u"f:1: the range [1:999999] gives more than 5000 hosts."_s;
}

void TstAnsible::ini_mistakeHasItsLine()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QString, words);
    QCOMPARE(ini(text.constData()), QStringList{words});
}

void TstAnsible::yaml_isRead_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QStringList>("lines");
    const auto row = [](const char *name, const char *text, const QStringList &lines) {
        QTest::newRow(name) << QByteArray(text) << lines;
    };
    row("nothing", "---\n# none\n", {});
    row("hosts, variables, children",
        "all:\n  hosts:\n    lone:\n  vars:\n    ansible_user: root\n  children:\n    gpu:\n      hosts:\n"
        "        gpu[01:02]:\n          ansible_port: 2222\n      vars: {ansible_user: ops}\n",
        {u"lone root@lone []"_s, u"gpu01 ops@gpu01:2222 [gpu]"_s, u"gpu02 ops@gpu02:2222 [gpu]"_s});
    row("groups at the top", "gpu:\n  hosts:\n    a: {ansible_host: 10.0.0.5}\nsite:\n  children:\n    gpu:\n",
        {u"a 10.0.0.5 [site gpu]"_s});
    row("quoted", "g: {hosts: {'gpu1': {ansible_user: \"root\"}}}\n", {u"gpu1 root@gpu1 [g]"_s});
    row("an alias", "x: {vars: &v {ansible_user: root}}\ng:\n  hosts:\n    gpu1: *v\n", {u"gpu1 root@gpu1 [g]"_s});
    row("a merge",
        "g:\n  vars: &v {ansible_user: far, ansible_port: 7}\n  hosts:\n    gpu1:\n      ansible_user: near\n      <<: "
        "*v\n",
        {u"gpu1 near@gpu1:7 [g]"_s});
    row("vault",
        "g:\n  hosts:\n    gpu1:\n      ansible_user: !vault |\n        $ANSIBLE_VAULT;1.1;AES256\n        3330\n    "
        "gpu2:\n",
        {u"gpu2 gpu2 [g]"_s, u"- gpu1: ansible_user is encrypted by ansible-vault."_s});
    row("templates", "g: {hosts: {gpu1: {ansible_host: '{{ ip }}'}, '{{ x }}': }}\n",
        {u"- gpu1: ansible_host is a template that only Ansible can fill in."_s,
         u"- {{ x }}: Its name is a template that only Ansible can fill in."_s});
    row("not by SSH", "g: {vars: {ansible_connection: winrm}, hosts: {w1: }}\n",
        {u"- w1: It is not reached by SSH (ansible_connection is winrm)."_s});
}

void TstAnsible::yaml_isRead()
{
    QFETCH(const QByteArray, text);
    QTEST(yaml(text.constData()), "lines");
}

void TstAnsible::yaml_mistakeIsNamed_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("words");
    QTest::newRow("no YAML") << QByteArray("a: [1\nb: {") << u"f:"_s;
    QTest::newRow("a playbook") << QByteArray("- hosts: all\n") << u"f:1: expected groups by name"_s;
    QTest::newRow("a plugin") << QByteArray("plugin: amazon.aws.aws_ec2\n")
                              << u"configuration of an inventory plugin"_s;
    QTest::newRow("hosts as a list") << QByteArray("g:\n  hosts:\n    - gpu1\n")
                                     << u"f:3: expected the hosts of g by name"_s;
    QTest::newRow("an unknown alias") << QByteArray("g: *nobody\n") << u"f:1: "_s;
}

void TstAnsible::yaml_mistakeIsNamed()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QString, words);
    const auto read = readAnsibleYaml(text, u"f"_s);
    QVERIFY(!read);
    QCOMPARE(read.error().code, ErrorCode::InventoryInvalid);
    QVERIFY2(read.error().detail.contains(words), qPrintable(read.error().detail));
}

void TstAnsible::yaml_bombIsRefused()
{
    QByteArray text = "x:\n  children: &a0 {g0: {vars: {}}}\n";
    for (int i = 1; i < 20; ++i) {
        const QByteArray before = QByteArray::number(i - 1);
        text += "y" + QByteArray::number(i) + ":\n  children: &a" + QByteArray::number(i) + " {p" + before
            + ": {children: *a" + before + "}, q" + before + ": {children: *a" + before + "}}\n";
    }
    QElapsedTimer timer;
    timer.start();
    const auto read = readAnsibleYaml(text, u"f"_s);
    QVERIFY(!read);
    QVERIFY2(read.error().detail.contains(u"more in it than can be read"), qPrintable(read.error().detail));
    QVERIFY(timer.elapsed() < 10'000);
}

void TstAnsible::yaml_deepNestingIsRefused()
{
    const auto read = readAnsibleYaml("g: " + QByteArray(100'000, '['), u"f"_s);
    QVERIFY(!read);
    QByteArray deep = "g0:";
    for (int i = 1; i < 60; ++i)
        deep += " {children: {g" + QByteArray::number(i) + ":";
    deep += QByteArray(59, '}') + QByteArray(59, '}');
    const auto groups = readAnsibleYaml(deep, u"f"_s);
    QVERIFY(!groups);
    QVERIFY2(groups.error().detail.contains(u"more than 32 deep"), qPrintable(groups.error().detail));
}

void TstAnsible::imported_isReadOnly()
{
    const auto read = readAnsibleIni("gpu1\n", u"f"_s);
    const ImportList list = hostsOf(*read, u"hosts"_s);
    QCOMPARE(list.hosts.first().spec.access, Access::ReadOnly);
    QCOMPARE(list.hosts.first().spec.origin, HostOrigin::Imported);
    QCOMPARE(list.hosts.first().spec.sudo, SudoPolicy::Never);
}

void TstAnsible::variables_otherThanAnsiblesAreNotKept()
{
    const auto read = readAnsibleIni("gpu1 api_key=s3cret ansible_user=root\n", u"f"_s);
    QCOMPARE(read->varsOf(u"gpu1"_s).keys(), QStringList{u"ansible_user"_s});
}

PILOTHOUSE_TEST_MAIN(TstAnsible)
#include "tst_ansible.moc"
