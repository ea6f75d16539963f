// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools.h"

#include "frozendriver.h"
#include "smifields.h"
#include "smilog.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <unistd.h>

namespace pilothouse::sim {
namespace {

struct Request
{
    std::optional<std::string> queryGpu;
    std::optional<std::string> queryApps;
    bool log = false, xml = false, list = false, version = false, helpGpu = false, helpApps = false;
    bool format = false, header = true, units = true;
    std::string cards;
    long loopMs = 0;
    std::string bad; ///< an option that the tool does not know
};

std::string afterEquals(const std::string &argument)
{
    const auto equals = argument.find('=');
    return equals == std::string::npos ? std::string() : argument.substr(equals + 1);
}

void readFormat(Request &request, const std::string &words)
{
    const auto parts = splitAt(words, ',');
    const auto has = [&](const char *word) {
        return std::find(parts.begin(), parts.end(), word) != parts.end();
    };
    request.format = has("csv");
    request.header = !has("noheader");
    request.units = !has("nounits");
}

Request requestOf(const std::vector<std::string> &arguments)
{
    Request request;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string &word = arguments[i];
        const auto next = [&] {
            const std::string inOne = afterEquals(word);
            return inOne.empty() && i + 1 < arguments.size() ? arguments[++i] : inOne;
        };
        if (word.starts_with("--query-gpu="))
            request.queryGpu = afterEquals(word);
        else if (word.starts_with("--query-compute-apps="))
            request.queryApps = afterEquals(word);
        else if (word.starts_with("--format="))
            readFormat(request, afterEquals(word));
        else if (word == "-i" || word.starts_with("--id="))
            request.cards = next();
        else if (word == "-l" || word.starts_with("--loop="))
            request.loopMs = 1000 * std::max(1L, numberOf(next(), 5));
        else if (word == "-lms" || word.starts_with("--loop-ms="))
            request.loopMs = std::max(1L, numberOf(next(), 1000));
        else if (word == "-q" || word == "--query")
            request.log = true;
        else if (word == "-x" || word == "--xml-format")
            request.xml = true;
        else if (word == "-qx" || word == "-xq")
            request.log = request.xml = true;
        else if (word == "-L" || word == "--list-gpus")
            request.list = true;
        else if (word == "--version")
            request.version = true;
        else if (word == "--help-query-gpu")
            request.helpGpu = true;
        else if (word == "--help-query-compute-apps")
            request.helpApps = true;
        else if (request.bad.empty())
            request.bad = word;
    }
    return request;
}

bool isUnknownHere(const Config &config, const std::string &field)
{
    const auto unknown = splitAt(config.value("unknown_fields"), ',');
    return std::find(unknown.begin(), unknown.end(), field) != unknown.end();
}

/// Each asked field's canonical one; prints the tool's complaint and answers nothing when one is unknown.
std::optional<std::vector<const SmiField *>> fieldsOf(const Config &config, const std::string &list)
{
    std::vector<const SmiField *> fields;
    for (const std::string &name : splitAt(list, ',')) {
        const SmiField *field = gpuFieldOf(name);
        if (!field || isUnknownHere(config, name) || isUnknownHere(config, field->name)) {
            std::printf("Field \"%s\" is not a valid field to query.\n\n", name.c_str());
            return std::nullopt;
        }
        fields.push_back(field);
    }
    return fields;
}

std::string withUnit(const std::string &cell, const char *unit, bool units)
{
    return !units || !*unit || cell.starts_with('[') || cell == "N/A" ? cell : cell + ' ' + unit;
}

std::string headerOf(const char *name, const char *unit)
{
    return *unit ? std::string(name) + " [" + unit + ']' : name;
}

int printGpuRows(const Machine &machine, const CardList &cards, const Request &request,
                 const std::vector<const SmiField *> &fields)
{
    int code = 0;
    std::string text;
    const auto comma = [&](std::size_t column) { return column == 0 ? "" : ", "; };
    if (request.header) {
        for (std::size_t i = 0; i < fields.size(); ++i)
            text += comma(i) + headerOf(fields[i]->name, fields[i]->unit);
        text += '\n';
    }
    for (const Card *card : cards) {
        if (card->handleError) {
            code = 255;
            text += "Unable to determine the device handle for GPU" + std::to_string(card->index)
                + ": " + shortBusId(*card) + ": Unknown Error\n";
        }
        for (std::size_t i = 0; i < fields.size(); ++i) {
            text += comma(i)
                + withUnit(cellOf(machine, *card, fields[i]->name), fields[i]->unit, request.units);
        }
        text += '\n';
    }
    std::fwrite(text.data(), 1, text.size(), stdout);
    return code;
}

struct AppColumn
{
    const char *name;
    const char *alias;
    const char *unit;
};
constexpr AppColumn appColumns[] = {
    {"timestamp", "", ""},     {"gpu_name", "", ""},     {"gpu_bus_id", "", ""},
    {"gpu_serial", "", ""},    {"gpu_uuid", "", ""},     {"pid", "", ""},
    {"process_name", "name", ""}, {"used_gpu_memory", "used_memory", "MiB"}};

std::string appCell(const Config &config, const Card &card, const App &app, const AppColumn &column)
{
    const std::string name = column.name;
    const std::string pids = config.value("pids", "visible");
    if (name == "timestamp")
        return smiTimestamp();
    if (name == "gpu_name")
        return card.name;
    if (name == "gpu_bus_id")
        return card.busId;
    if (name == "gpu_serial")
        return card.serial;
    if (name == "gpu_uuid")
        return card.uuid;
    if (pids != "visible")
        return pids == "no_permission" ? "[Insufficient Permissions]" : "[Not Found]";
    if (name == "pid")
        return std::to_string(app.pid);
    if (name == "process_name")
        return app.name;
    return card.fault.empty() ? std::to_string(app.mib) : card.fault;
}

int printAppRows(const Config &config, const CardList &cards, const Request &request)
{
    std::vector<const AppColumn *> columns;
    for (const std::string &asked : splitAt(*request.queryApps, ',')) {
        const auto *found = std::find_if(std::begin(appColumns), std::end(appColumns),
                                         [&](const AppColumn &column) {
                                             return asked == column.name || asked == column.alias;
                                         });
        if (found == std::end(appColumns)) {
            std::printf("Field \"%s\" is not a valid field to query.\n\n", asked.c_str());
            return 2;
        }
        columns.push_back(found);
    }
    std::string text;
    if (request.header) {
        for (const AppColumn *column : columns)
            text += (column == columns.front() ? "" : ", ") + headerOf(column->name, column->unit);
        text += '\n';
    }
    for (const Card *card : cards) {
        for (const App &app : card->apps) {
            for (std::size_t i = 0; i < columns.size(); ++i) {
                text += (i == 0 ? "" : ", ")
                    + withUnit(appCell(config, *card, app, *columns[i]), columns[i]->unit,
                               request.units);
            }
            text += '\n';
        }
    }
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
}

CardList cardsOf(const Machine &machine, const std::string &asked)
{
    CardList cards;
    const auto names = splitAt(asked, ',');
    for (const Card &card : machine.cards) {
        const auto isThis = [&](const std::string &name) {
            return name == std::to_string(card.index) || name == card.uuid || name == card.busId
                || name == shortBusId(card);
        };
        if (!card.missing && (names.empty() || std::any_of(names.begin(), names.end(), isThis)))
            cards.push_back(&card);
    }
    return cards;
}

void printHelp(const Config &config)
{
    std::puts("List of valid properties to query for the switch \"--query-gpu\":\n");
    for (const SmiField &field : gpuFields()) {
        if (!isUnknownHere(config, field.name))
            std::printf("\"%s\"\nA property of the GPU.\n\n", field.name);
    }
}

void printAppHelp()
{
    std::puts("List of valid properties to query for the switch \"--query-compute-apps\":\n");
    for (const AppColumn &column : appColumns) {
        if (*column.alias)
            std::printf("\"%s\" or \"%s\"\n\n", column.name, column.alias);
        else
            std::printf("\"%s\"\n\n", column.name);
    }
}

/// Waits while gpus.conf says that the driver hangs; the answer follows once it does no more.
void hangAsConfigured(Config &config)
{
    const std::string mode = config.value("hang", "off");
    if (mode == "off")
        return;
    if (mode == "ignore-term" || mode == "stuck") {
        for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGPIPE})
            std::signal(number, SIG_IGN);
    }
    openDevices({});
    if (mode == "stuck")
        waitInFrozenDriver();
    while (config.value("hang", "off") != "off") {
        sleepMs(200);
        config = Config::ofHost();
    }
}

int printOnce(const Config &config, const Request &request)
{
    const Machine machine = machineNow(config);
    const CardList cards = cardsOf(machine, request.cards);
    if (cards.empty()) {
        std::puts("No devices were found");
        return 6;
    }
    if (request.queryGpu) {
        const auto fields = fieldsOf(config, *request.queryGpu);
        return fields ? printGpuRows(machine, cards, request, *fields) : 2;
    }
    if (request.queryApps)
        return printAppRows(config, cards, request);
    if (request.list)
        printList(cards);
    else if (request.log && request.xml)
        printXml(machine, cards);
    else if (request.log)
        printLog(machine, cards);
    else
        printTable(machine, cards);
    return 0;
}

std::optional<int> refusal(const Config &config, const Request &request)
{
    const std::string failure = config.value("failure");
    if (!failure.empty()) {
        std::printf("%s\n\n", failure.c_str());
        return int(config.number("exit_code", 9));
    }
    if (!request.bad.empty()) {
        std::printf("Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n\n");
        return 255;
    }
    if ((request.queryGpu || request.queryApps) && !request.format) {
        std::puts("\"--format=\" switch is missing. Please run 'nvidia-smi -h' for help.\n");
        return 2;
    }
    return std::nullopt;
}

} // namespace

int nvidiaSmi(const std::vector<std::string> &arguments)
{
    Config config = Config::ofHost();
    const Request request = requestOf(arguments);
    sleepMs(config.number("latency_ms", 0));
    hangAsConfigured(config);
    if (const auto code = refusal(config, request))
        return *code;
    if (request.version) {
        const std::string driver = config.value("driver_version", "590.48.01");
        std::printf("NVIDIA-SMI version  : %s\nNVML version        : %s\nDRIVER version      : %s\n"
                    "CUDA Version        : %s\n",
                    driver.c_str(), driver.substr(0, driver.rfind('.')).c_str(), driver.c_str(),
                    config.value("cuda_version", "13.1").c_str());
        return 0;
    }
    if (request.helpGpu || request.helpApps) {
        request.helpGpu ? printHelp(config) : printAppHelp();
        return 0;
    }
    int code = 0;
    do {
        for (const std::string &prose : config.values("prose_before"))
            std::printf("%s\n", prose.c_str());
        code = printOnce(config, request);
        for (const std::string &prose : config.values("prose_after"))
            std::printf("%s\n", prose.c_str());
        std::fflush(stdout);
        if (request.loopMs > 0) {
            sleepMs(request.loopMs);
            config = Config::ofHost();
        }
    } while (request.loopMs > 0 && code == 0 && !std::ferror(stdout));
    return code != 0 ? code : int(config.number("exit_code", 0));
}

} // namespace pilothouse::sim
