// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hostfiles.h"

#include "smimodel.h"

#include <dirent.h>
#include <sys/stat.h>

namespace pilothouse::sim {

HostFiles HostFiles::read(const std::string &directory, const std::string &name)
{
    HostFiles files;
    files.name = name;
    files.config = Config::parse(readFile(directory + "/host.conf"));
    files.gpus = readFile(directory + "/gpus.conf");
    files.boot = readFile(directory + "/boot");
    files.kernelLog = readFile(directory + "/kernel.log");
    const std::string units = directory + "/units";
    if (DIR *listing = opendir(units.c_str())) {
        while (const dirent *entry = readdir(listing)) {
            const std::string unit = entry->d_name;
            if (unit.ends_with(".service"))
                files.units[unit] = readFile(units + '/' + unit);
        }
        closedir(listing);
    }
    return files;
}

std::vector<HostUser> usersOf(const HostFiles &files)
{
    const std::string shell = files.config.value("login_shell", "/bin/sh");
    std::vector<HostUser> users = {{"root", 0, "/root", shell}};
    for (const std::string &line : files.config.values("user")) {
        const auto words = splitAt(line, ' ');
        if (words.size() == 2 && !files.rootOnly) {
            users.push_back({words[0], static_cast<unsigned>(numberOf(words[1], 1000)),
                             "/home/" + words[0], shell});
        }
    }
    return users;
}

void writePciDevices(const Config &gpus, const std::string &devices)
{
    for (const Card &card : machineNow(gpus).cards) {
        const std::string device = devices + '/' + shortBusId(card);
        mkdir(device.c_str(), 0755);
        writeFile(device + "/vendor", "0x10de\n");
        writeFile(device + "/device", "0x2330\n");
        writeFile(device + "/class", "0x030200\n");
    }
}

} // namespace pilothouse::sim
