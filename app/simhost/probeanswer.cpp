// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "probeanswer.h"

#include <QByteArray>

#include <algorithm>
#include <cstdio>

namespace pilothouse {
namespace {

constexpr std::size_t lineLimit = 1u << 20;

std::string seconds(double uptime)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", uptime);
    return text;
}

/// As base64 prints it: lines of 76.
std::string encoded(const std::string &bytes)
{
    const QByteArray flat = QByteArray::fromStdString(bytes).toBase64();
    std::string text;
    for (qsizetype at = 0; at < flat.size(); at += 76)
        text += flat.mid(at, 76).toStdString() + '\n';
    return text;
}

std::vector<std::string> wordsOf(const std::string &text, char separator)
{
    std::vector<std::string> words;
    std::size_t at = 0;
    while (at <= text.size()) {
        const std::size_t end = std::min(text.find(separator, at), text.size());
        if (end > at)
            words.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

/// The first word behind "STAGE" that is nothing but hexadecimal digits.
std::string stageNonce(const std::string &line)
{
    for (std::string word : wordsOf(line.substr(line.find("STAGE")), ' ')) {
        while (!word.empty() && (word.back() == ';' || word.back() == '\''))
            word.pop_back();
        if (word.size() >= 8 && word.find_first_not_of("0123456789abcdef") == std::string::npos)
            return word;
    }
    return {};
}

} // namespace

ProbeShell::ProbeShell(std::shared_ptr<const MemoryHost> host)
    : m_host(std::move(host))
{
}

std::string ProbeShell::feed(std::string_view input)
{
    m_output.clear();
    for (const char c : input) {
        if (c != '\n' && m_line.size() < lineLimit)
            m_line += c;
        else if (c == '\n')
            takeLine(std::exchange(m_line, {}));
    }
    return std::exchange(m_output, {});
}

void ProbeShell::takeLine(const std::string &line)
{
    if (m_exit)
        return;
    if (!m_ready && line.find("STAGE") != std::string::npos && line.find("pilothouse-probe") != std::string::npos) {
        m_role = line.find(" driver", line.find("pilothouse-probe")) != std::string::npos ? "driver" : "kernel";
        m_output += "@PH STAGE " + stageNonce(line) + '\n';
    } else if (!m_ready && line.starts_with("N=")) {
        m_nonce = line.substr(2);
    } else if (!m_ready && line.starts_with("PROPS=") && m_properties.empty()) {
        m_properties = wordsOf(line.substr(6), ',');
    } else if (!m_ready && line == "serve") {
        m_ready = true;
        answerReady();
    } else if (m_ready && line.starts_with("ask ")) {
        answer(parse(line));
    } else if (m_ready && line == "quit") {
        m_exit = 0;
    }
}

void ProbeShell::begin(const std::string &nonce, const std::string &tick)
{
    m_nonce = nonce;
    m_sections = 0;
    m_output += "\n@PH " + nonce + " BEGIN " + tick + ' ' + m_role + ' ' + seconds(uptimeNow()) + '\n';
}

void ProbeShell::section(const std::string &name, const std::string &output, int status)
{
    ++m_sections;
    const std::string now = seconds(uptimeNow());
    m_output += "@PH " + m_nonce + " SECTION " + name + ' ' + std::to_string(status) + ' ' + now + ' ' + now + ' '
        + std::to_string(output.size()) + " 0\n" + output + '\n';
}

void ProbeShell::end(const std::string &tick)
{
    m_output += "@PH " + m_nonce + " END " + tick + ' ' + std::to_string(m_sections) + ' ' + seconds(uptimeNow())
        + '\n';
}

void ProbeShell::answerReady()
{
    begin(m_nonce, "0");
    section("facts",
            "protocol=1\npid=777\nboot=" + m_host->bootId()
                + "\nkernel=6.1.0-37-amd64\nuid=0\nhz=100\npage_kib=4\ncontainer=0\nhidepid=0\nsees_all=1\nenc=b64\n"
                  "grep=strip\nfind=gnu\nswept=0\nsystemctl=1");
    section("pci", m_host->pciLines());
    end("0");
}

ProbeShell::Request ProbeShell::parse(const std::string &line)
{
    Request request;
    for (const std::string &word : wordsOf(line.substr(4), ' ')) {
        const std::string value = word.size() > 2 ? word.substr(2) : "";
        switch (word.front()) {
        case 'n': request.nonce = value; break;
        case 't': request.tick = value; break;
        case 'd': request.deep = value == "deep"; break;
        case 's': request.who = value; break;
        case 'u': request.units.push_back(value); break;
        case 'f': request.gpuFields.push_back(value); break;
        case 'a': request.appFields.push_back(value); break;
        case 'k': request.described = ',' + value + ','; break;
        default: break;
        }
    }
    return request;
}

void ProbeShell::answer(const Request &request)
{
    begin(request.nonce, request.tick);
    const std::string who = request.who.empty() ? m_role : request.who;
    const bool kernel = who.find("kernel") != std::string::npos;
    const bool driver = who.find("driver") != std::string::npos;
    if (kernel)
        answerKernel(request);
    if (kernel && driver)
        section("kernel-done", "");
    if (driver)
        answerDriver(request);
    end(request.tick);
}

void ProbeShell::answerKernel(const Request &request)
{
    std::string host = "meminfo:MemTotal:       2113407468 kB\nmeminfo:MemFree:        1203407468 kB\n"
                       "meminfo:MemAvailable:   1903407468 kB\nmeminfo:Buffers:           81228 kB\n"
                       "meminfo:Cached:         52340744 kB\nmeminfo:Shmem:           1123344 kB\n"
                       "meminfo:SwapTotal:             0 kB\nmeminfo:SwapFree:              0 kB\n"
                       "vmstat:oom_kill 0\nloadavg:3.12 2.80 2.71 4/4211 88123\n";
    std::string matched;
    std::string files;
    std::string uids;
    for (const MemoryProcess &process : m_host->processes()) {
        if (process.pid >= 10'000)
            break; // the crowd, which no rule knows
        const std::string pid = std::to_string(process.pid);
        matched += ' ' + pid;
        files += m_host->processLines(process, false);
        uids += pid + "/status:Uid:\t0\t0\t0\t0\n";
    }
    section("host", host + uids);
    section("match", "limit=0\n" + matched);
    if (!request.units.empty()) {
        const std::string units = m_host->unitLines(request.units, m_properties);
        section("units", units);
        if (const std::string members = m_host->unitMembers();
            !members.empty() && units.find("ControlGroup=/") != std::string::npos)
            section("members", members);
    }
    if (request.deep)
        answerDeep();
    if (!files.empty())
        section("procs", encoded(files));
    if (!uids.empty())
        section("procs-uids", uids);
    if (!std::exchange(m_usersTold, true))
        section("users", "root:x:0:0:root:/root:/bin/bash\n");
}

void ProbeShell::answerDeep()
{
    section("pci", m_host->pciLines());
    const char *port = "   0: 0100007F:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
                       "98765 1 0000000000000000 100 0 0 10 0\n";
    section("tcp", m_host->listens() ? port : "");
    std::string links;
    if (m_host->listens())
        links = std::to_string(MemoryHost::serverPid) + "/fd/12 socket:[98765]\n";
    for (const MemoryProcess &process : m_host->processes()) {
        const std::string pid = std::to_string(process.pid);
        if (process.gpu >= 0) {
            links += pid + "/fd/20 /dev/nvidiactl\n" + pid + "/fd/21 /dev/nvidia-uvm\n" + pid + "/fd/22 /dev/nvidia"
                + std::to_string(process.gpu) + '\n';
        }
    }
    section("fds", links);
    section("shm", m_host->holds() ? "26 71 65536 0 /dev/shm/psm_4003a1b2\n" : "");
    std::string maps;
    for (const MemoryProcess &process : m_host->processes()) {
        if (process.gpu >= 0)
            maps += std::to_string(process.pid) + "/maps:7f1000000000-7f1000010000 rw-s 00000000 00:1a 71\n";
    }
    section("maps", maps);
    section("kernel", "");
    section("blind", "");
}

void ProbeShell::answerDriver(const Request &request)
{
    section("gpus", m_host->gpuRows(request.gpuFields));
    section("apps", m_host->appRows(request.appFields));
    std::string files;
    std::string uids;
    for (const MemoryProcess &process : m_host->processes()) {
        if (process.gpu < 0)
            continue;
        const std::string pid = std::to_string(process.pid);
        const bool brief = request.described.find(',' + pid + ',') != std::string::npos;
        files += m_host->processLines(process, brief);
        if (!brief)
            uids += pid + "/status:Uid:\t0\t0\t0\t0\n";
    }
    if (!files.empty())
        section("gpuprocs", encoded(files));
    if (!uids.empty())
        section("gpuprocs-uids", uids);
    std::string fields;
    for (const std::string &field : request.gpuFields)
        fields += (fields.empty() ? "" : ",") + field;
    section("smi", "status=ok\nstuck=\nfields=" + fields + "\npath=/usr/bin/nvidia-smi");
}

} // namespace pilothouse
