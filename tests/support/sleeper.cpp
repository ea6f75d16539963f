// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// A process that looks like another one: any arguments, any name, open files and mappings. Says
// "ready" on standard output and ends when standard input does (or after ten minutes).
//   sleeper [argument=HEX]... [comm=HEX] [copies=N] [open=PATH]... [map=PATH]... [listen=PORT]
//   [listen-anywhere=PORT] [connect=ADDRESS:PORT] [lock=KIB] [children=N]
//           [zombie-leader] [uid=N] [disk-sleep]
// PATH: or hex:HEX. open: descriptors kept; copies: how often each of those that follow; children:
// forks that do the same; zombie-leader: the main thread ends, a second one lives on; uid: becomes that user;
// disk-sleep: is in D, as the parent of a vfork is while its child lives.

#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace {

std::string fromHex(const std::string &hex)
{
    std::string text;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        text.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return text;
}

void listenOn(int port, std::uint32_t where)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(where);
    const int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0 || listen(fd, 1) != 0)
        std::exit(3);
}

void connectTo(const std::string &where)
{
    const std::size_t colon = where.find(':');
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(where.substr(colon + 1))));
    inet_pton(AF_INET, where.substr(0, colon).c_str(), &address.sin_addr);
    if (connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0)
        std::exit(5);
}

void waitForEnd()
{
    pollfd input{STDIN_FILENO, POLLIN, 0};
    char byte = 0;
    while (poll(&input, 1, 600'000) > 0 && read(STDIN_FILENO, &byte, 1) > 0)
        continue;
    _exit(0);
}

[[noreturn]] void sleepInDisk()
{
    if (vfork() == 0)
        waitForEnd();
    _exit(0);
}

void *liveOn(void *)
{
    waitForEnd();
    return nullptr;
}

int become(const std::vector<std::string> &words)
{
    int copies = 1;
    int children = 0;
    bool zombie = false;
    bool diskSleep = false;
    for (const std::string &word : words) {
        const std::string key = word.substr(0, word.find('='));
        const std::string value =
            word.size() > key.size() ? word.substr(key.size() + 1) : std::string();
        if (key == "comm") {
            prctl(PR_SET_NAME, fromHex(value).c_str());
        } else if (key == "copies") {
            copies = std::stoi(value);
        } else if (key == "children") {
            children = std::stoi(value);
        } else if (key == "zombie-leader") {
            zombie = true;
        } else if (key == "disk-sleep") {
            diskSleep = true;
        } else if (key == "uid") {
            if (setgid(gid_t(std::stoi(value))) != 0 || setuid(uid_t(std::stoi(value))) != 0)
                return 4;
        } else if (key == "listen") {
            listenOn(std::stoi(value), INADDR_LOOPBACK);
        } else if (key == "listen-anywhere") {
            listenOn(std::stoi(value), INADDR_ANY);
        } else if (key == "lock") {
            const std::size_t size = std::stoul(value) * 1024;
            void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (memory == MAP_FAILED || syscall(SYS_mlock, memory, size) != 0) // the sanitizers' mlock() locks nothing
                return 6;
        } else if (key == "connect") {
            connectTo(value);
        } else if (key == "open" || key == "map") {
            const int fd =
                open(value.rfind("hex:", 0) == 0 ? fromHex(value.substr(4)).c_str() : value.c_str(),
                     O_RDONLY);
            if (fd < 0)
                return 2;
            if (key == "map") {
                if (mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
                    return 2;
                close(fd);
            }
            for (int i = 1; key == "open" && i < copies; ++i) {
                if (dup(fd) < 0)
                    return 2;
            }
        }
    }
    for (int i = 0; i < children; ++i) {
        if (fork() == 0)
            waitForEnd();
    }
    std::puts("ready");
    std::fflush(stdout);
    if (diskSleep)
        sleepInDisk();
    if (zombie) {
        pthread_t thread{};
        pthread_create(&thread, nullptr, liveOn, nullptr);
        pthread_exit(nullptr);
    }
    waitForEnd();
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    if (const char *given = std::getenv("PILOTHOUSE_SLEEPER")) {
        std::vector<std::string> words;
        std::string rest = given;
        unsetenv("PILOTHOUSE_SLEEPER");
        for (std::size_t end = 0; (end = rest.find('\n')) != std::string::npos;
             rest.erase(0, end + 1))
            words.push_back(rest.substr(0, end));
        return become(words);
    }
    std::vector<std::string> arguments;
    std::string settings;
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], "argument=", 9) == 0)
            arguments.push_back(fromHex(argv[i] + 9));
        else
            settings += std::string(argv[i]) + '\n';
    }
    if (arguments.empty())
        arguments.emplace_back("sleeper");
    std::vector<char *> words;
    for (std::string &argument : arguments)
        words.push_back(argument.data());
    words.push_back(nullptr);
    setenv("PILOTHOUSE_SLEEPER", settings.c_str(), 1);
    execv("/proc/self/exe", words.data());
    return 1;
}
