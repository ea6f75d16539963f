// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a simulated process holds on the GPUs: one small file each in STATE/claims. A living owner touches its file
// several times a second, so that the file's time tells when a killed owner died, without any witness. nvidia-smi
// reads them all. Single-threaded programs.

#include <string>
#include <sys/types.h>
#include <vector>

namespace pilothouse::sim {

struct Holder
{
    pid_t pid = 0;
    unsigned long long startTicks = 0; ///< field 22 of /proc/PID/stat
};

struct Claim
{
    std::vector<Holder> holders;   ///< the creator first, then heirs of its descriptors
    int gpu = 0;
    long mib = 0;
    long releaseMs = 500;          ///< after the last holder is gone; negative: never
    bool ramp = false;             ///< falls evenly during that time, instead of at its end
    int utilization = 0;           ///< percent, while the creator lives
    int migInstance = -1;          ///< GPU instance of a MIG card
};

/// A claim of this process, kept alive by touch().
class OwnClaim
{
public:
    /// Writes the file; complains on standard error when that fails.
    OwnClaim(Claim claim, std::string name);
    void update(long mib);
    void setUtilization(int percent);
    void addHolder(pid_t pid);
    /// Call at least every 250 ms.
    void touch() const;
    /// Leaves in order: the memory is back at once.
    void drop();

private:
    void write() const;

    Claim m_claim;
    std::string m_path;
};

/// What nvidia-smi makes of one claim now.
struct HeldMemory
{
    Claim claim;
    long mibNow = 0;
    bool listed = false;        ///< some holder is there, so the driver lists the creator
    bool creatorAlive = false;
};

/// All claims; those whose memory has come back are removed where rights allow.
[[nodiscard]] std::vector<HeldMemory> heldMemory();

/// 0 when there is no such process.
[[nodiscard]] unsigned long long startTicksOf(pid_t pid);

/// Opens the NVIDIA device nodes that exist, as CUDA does; the descriptors stay open across fork.
void openDevices(const std::vector<int> &gpus);

} // namespace pilothouse::sim
