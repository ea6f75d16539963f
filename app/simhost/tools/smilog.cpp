// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "smilog.h"

#include <cstdio>
#include <ctime>

namespace pilothouse::sim {
namespace {

/// -q prints the same words as the CSV, but bare.
std::string bare(std::string cell)
{
    if (cell.size() > 2 && cell.front() == '[' && cell.back() == ']')
        return cell.substr(1, cell.size() - 2);
    return cell;
}

std::string dateLine()
{
    const std::time_t now = std::time(nullptr);
    tm parts = {};
    localtime_r(&now, &parts);
    char text[64];
    std::strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &parts);
    return text;
}

void line(int indent, const char *key, const std::string &value)
{
    std::printf("%*s%-*s : %s\n", indent, "", 54 - indent, key, value.c_str());
}

void heading(int indent, const char *key) { std::printf("%*s%s\n", indent, "", key); }

class Reader
{
public:
    Reader(const Machine &machine, const Card &card)
        : m_machine(machine)
        , m_card(card)
    {
    }
    [[nodiscard]] std::string text(const char *field, const char *unit = "") const
    {
        const std::string cell = cellOf(m_machine, m_card, field);
        const std::string word = bare(cell);
        return word != cell || word == "N/A" || !*unit ? word : word + ' ' + unit;
    }

private:
    const Machine &m_machine;
    const Card &m_card;
};

void printMigDevice(const MigDevice &device, int index)
{
    heading(4, "MIG Device");
    line(8, "Index", std::to_string(index));
    line(8, "GPU Instance ID", std::to_string(device.instance));
    line(8, "Compute Instance ID", std::to_string(device.computeInstance));
    heading(8, "Device Attributes");
    heading(12, "Shared");
    line(16, "Multiprocessor count", device.profile.starts_with("1g") ? "16" : "32");
    heading(8, "ECC Errors");
    heading(12, "Volatile");
    line(16, "SRAM Uncorrectable", "0");
    heading(8, "Shared FB Memory Usage");
    line(12, "Total", std::to_string(device.totalMib) + " MiB");
    line(12, "Reserved", "0 MiB");
    line(12, "Used", std::to_string(device.usedMib) + " MiB");
    line(12, "Free", std::to_string(device.totalMib - device.usedMib) + " MiB");
}

void printProcesses(const Card &card)
{
    if (card.apps.empty()) {
        line(4, "Processes", "None");
        return;
    }
    heading(4, "Processes");
    for (const App &app : card.apps) {
        const std::string instance = app.migInstance < 0 ? "N/A" : std::to_string(app.migInstance);
        std::printf("        %-33s : %s\n", "GPU instance ID", instance.c_str());
        std::printf("        %-33s : %s\n", "Compute instance ID",
                    app.migInstance < 0 ? "N/A" : "0");
        std::printf("        %-33s : %d\n", "Process ID", app.pid);
        std::printf("            %-29s : %s\n", "Type", "C");
        std::printf("            %-29s : %s\n", "Name", app.name.c_str());
        std::printf("            %-29s : %ld MiB\n", "Used GPU Memory", app.mib);
    }
}

void printMemory(const Reader &reader)
{
    heading(4, "FB Memory Usage");
    line(8, "Total", reader.text("memory.total", "MiB"));
    line(8, "Reserved", reader.text("memory.reserved", "MiB"));
    line(8, "Used", reader.text("memory.used", "MiB"));
    line(8, "Free", reader.text("memory.free", "MiB"));
}

void printSensors(const Reader &reader)
{
    line(4, "Compute Mode", reader.text("compute_mode"));
    heading(4, "Utilization");
    line(8, "GPU", reader.text("utilization.gpu", "%"));
    line(8, "Memory", reader.text("utilization.memory", "%"));
    heading(4, "ECC Mode");
    line(8, "Current", reader.text("ecc.mode.current"));
    line(8, "Pending", reader.text("ecc.mode.pending"));
    heading(4, "Temperature");
    line(8, "GPU Current Temp", reader.text("temperature.gpu", "C"));
    line(8, "GPU T.Limit Temp", reader.text("temperature.gpu.tlimit", "C"));
    heading(4, "GPU Power Readings");
    line(8, "Average Power Draw", reader.text("power.draw.average", "W"));
    line(8, "Instantaneous Power Draw", reader.text("power.draw.instant", "W"));
    line(8, "Current Power Limit", reader.text("enforced.power.limit", "W"));
    heading(4, "Clocks");
    line(8, "Graphics", reader.text("clocks.current.graphics", "MHz"));
    line(8, "SM", reader.text("clocks.current.sm", "MHz"));
    line(8, "Memory", reader.text("clocks.current.memory", "MHz"));
}

void printCard(const Machine &machine, const Card &card)
{
    const Reader reader(machine, card);
    std::printf("GPU %s\n", card.busId.c_str());
    line(4, "Product Name", card.name);
    line(4, "Product Brand", "NVIDIA");
    line(4, "Persistence Mode", reader.text("persistence_mode"));
    heading(4, "MIG Mode");
    line(8, "Current", reader.text("mig.mode.current"));
    line(8, "Pending", reader.text("mig.mode.pending"));
    for (std::size_t i = 0; i < card.migDevices.size(); ++i)
        printMigDevice(card.migDevices[i], int(i));
    line(4, "Serial Number", card.serial);
    line(4, "GPU UUID", card.uuid);
    line(4, "Minor Number", std::to_string(card.minor));
    line(4, "GPU Recovery Action", reader.text("gpu_recovery_action"));
    heading(4, "PCI");
    line(8, "Bus", reader.text("pci.bus"));
    line(8, "Device", reader.text("pci.device"));
    line(8, "Domain", reader.text("pci.domain"));
    line(8, "Bus Id", card.busId);
    line(4, "Fan Speed", reader.text("fan.speed", "%"));
    line(4, "Performance State", reader.text("pstate"));
    printMemory(reader);
    printSensors(reader);
    printProcesses(card);
}

void element(int depth, const char *name, const std::string &value)
{
    std::string escaped;
    for (const char c : value) {
        switch (c) {
        case '&': escaped += "&amp;"; break;
        case '<': escaped += "&lt;"; break;
        case '>': escaped += "&gt;"; break;
        default: escaped += c;
        }
    }
    const std::string tabs(std::size_t(depth), '\t');
    std::printf("%s<%s>%s</%s>\n", tabs.c_str(), name, escaped.c_str(), name);
}

void printXmlMig(const MigDevice &device, int index)
{
    std::puts("\t\t\t<mig_device>");
    element(4, "index", std::to_string(index));
    element(4, "gpu_instance_id", std::to_string(device.instance));
    element(4, "compute_instance_id", std::to_string(device.computeInstance));
    std::puts("\t\t\t\t<fb_memory_usage>");
    element(5, "total", std::to_string(device.totalMib) + " MiB");
    element(5, "reserved", "0 MiB");
    element(5, "used", std::to_string(device.usedMib) + " MiB");
    element(5, "free", std::to_string(device.totalMib - device.usedMib) + " MiB");
    std::puts("\t\t\t\t</fb_memory_usage>\n\t\t\t</mig_device>");
}

void printXmlProcesses(const Card &card)
{
    std::puts("\t\t<processes>");
    for (const App &app : card.apps) {
        const std::string instance = app.migInstance < 0 ? "N/A" : std::to_string(app.migInstance);
        std::puts("\t\t\t<process_info>");
        element(4, "gpu_instance_id", instance);
        element(4, "compute_instance_id", app.migInstance < 0 ? "N/A" : "0");
        element(4, "pid", std::to_string(app.pid));
        element(4, "type", "C");
        element(4, "process_name", app.name);
        element(4, "used_memory", std::to_string(app.mib) + " MiB");
        std::puts("\t\t\t</process_info>");
    }
    std::puts("\t\t</processes>");
}

void printXmlCard(const Machine &machine, const Card &card)
{
    const Reader reader(machine, card);
    std::printf("\t<gpu id=\"%s\">\n", card.busId.c_str());
    element(2, "product_name", card.name);
    element(2, "persistence_mode", reader.text("persistence_mode"));
    std::puts("\t\t<mig_mode>");
    element(3, "current_mig", reader.text("mig.mode.current"));
    element(3, "pending_mig", reader.text("mig.mode.pending"));
    std::puts("\t\t</mig_mode>");
    if (card.migDevices.empty()) {
        std::puts("\t\t<mig_devices>\n\t\t\tNone\n\t\t</mig_devices>");
    } else {
        std::puts("\t\t<mig_devices>");
        for (std::size_t i = 0; i < card.migDevices.size(); ++i)
            printXmlMig(card.migDevices[i], int(i));
        std::puts("\t\t</mig_devices>");
    }
    element(2, "serial", card.serial);
    element(2, "uuid", card.uuid);
    element(2, "minor_number", std::to_string(card.minor));
    std::puts("\t\t<fb_memory_usage>");
    element(3, "total", reader.text("memory.total", "MiB"));
    element(3, "reserved", reader.text("memory.reserved", "MiB"));
    element(3, "used", reader.text("memory.used", "MiB"));
    element(3, "free", reader.text("memory.free", "MiB"));
    std::puts("\t\t</fb_memory_usage>\n\t\t<utilization>");
    element(3, "gpu_util", reader.text("utilization.gpu", "%"));
    element(3, "memory_util", reader.text("utilization.memory", "%"));
    std::puts("\t\t</utilization>\n\t\t<temperature>");
    element(3, "gpu_temp", reader.text("temperature.gpu", "C"));
    std::puts("\t\t</temperature>");
    printXmlProcesses(card);
    std::puts("\t</gpu>\n");
}

} // namespace

void printList(const CardList &cards)
{
    for (const Card *card : cards) {
        if (card->handleError) {
            std::printf("Unable to determine the device handle for GPU%d: %s: Unknown Error\n",
                        card->index, shortBusId(*card).c_str());
            continue;
        }
        std::printf("GPU %d: %s (UUID: %s)\n", card->index, card->name.c_str(),
                    card->uuid.c_str());
        for (std::size_t i = 0; i < card->migDevices.size(); ++i) {
            std::string uuid = card->uuid;
            uuid.replace(0, 4, "MIG-");
            uuid.back() = "0123456789abcdef"[i % 16];
            std::printf("  MIG %-14s Device %2zu: (UUID: %s)\n",
                        card->migDevices[i].profile.c_str(), i, uuid.c_str());
        }
    }
}

void printLog(const Machine &machine, const CardList &cards)
{
    std::puts("\n==============NVSMI LOG==============\n");
    line(0, "Timestamp", dateLine());
    line(0, "Driver Version", machine.driverVersion);
    line(0, "CUDA Version", machine.cudaVersion);
    std::putchar('\n');
    line(0, "Attached GPUs", std::to_string(machine.listedCount()));
    for (const Card *card : cards)
        printCard(machine, *card);
    std::putchar('\n');
}

void printXml(const Machine &machine, const CardList &cards)
{
    std::puts("<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v13.dtd\">\n"
              "<nvidia_smi_log>");
    element(1, "timestamp", dateLine());
    element(1, "driver_version", machine.driverVersion);
    element(1, "cuda_version", machine.cudaVersion);
    element(1, "attached_gpus", std::to_string(machine.listedCount()));
    for (const Card *card : cards)
        printXmlCard(machine, *card);
    std::puts("</nvidia_smi_log>");
}

void printTable(const Machine &machine, const CardList &cards)
{
    const std::string rule = "+" + std::string(41, '-') + "+" + std::string(24, '-') + "+"
        + std::string(22, '-') + "+";
    std::printf("%s       \n+%s+\n", dateLine().c_str(), std::string(89, '-').c_str());
    std::printf("| NVIDIA-SMI %-22s Driver Version: %-14s CUDA Version: %-8s |\n%s\n",
                machine.driverVersion.c_str(), machine.driverVersion.c_str(),
                machine.cudaVersion.c_str(), rule.c_str());
    std::puts("| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
              "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n"
              "|                                         |                        |               MIG M. |\n"
              "|=========================================+========================+======================|");
    for (const Card *card : cards) {
        const Reader reader(machine, *card);
        const auto shown = [&](const char *field, const char *unit) {
            return card->fault.empty() ? reader.text(field) + unit : std::string("ERR!");
        };
        std::printf("|%4d  %-28.28s   %-4s|%19s %-4s|%21d |\n", card->index, card->name.c_str(),
                    card->persistence ? "On" : "Off", card->busId.c_str(), "Off", 0);
        const std::string watts = shown("power.draw", "");
        std::printf("| N/A%6s%6s%16s /  600W |%8ldMiB / %6ldMiB |%8s      Default |\n",
                    shown("temperature.gpu", "C").c_str(), shown("pstate", "").c_str(),
                    (watts.substr(0, watts.find('.')) + 'W').c_str(), card->usedMib, card->totalMib,
                    shown("utilization.gpu", "%").c_str());
        std::printf("|%41s|%24s| %20s |\n%s\n", "", "", card->mig ? "Enabled" : "Disabled",
                    rule.c_str());
    }
    std::printf("\n+%s+\n| Processes: %76s |\n", std::string(89, '-').c_str(), "");
    std::puts("|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |\n"
              "|        ID   ID                                                               Usage      |\n"
              "|=========================================================================================|");
    bool any = false;
    for (const Card *card : cards) {
        for (const App &app : card->apps) {
            any = true;
            std::printf("| %4d   N/A  N/A %16d      C   %-34.34s %7ldMiB |\n", card->index, app.pid,
                        app.name.c_str(), app.mib);
        }
    }
    if (!any)
        std::printf("|  %-87s|\n", "No running processes found");
    std::printf("+%s+\n", std::string(89, '-').c_str());
}

} // namespace pilothouse::sim
