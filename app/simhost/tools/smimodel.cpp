// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "smimodel.h"

#include "smifields.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <unistd.h>

namespace pilothouse::sim {
namespace {

std::string formatted(const char *format, auto... values)
{
    char buffer[160];
    std::snprintf(buffer, sizeof buffer, format, values...);
    return buffer;
}

std::uint64_t hashOf(const std::string &text)
{
    std::uint64_t hash = 14695981039346656037u;
    for (const char byte : text)
        hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211u;
    hash ^= hash >> 29;
    hash *= 0xbf58476d1ce4e5b9u;
    return hash ^ (hash >> 32);
}

std::string uuidOf(const std::string &prefix, const std::string &seed)
{
    const std::uint64_t a = hashOf(seed + "/a");
    const std::uint64_t b = hashOf(seed + "/b");
    return prefix
        + formatted("%08x-%04x-%04x-%04x-%012llx", unsigned(a >> 32), unsigned(a >> 16) & 0xffffu,
                    unsigned(a) & 0xffffu, unsigned(b >> 48),
                    static_cast<unsigned long long>(b & 0xffffffffffffu));
}

std::string commandOf(pid_t pid, const Config &config)
{
    const std::string path = "/proc/" + std::to_string(pid) + "/cmdline";
    std::string name = readFile(path);
    if (name.empty())
        return access(path.c_str(), R_OK) == 0 ? "[N/A]" : "[Not Found]";
    name.resize(std::min(name.find('\0'), name.size()));
    // Drivers of today print a comma as "?"; older ones let it through.
    if (config.value("commas") != "keep")
        std::replace(name.begin(), name.end(), ',', '?');
    return name;
}

std::string perCard(const Config &config, int index, const std::string &key,
                    const std::string &fallback)
{
    return config.value("gpu." + std::to_string(index) + '.' + key, config.value(key, fallback));
}

std::vector<MigDevice> migDevicesOf(const Config &config, int index)
{
    static constexpr int instances[] = {2, 3, 9, 10, 11, 12, 13};
    std::vector<MigDevice> devices;
    for (const std::string &profile :
         splitAt(perCard(config, index, "mig_devices", "3g.71gb,2g.35gb,1g.18gb,1g.18gb"), ',')) {
        if (devices.size() == std::size(instances))
            break;
        const auto dot = profile.find('.');
        const auto end = profile.find("gb");
        long gb = 0;
        if (dot != std::string::npos && end != std::string::npos && end > dot)
            gb = numberOf(std::string_view(profile).substr(dot + 1, end - dot - 1), 0);
        devices.push_back({profile, instances[devices.size()], 0, gb * 1024 - 1280, 9});
    }
    return devices;
}

Card cardOf(const Config &config, int index)
{
    Card card;
    card.index = index;
    card.minor = index;
    const auto text = [&](const std::string &key, const std::string &fallback) {
        return perCard(config, index, key, fallback);
    };
    const auto number = [&](const std::string &key, long fallback) {
        return numberOf(text(key, {}), fallback);
    };
    const std::string seed = config.value("seed", "sim") + '/' + std::to_string(index);
    card.name = text("name", "NVIDIA RTX PRO 6000 Blackwell Server Edition");
    card.totalMib = number("total_mib", 97887);
    card.reservedMib = number("reserved_mib", 638);
    card.usedMib = number("baseline_mib", 4);
    card.persistence = text("persistence", "on") != "off";
    card.mig = text("mig", "off") == "on";
    card.fault = text("fault", {});
    card.missing = number("missing", 0) != 0;
    card.handleError = number("handle_error", 0) != 0;
    card.temperature = int(number("temperature", 34 + index % 5));
    card.powerW = double(number("power", 78 + 3 * (index % 4)));
    card.utilization = int(number("utilization", 0));
    card.uuid = text("uuid", uuidOf("GPU-", seed));
    card.serial = formatted("16%011llu",
                            static_cast<unsigned long long>(hashOf(seed) % 100000000000u));
    card.busId = text("bus_id", formatted("00000000:%02X:00.0", 0x01 + 0x20 * index % 0xff));
    const std::string cellPrefix = "gpu." + std::to_string(index) + ".cell.";
    for (const auto &[key, value] : config.all()) {
        if (key.starts_with(cellPrefix))
            card.cells[key.substr(cellPrefix.size())] = value;
    }
    if (card.mig)
        card.migDevices = migDevicesOf(config, index);
    return card;
}

/// Work is never even: a claim's load moves by up to 12 points with time, differently on each card.
int livelyLoad(int percent, int gpu)
{
    if (percent <= 0 || percent >= 100)
        return percent;
    const long step = std::time(nullptr) / 2;
    return int(std::clamp(percent + (step * 37 + gpu * 53) % 25 - 12, 1L, 100L));
}

void addClaim(Card &card, const HeldMemory &memory, const Config &config)
{
    const Claim &claim = memory.claim;
    card.usedMib += memory.mibNow;
    if (memory.listed) {
        card.apps.push_back({claim.holders.front().pid,
                             commandOf(claim.holders.front().pid, config), memory.mibNow,
                             claim.migInstance});
    }
    if (memory.creatorAlive)
        card.utilization = std::max(card.utilization, livelyLoad(claim.utilization, card.index));
    for (MigDevice &device : card.migDevices) {
        if (device.instance == claim.migInstance)
            device.usedMib += memory.mibNow;
    }
}

bool isReading(const std::string &field)
{
    static const char *const prefixes[] = {"memory.", "utilization.", "temperature.", "power.draw",
                                           "clocks.current.", "fan.speed", "pstate", "ecc.errors.",
                                           "pcie.link.", "encoder.", "enforced.power"};
    return std::any_of(std::begin(prefixes), std::end(prefixes),
                       [&](const char *prefix) { return field.starts_with(prefix); });
}

std::string memoryCell(const Card &card, const std::string &field)
{
    if (field == "memory.total")
        return std::to_string(card.totalMib);
    if (field == "memory.reserved")
        return std::to_string(card.reservedMib);
    if (field == "memory.used")
        return std::to_string(card.usedMib);
    return std::to_string(card.freeMib());
}

std::string identityCell(const Machine &machine, const Card &card, const std::string &field)
{
    if (field == "timestamp")
        return smiTimestamp();
    if (field == "driver_version")
        return machine.driverVersion;
    if (field == "count")
        return std::to_string(machine.listedCount());
    if (field == "name")
        return card.name;
    if (field == "serial")
        return card.serial;
    if (field == "uuid")
        return card.uuid;
    if (field == "index")
        return std::to_string(card.index);
    if (field == "pci.bus_id")
        return card.busId;
    if (field == "pci.domain")
        return "0x0000";
    if (field == "pci.bus")
        return "0x" + card.busId.substr(9, 2);
    if (field == "pci.device")
        return "0x00";
    return {};
}

std::string sensorCell(const Card &card, const std::string &field)
{
    const bool busy = card.utilization > 0;
    if (field.starts_with("memory."))
        return memoryCell(card, field);
    if (field == "utilization.gpu")
        return card.mig ? "[N/A]" : std::to_string(card.utilization);
    if (field == "utilization.memory")
        return card.mig ? "[N/A]" : std::to_string(card.utilization / 4);
    if (field == "temperature.gpu")
        return std::to_string(card.temperature + card.utilization / 4);
    if (field.starts_with("power.draw"))
        return formatted("%.2f", card.powerW + 4.5 * card.utilization + (busy ? 20 : 0));
    if (field == "fan.speed")
        return "[N/A]";
    if (field == "pstate")
        return busy || !card.apps.empty() ? "P0" : "P8";
    if (field == "pcie.link.gen.current")
        return busy ? "5" : "1";
    return {};
}

std::string computedCell(const Machine &machine, const Card &card, const std::string &field)
{
    if (const std::string identity = identityCell(machine, card, field); !identity.empty())
        return identity;
    if (const std::string sensor = sensorCell(card, field); !sensor.empty())
        return sensor;
    if (field == "persistence_mode")
        return card.persistence ? "Enabled" : "Disabled";
    if (field.starts_with("mig.mode."))
        return card.mig ? "Enabled" : "Disabled";
    if (field == "gpu_recovery_action")
        return card.fault.find("reset") != std::string::npos ? "Reset" : "None";
    return "[N/A]";
}

} // namespace

int Machine::listedCount() const
{
    return int(std::count_if(cards.begin(), cards.end(),
                             [](const Card &card) { return !card.missing; }));
}

Machine machineNow(const Config &config)
{
    Machine machine;
    machine.driverVersion = config.value("driver_version", "590.48.01");
    machine.cudaVersion = config.value("cuda_version", "13.1");
    const long count = std::clamp(config.number("count", 8), 0L, 64L);
    for (int index = 0; index < count; ++index)
        machine.cards.push_back(cardOf(config, index));
    for (const HeldMemory &memory : heldMemory()) {
        const int gpu = memory.claim.gpu;
        if (gpu >= 0 && gpu < count)
            addClaim(machine.cards[std::size_t(gpu)], memory, config);
    }
    for (Card &card : machine.cards)
        card.usedMib = std::min(card.usedMib, card.totalMib - card.reservedMib);
    return machine;
}

std::string cellOf(const Machine &machine, const Card &card, const std::string &field)
{
    if (card.handleError)
        return "[Unknown Error]";
    if (const auto own = card.cells.find(field); own != card.cells.end())
        return own->second;
    if (!card.fault.empty() && isReading(field))
        return card.fault;
    const SmiField *known = gpuFieldOf(field);
    if (known && *known->value)
        return known->value;
    return computedCell(machine, card, field);
}

std::string smiTimestamp()
{
    timespec now = {};
    clock_gettime(CLOCK_REALTIME, &now);
    tm parts = {};
    localtime_r(&now.tv_sec, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y/%m/%d %H:%M:%S", &parts);
    return text + formatted(".%03ld", now.tv_nsec / 1000000);
}

std::string shortBusId(const Card &card)
{
    std::string id = card.busId.size() > 4 ? card.busId.substr(4) : card.busId;
    std::transform(id.begin(), id.end(), id.begin(), [](char c) {
        return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return id;
}

const SmiField *gpuFieldOf(const std::string &asked)
{
    static const std::map<std::string, std::string> aliases = {
        {"gpu_name", "name"}, {"gpu_serial", "serial"}, {"gpu_uuid", "uuid"},
        {"gpu_bus_id", "pci.bus_id"}, {"inforom.image", "inforom.img"},
        {"inforom.power", "inforom.pwr"}, {"gpu_operation_mode.current", "gom.current"},
        {"gpu_operation_mode.pending", "gom.pending"},
        {"retired_pages.sbe", "retired_pages.single_bit_ecc.count"},
        {"retired_pages.dbe", "retired_pages.double_bit.count"},
        {"remapped_rows.sbe", "remapped_rows.correctable"},
        {"remapped_rows.dbe", "remapped_rows.uncorrectable"},
        {"gpu.power.draw.average", "power.draw.average"},
        {"gpu.power.draw.instant", "power.draw.instant"},
        {"gpu.power.requested_limit", "power.limit"},
        {"gpu.power.current_limit", "enforced.power.limit"},
        {"gpu.power.default_limit", "power.default_limit"},
        {"gpu.power.min_limit", "power.min_limit"}, {"gpu.power.max_limit", "power.max_limit"},
        {"clocks.gr", "clocks.current.graphics"}, {"clocks.sm", "clocks.current.sm"},
        {"clocks.mem", "clocks.current.memory"}, {"clocks.video", "clocks.current.video"},
        {"clocks.max.gr", "clocks.max.graphics"}, {"clocks.max.mem", "clocks.max.memory"},
    };
    std::string name = asked;
    constexpr std::string_view old = "clocks_throttle_reasons.";
    if (const auto alias = aliases.find(name); alias != aliases.end())
        name = alias->second;
    else if (name.starts_with(old))
        name = "clocks_event_reasons." + name.substr(old.size());
    const auto &fields = gpuFields();
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const SmiField &field) { return name == field.name; });
    return found == fields.end() ? nullptr : &*found;
}

} // namespace pilothouse::sim
