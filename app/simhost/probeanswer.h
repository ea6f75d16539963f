// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The probe's end of its protocol (resources/probe/README.md), answered from memory: one shell channel. The thread of
// its connection.

#include "backend.h"
#include "memoryhost.h"

#include <memory>
#include <set>

namespace pilothouse {

class ProbeShell final : public MemoryShell
{
public:
    explicit ProbeShell(std::shared_ptr<const MemoryHost> host);
    [[nodiscard]] std::string feed(std::string_view input) override;
    [[nodiscard]] std::optional<int> exitStatus() const override { return m_exit; }

private:
    struct Request
    {
        std::string nonce, tick = "0", who, described;
        bool deep = false;
        std::vector<std::string> units, gpuFields, appFields;
    };
    void takeLine(const std::string &line);
    void begin(const std::string &nonce, const std::string &tick);
    void section(const std::string &name, const std::string &output, int status = 0);
    void end(const std::string &tick);
    void answerReady();
    void answer(const Request &request);
    void answerKernel(const Request &request);
    void answerDeep();
    void answerDriver(const Request &request);
    [[nodiscard]] static Request parse(const std::string &line);

    std::shared_ptr<const MemoryHost> m_host;
    std::string m_role = "kernel";
    std::string m_nonce;
    std::vector<std::string> m_properties;
    bool m_ready = false;
    bool m_usersTold = false;
    std::string m_line;
    std::string m_output;
    int m_sections = 0;
    std::optional<int> m_exit;
};

} // namespace pilothouse
