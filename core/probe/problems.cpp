// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/problems.h"

#include <algorithm>
#include <array>

namespace pilothouse {

using Severity = Problem::Severity;

namespace {

struct Row
{
    const char16_t *code;
    Severity severity;
    const char16_t *advice;
};

constexpr std::array rows{
    Row{u"gpu.lost", Severity::Critical, u"Reboot the host; a reset cannot reach a card that has left the bus."},
    Row{u"gpu.reset_required", Severity::Critical,
        u"End what uses this GPU, then reset it with nvidia-smi --gpu-reset, or reboot the host."},
    Row{u"gpu.fault", Severity::Warning, u"Look for Xid lines in the kernel log; if it stays, reset the GPU."},
    Row{u"gpu.new_processes_may_fail", Severity::Warning,
        u"While one card does not answer, CUDA may refuse to start on the others too."},
    Row{u"gpu.missing", Severity::Warning, u"Look for Xid 79 in the kernel log and check power and seating."},
    Row{u"gpu.inforom", Severity::Warning,
        u"The card computes; its serial number, ECC and power records may be wrong. Plan its exchange."},
    Row{u"gpu.recovery_action", Severity::Warning, u"Do what the driver asks for before new work starts there."},
    Row{u"gpu.row_unreadable", Severity::Warning, u"Run nvidia-smi on the host and compare."},
    Row{u"gpu.row_repeated", Severity::Notice, u""},
    Row{u"gpu.polling_wakes", Severity::Notice,
        u"Switch persistence mode on (nvidia-smi -pm 1, or the nvidia-persistenced service)."},
    Row{u"gpu.unified_memory", Severity::Notice, u"Read the host's available memory instead."},
    Row{u"gpu.busy_unexplained", Severity::Notice,
        u"Often a reading that got stuck when a process was ended; it holds no memory."},
    Row{u"gpu.mps", Severity::Notice,
        u"Do not end the server by a signal; use nvidia-cuda-mps-control, and know that it serves several clients."},
    Row{u"gpu.process_list_unsupported", Severity::Notice, u""},
    Row{u"gpu.xid", Severity::Warning, u""},
    Row{u"gpu.sxid", Severity::Warning,
        u"Check the fabric manager and the switches; all linked GPUs may be concerned."},
    Row{u"gpu.off_the_bus", Severity::Critical, u"Reboot the host; a power cycle may be needed."},
    Row{u"driver.not_loaded", Severity::Critical,
        u"Load the nvidia kernel module (modprobe nvidia); after a kernel update the driver may need a rebuild."},
    Row{u"driver.mismatch", Severity::Critical,
        u"The driver was updated under a running module: reload it or reboot. A stray LD_LIBRARY_PATH looks the same."},
    Row{u"driver.library_missing", Severity::Critical,
        u"Install the driver's libraries, or make libnvidia-ml.so known to the loader in this login."},
    Row{u"driver.blocked", Severity::Critical,
        u"Check the device nodes, the container's device rules, or WSL's GPU support."},
    Row{u"driver.no_permission", Severity::Critical, u"Check the rights of /dev/nvidia* for this account."},
    Row{u"driver.init_failed", Severity::Critical, u"Look into the kernel log."},
    Row{u"smi.absent", Severity::Notice, u"Install nvidia-smi (the driver's utilities) if this host has NVIDIA GPUs."},
    Row{u"smi.timeout", Severity::Critical, u"Look for a GPU in trouble in the kernel log; it is asked again."},
    Row{u"smi.hung", Severity::Critical,
        u"The driver is stuck and no signal helps; no other nvidia-smi is started until it ends. A reboot may be "
        u"needed."},
    Row{u"smi.failed", Severity::Critical, u"Run nvidia-smi on the host."},
    Row{u"smi.crashed", Severity::Critical, u"Run nvidia-smi on the host; the driver's parts may not fit together."},
    Row{u"smi.too_long", Severity::Critical,
        u"Run nvidia-smi on the host, and look whether a script stands in its place that prints something else."},
    Row{u"smi.not_text", Severity::Critical,
        u"Run nvidia-smi on the host, and look whether another program or a damaged file stands in its place."},
    Row{u"smi.empty", Severity::Critical, u"Run nvidia-smi on the host."},
    Row{u"smi.field_unknown", Severity::Notice, u""},
    Row{u"smi.bad_arguments", Severity::Critical, u"This nvidia-smi may be too old."},
    Row{u"smi.exit_code", Severity::Warning, u"Run nvidia-smi on the host and read its last lines."},
    Row{u"smi.noise", Severity::Notice, u""},
    Row{u"smi.apps_failed", Severity::Warning, u""},
    Row{u"process.ghost", Severity::Warning,
        u"Its memory is usually held by a relative that inherited the descriptors; a deep look finds who."},
    Row{u"process.hidden", Severity::Notice, u"Use sudo or another account to see them."},
    Row{u"process.outside_container", Severity::Notice, u"Connect to the host itself to see them."},
    Row{u"process.wsl", Severity::Notice, u"Windows books GPU memory for the whole virtual machine."},
    Row{u"process.not_visible", Severity::Notice, u"Use sudo or another account to see them."},
    Row{u"process.limit", Severity::Warning, u""},
    Row{u"host.container", Severity::Notice, u"Figures are the container's view of the host."},
    Row{u"host.hidepid", Severity::Notice, u"Use sudo, or an account in the group that the mount of /proc names."},
    Row{u"host.not_root", Severity::Notice, u"Use --sudo to look at all."},
    Row{u"host.sudo_password", Severity::Warning,
        u"Set sudo to \"ask\" (--sudo ask), or have the account allowed sudo without a password."},
    Row{u"host.sudo_password_again", Severity::Warning,
        u"Connect again to be asked for the password; where nobody can be asked, have the account allowed sudo without "
        u"one (--sudo nopasswd)."},
    Row{u"host.sudo_policy", Severity::Warning,
        u"Have the account allowed sudo on that host, or set sudo to \"never\"."},
    Row{u"host.sudo_tty", Severity::Warning,
        u"Have requiretty switched off for the account (Defaults:NAME !requiretty in sudoers)."},
    Row{u"host.sudo_missing", Severity::Warning, u"Sign in as root, install sudo there, or set sudo to \"never\"."},
    Row{u"host.sudo_refused", Severity::Warning, u"Run sudo -v as that account on the host, or set sudo to \"never\"."},
    Row{u"host.oom_kill", Severity::Warning, u"Give the service more host memory or load less."},
    Row{u"host.hung_task", Severity::Warning, u"If it is a GPU process, the driver may be stuck."},
    Row{u"systemd.absent", Severity::Notice,
        u"Its services are told by their processes alone; they cannot be started or stopped from here."},
    Row{u"systemd.unreachable", Severity::Warning, u"Look there whether systemctl answers this account."},
    Row{u"systemd.user_unreachable", Severity::Warning,
        u"Enable lingering for the account (loginctl enable-linger) to reach its services without a session."},
    Row{u"unit.unanswered", Severity::Warning, u"Check the unit's name."},
    Row{u"section.processes", Severity::Warning, u""},
    Row{u"section.units", Severity::Warning, u""},
    Row{u"section.user_units", Severity::Warning, u""},
    Row{u"section.memory", Severity::Warning, u""},
    Row{u"section.load", Severity::Notice, u""},
    Row{u"section.oom", Severity::Notice, u""},
    Row{u"section.pci", Severity::Notice, u""},
    Row{u"section.mig", Severity::Notice, u""},
    Row{u"section.listening", Severity::Warning, u""},
    Row{u"section.shm", Severity::Warning, u""},
    Row{u"section.kernel_log", Severity::Notice, u"The account may not be allowed to read it."},
};

} // namespace

Problem problemOf(const QString &code, const QString &text, int gpu, std::optional<Problem::Severity> severity)
{
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row &r) { return QStringView(r.code) == code; });
    const bool known = row != rows.end();
    Problem problem;
    problem.code = code;
    problem.severity = severity.value_or(known ? row->severity : Severity::Warning);
    if (gpu >= 0)
        problem.gpu = gpu;
    problem.text = text;
    problem.advice = known ? QString::fromUtf16(row->advice) : QString();
    return problem;
}

QStringList problemCodes()
{
    QStringList codes;
    for (const Row &row : rows)
        codes += QString::fromUtf16(row.code);
    return codes;
}

} // namespace pilothouse
