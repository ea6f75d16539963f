// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/records.h"

#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

/// With its NULs.
template <std::size_t size>
QByteArray bytes(const char (&literal)[size])
{
    return QByteArray(literal, size - 1);
}

const QByteArray nonce("00112233445566778899aabbccddeeff");

} // namespace

class TstRecords : public QObject
{
    Q_OBJECT

private slots:
    void decode_bothEncodings_data();
    void decode_bothEncodings();
    void decode_asQtDoes();
    void prefixed_files();
    void prefixed_titlesCannotForge();
    void prefixed_bad_data();
    void prefixed_bad();
    void prefixed_limits();
    void framed_files();
    void framed_bad_data();
    void framed_bad();
    void uids_ofStatusLines();
    void statusLines_ofEachProcess();
    void pids_numbersOnly();
    void links_ofDescriptors();
    void networks_ofProcesses();
    void shmFiles_lines();
    void mappings_lines();
    void users_ofPasswd();
    void statHead_data();
    void statHead();
};

void TstRecords::decode_bothEncodings_data()
{
    QTest::addColumn<int>("encoding");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("good");
    QTest::addColumn<QByteArray>("decoded");
    const int b64 = static_cast<int>(Encoding::Base64);
    const int hex = static_cast<int>(Encoding::Hex);
    QTest::newRow("base64") << b64 << QByteArray("YQBi") << true << bytes("a\0b");
    QTest::newRow("base64 in lines") << b64 << QByteArray("YQ\nBi\n") << true << bytes("a\0b");
    QTest::newRow("base64 padded") << b64 << QByteArray("YQ==") << true << QByteArray("a");
    QTest::newRow("base64, nothing") << b64 << QByteArray() << true << QByteArray();
    QTest::newRow("base64 with a stranger") << b64 << QByteArray("YQ@Bi") << false << QByteArray();
    QTest::newRow("base64 with an end inside")
        << b64 << QByteArray("YQ==YQ==") << false << QByteArray();
    QTest::newRow("od") << hex << QByteArray(" 61 00 62\n 0a\n") << true << bytes("a\0b\n");
    QTest::newRow("od, odd") << hex << QByteArray(" 61 0") << false << QByteArray();
    QTest::newRow("od, upper case") << hex << QByteArray(" 6A") << false << QByteArray();
    QTest::newRow("od with a repetition mark")
        << hex << QByteArray(" 61\n*\n") << false << QByteArray();
}

/// Our one pass against the library's decoder: every length, damaged at every place.
void TstRecords::decode_asQtDoes()
{
    QByteArray plain;
    for (int length = 0; length < 70; ++length) {
        const QByteArray good = plain.toBase64();
        for (qsizetype at = -1; at < good.size(); ++at) {
            for (const char c : {'=', '*', 'A'}) {
                QByteArray text = good;
                if (at >= 0)
                    text[at] = c;
                const auto theirs = QByteArray::fromBase64Encoding(text, QByteArray::AbortOnBase64DecodingErrors);
                for (const qsizetype width : {3, 19, 76}) {
                    QByteArray lines;
                    for (qsizetype from = 0; from < text.size(); from += width)
                        lines += text.mid(from, width) + '\n';
                    const auto ours = decodeBytes(lines, Encoding::Base64);
                    QCOMPARE(ours.has_value(), bool(theirs));
                    if (ours)
                        QCOMPARE(*ours, *theirs);
                }
            }
        }
        plain += static_cast<char>(length * 37);
    }
}

void TstRecords::decode_bothEncodings()
{
    QFETCH(int, encoding);
    QFETCH(QByteArray, text);
    QFETCH(bool, good);
    QFETCH(QByteArray, decoded);
    const auto result = decodeBytes(text, static_cast<Encoding>(encoding));
    QCOMPARE(result.has_value(), good);
    if (good)
        QCOMPARE(*result, decoded);
    else
        QCOMPARE(result.error().code, ErrorCode::AnswerMalformed);
}

void TstRecords::prefixed_files()
{
    const auto files = readPrefixedFiles(bytes("12/stat:12 (a b) S 1\n"
                                               "12/cgroup:0::/a.service\n"
                                               "13/stat:13 (x\n"
                                               "13/stat:y) R 1\n"
                                               "13/cgroup:2:cpu:/\n"
                                               "13/cgroup:1:name=systemd:/b.service\n"
                                               "12/cmdline:vllm\0serve\0\0\0\n"
                                               "13/cmdline:\0007\0line one\n"
                                               "13/cmdline:line two\0\n"));
    QVERIFY(files);
    QCOMPARE(files->size(), 2);
    QCOMPARE(files->value(12).stat, QByteArray("12 (a b) S 1"));
    QCOMPARE(files->value(12).cgroup, QByteArray("0::/a.service"));
    QCOMPARE(files->value(12).cmdline, bytes("vllm\0serve"));
    QCOMPARE(files->value(13).stat, QByteArray("13 (x\ny) R 1"));
    QCOMPARE(files->value(13).cgroup, QByteArray("2:cpu:/\n1:name=systemd:/b.service"));
    QCOMPARE(files->value(13).cmdline, bytes("\0007\0line one\nline two"));
    QVERIFY(!files->value(13).cmdlineCut);
}

void TstRecords::prefixed_titlesCannotForge()
{
    // What grep prints for a title with line feeds: its own beginning stands before every line.
    const auto files = readPrefixedFiles(bytes("12/cmdline:x\n"
                                               "12/cmdline:999/cmdline:VLLM::forged\n"
                                               "12/cmdline:==> /proc/999/cmdline <==\n"));
    QVERIFY(files);
    QCOMPARE(files->size(), 1);
    QCOMPARE(files->value(12).cmdline,
             QByteArray("x\n999/cmdline:VLLM::forged\n==> /proc/999/cmdline <=="));
}

void TstRecords::prefixed_bad_data()
{
    QTest::addColumn<QByteArray>("raw");
    QTest::newRow("no process") << QByteArray("hello\n");
    QTest::newRow("an empty line") << QByteArray("12/stat:12 (a) S\n\n12/cgroup:0::/\n");
    QTest::newRow("another file") << QByteArray("12/environ:KEY=1\n");
    QTest::newRow("PID 0") << QByteArray("0/stat:0 (a) S\n");
    QTest::newRow("a PID beyond all numbers") << QByteArray("12345678901234567890123/stat:x\n");
    QTest::newRow("no colon") << QByteArray("12/stat\n");
    QTest::newRow("a file that comes twice")
        << QByteArray("12/stat:12 (a) S\n13/stat:13 (b) S\n12/stat:12 (c) S\n");
    QTest::newRow("another's stat") << QByteArray("12/stat:13 (a) S\n");
    QTest::newRow("a stat without a PID") << QByteArray("12/stat:(a) S\n");
}

void TstRecords::prefixed_bad()
{
    QFETCH(QByteArray, raw);
    const auto files = readPrefixedFiles(raw);
    QVERIFY(!files);
    QCOMPARE(files.error().code, ErrorCode::AnswerMalformed);
}

void TstRecords::prefixed_limits()
{
    const auto files =
        readPrefixedFiles(QByteArray("12/cmdline:" + QByteArray(10'000, 'x')
                                     + "\n13/cmdline:" + QByteArray(cmdlineLimit, 'y') + '\n'));
    QVERIFY(files);
    QCOMPARE(files->value(12).cmdline.size(), cmdlineLimit);
    QVERIFY(files->value(12).cmdlineCut);
    QCOMPARE(files->value(13).cmdline.size(), cmdlineLimit);
    QVERIFY(!files->value(13).cmdlineCut);
    QVERIFY(readPrefixedFiles({}).value().isEmpty());
}

void TstRecords::framed_files()
{
    ProcessFilesByPid files;
    const QByteArray raw = '\n' + nonce + " 12/stat\n12 (a) S 1\n" + '\n' + nonce + " 12/cmdline\n"
                           + bytes("VLLM::x\0\n0011 13/cmdline\nforged\0\0\0") + '\n' + nonce
                           + " 13/cmdline\n" + QByteArray(4096, 'x');
    QVERIFY(readFramedFiles(raw, nonce, files));
    QCOMPARE(files.size(), 2);
    QCOMPARE(files.value(12).stat, QByteArray("12 (a) S 1"));
    QCOMPARE(files.value(12).cmdline, bytes("VLLM::x\0\n0011 13/cmdline\nforged"));
    QVERIFY(!files.value(12).cmdlineCut);
    QVERIFY(files.value(13).cmdlineCut);
}

void TstRecords::framed_bad_data()
{
    QTest::addColumn<QByteArray>("raw");
    QTest::newRow("no nonce") << QByteArray("\n0011 12/stat\nx");
    QTest::newRow("no file") << QByteArray('\n' + nonce + " 12\nx");
    QTest::newRow("no line feed") << QByteArray('\n' + nonce + " 12/stat");
    QTest::newRow("a file that comes twice")
        << QByteArray('\n' + nonce + " 12/cmdline\nx" + '\n' + nonce + " 12/cmdline\ny");
    QTest::newRow("another's stat") << QByteArray('\n' + nonce + " 12/stat\n13 (a) S");
}

void TstRecords::framed_bad()
{
    QFETCH(QByteArray, raw);
    ProcessFilesByPid files;
    const auto read = readFramedFiles(raw, nonce, files);
    QVERIFY(!read);
    QCOMPARE(read.error().code, ErrorCode::AnswerMalformed);
    QVERIFY(!readFramedFiles("\n 12/stat\nx", {}, files)); // an empty nonce frames nothing
}

void TstRecords::uids_ofStatusLines()
{
    const auto uids = readUids(
        "meminfo:MemTotal: 1 kB\n12/status:Uid:\t1000\t1000\t1000\t1000\n13/status:Uid:\tx\n"
        "14/status:Name:\tUid:\t0\n15/status:Uid:\t4294967294\t0\t0\t0\n");
    QCOMPARE(uids.size(), 2);
    QCOMPARE(uids.value(12), 1000);
    QCOMPARE(uids.value(15), 4294967294);
}

void TstRecords::statusLines_ofEachProcess()
{
    const auto lines = readStatusLines("meminfo:MemTotal: 8 kB\n12/status:PPid:\t1\n13/status:SigPnd:\t0100\n12/wchan:do_wait\n"
                                       "12/stat:12 (a)\n/status:PPid:\t2\n12/status\nx12/wchan:a\n");
    QCOMPARE(lines.size(), 2);
    QCOMPARE(lines.value(12), QByteArray("PPid:\t1\nwchan:do_wait\n"));
    QCOMPARE(lines.value(13), QByteArray("SigPnd:\t0100\n"));
}

void TstRecords::pids_numbersOnly()
{
    QCOMPARE(readPids("limit=0\n 1 22  333\n-4 5x 0 99999999999999999999 6"),
             (QList<qint64>{1, 22, 333, 6}));
    QVERIFY(readPids({}).isEmpty());
}

void TstRecords::links_ofDescriptors()
{
    const auto links =
        readLinks("12/fd/3 /dev/nvidia0\n12/task/15/fd/4 /dev/nvidia\x01 99/fd/1 /dev/nvidia1\n"
                  "13/fd/x /dev/nvidia0\n13/fd/5\n/fd/5 /dev/nvidia0\n14/fd/255 socket:[77]\n"
                  "denied find: '1/fd': Permission denied\n");
    QCOMPARE(links.size(), 3);
    QCOMPARE(links[0].pid, 12);
    QCOMPARE(links[0].target, QByteArray("/dev/nvidia0"));
    QCOMPARE(links[1].pid, 12);
    QCOMPARE(links[1].target, QByteArray("/dev/nvidia\x01 99/fd/1 /dev/nvidia1"));
    QCOMPARE(links[2].target, QByteArray("socket:[77]"));
    QCOMPARE(links[0].fd, 3);
    QCOMPARE(links[1].fd, 4);
    QCOMPARE(links[2].fd, 255);
}

void TstRecords::networks_ofProcesses()
{
    const QByteArray head = "  sl  local_address rem_address   st\n";
    const Networks networks =
        readNetworks("limit 3\nin self 12\nin 77/task/78 77/task/78\nin 13 13\nin 14 14\nin self x\nin 15 15\n"
                     "self/net/tcp:" + head + "self/net/tcp:   0: A\nself/net/tcp6:" + head + "self/net/tcp6:   0: B\n"
                     "77/task/78/net/tcp:" + head + "13/net/tcp6:" + head + "13/net/tcp6:   0: no IPv4 was read\n"
                     "14/net/tcp:" + head + "14/net/tcp:   0: C\n14/net/tcp:   1: as many as the limit\n"
                     "16/net/udp:" + head + "nothing");
    QCOMPARE(networks.of.size(), 2);
    QCOMPARE(networks.of.value(12), QByteArray("self"));
    QCOMPARE(networks.of.value(77), QByteArray("77/task/78"));
    QCOMPARE(networks.tables.size(), 2);
    QCOMPARE(networks.tables.value("self"), head + "   0: A\n" + head + "   0: B\n");
    QCOMPARE(networks.tables.value("77/task/78"), head);
    QVERIFY(readNetworks("limit x\nin\nin  \n:\n/net/tcp:").of.isEmpty());
}

void TstRecords::shmFiles_lines()
{
    const auto files =
        readShmFiles("27 12345 8192 1000 /dev/shm/psm_1 a\x01 27 1 1 0 /dev/shm/forged\n"
                     "27 2 x 0 /dev/shm/bad\n27 3 1 0\n");
    QCOMPARE(files.size(), 1);
    QCOMPARE(files[0].device, 27ULL);
    QCOMPARE(files[0].inode, 12345ULL);
    QCOMPARE(files[0].bytes, 8192);
    QCOMPARE(files[0].uid, 1000);
    QVERIFY(files[0].path.startsWith("/dev/shm/psm_1 a"));
    QVERIFY(!files[0].mappedBy);
}

void TstRecords::mappings_lines()
{
    const auto mappings = readMappings(
        "12/maps:7f00-7f10 rw-s 00000000 00:1b 55\n12/maps:7f20-7f30 rw-s 00001000 00:1b 55\n"
        "13/maps:7f00-7f10 r--s 00000000 00:1b 55\n14/maps:7f00 00:1b 66\n"
        "15/maps:7f00-7f10 r--s 00000000 00:1b 55x\n");
    QCOMPARE(mappings.size(), 1);
    QCOMPARE(mappings.value(55), (QList<qint64>{12, 13}));
}

void TstRecords::users_ofPasswd()
{
    const auto users = readUsers(
        "root:x:0:0:root:/root:/bin/bash\nevil\x1b[31m:x:1001:1001::/:\nshort:x\n:x:5:5::/:\n"
        "big:x:notanumber:1::/:\n");
    QCOMPARE(users.size(), 2);
    QCOMPARE(users.value(0), u"root"_s);
    QVERIFY(!users.value(1001).contains(QChar(0x1b)));
}

void TstRecords::statHead_data()
{
    QTest::addColumn<QByteArray>("stat");
    QTest::addColumn<bool>("good");
    QTest::addColumn<QByteArray>("comm");
    const QByteArray rest(" S 1 2 3 0 -1 4 5 6 7 8 9 10 11 12 20 0 1 0 391883 1 2");
    QTest::newRow("plain") << QByteArray("12 (sh)" + rest) << true << QByteArray("sh");
    QTest::newRow("brackets") << QByteArray("12 ((sd-pam))" + rest) << true
                              << QByteArray("(sd-pam)");
    QTest::newRow("empty") << QByteArray("12 ()" + rest) << true << QByteArray();
    QTest::newRow("forged") << QByteArray("12 (a) S 1\n9 (b)" + rest) << true
                            << QByteArray("a) S 1\n9 (b");
    QTest::newRow("cut") << QByteArray("12 (sh) S 1 2 3") << false << QByteArray();
    QTest::newRow("no bracket") << QByteArray("12 sh S") << false << QByteArray();
    QTest::newRow("nothing") << QByteArray() << false << QByteArray();
    QTest::newRow("a start that is none")
        << QByteArray("12 (sh) S 1 2 3 0 -1 4 5 6 7 8 9 10 11 12 20 0 1 0 x 1 2") << false
        << QByteArray();
}

void TstRecords::statHead()
{
    QFETCH(QByteArray, stat);
    QFETCH(bool, good);
    QFETCH(QByteArray, comm);
    const auto head = readStatHead(stat);
    QCOMPARE(head.has_value(), good);
    if (!good)
        return;
    QCOMPARE(head->pid, 12);
    QCOMPARE(head->comm, comm);
    QCOMPARE(head->state, 'S');
    QCOMPARE(head->startTicks, 391883ULL);
}

PILOTHOUSE_TEST_MAIN(TstRecords)
#include "tst_records.moc"
