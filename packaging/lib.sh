# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# What run and test share: missing packages, one line a stage, honest skips. Sourced, never run.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=packaging/packages.sh
. "$root/packaging/packages.sh"
logs=${PILOTHOUSE_LOGS:-$root/build/logs}
mkdir -p "$logs"

say() { printf '%s\n' "$*"; }
die() { printf 'packaging: %s\n' "$*" >&2; exit 1; }

# missing_packages NAME... prints those that are not installed.
missing_packages() {
    local name
    for name in "$@"; do
        dpkg-query -W -f='${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed || printf '%s\n' "$name"
    done
}

# need_packages NAME... installs what is missing; asks before it uses sudo; root is not asked.
need_packages() {
    command -v dpkg-query >/dev/null || die "this is not a Debian system; install by hand: $*"
    local missing
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    say "Missing Debian packages: ${missing[*]}"
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "install them as root: apt-get install ${missing[*]}"
        [ -t 0 ] || die "install them first: sudo apt-get install ${missing[*]}"
        local reply
        read -r -p "Install them with sudo apt-get? [y/N] " reply
        case $reply in y | Y | yes) ;; *) die "nothing was installed" ;; esac
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get update >"$logs/apt.log" 2>&1 || die "apt-get update failed, see $logs/apt.log"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        "${missing[@]}" >>"$logs/apt.log" 2>&1 || {
        tail -5 "$logs/apt.log" >&2
        die "apt-get install failed, see $logs/apt.log"
    }
}

# check_libssh fails where the installed libssh lacks the fixes that the program relies on.
check_libssh() {
    local have
    have=$(dpkg-query -W -f='${Version}' libssh-4 2>/dev/null || dpkg-query -W -f='${Version}' libssh-4t64 2>/dev/null) || return 0
    dpkg --compare-versions "$have" ge "$libssh_least" || die "libssh $have is too old, $libssh_least or later is needed"
}

# build PRESET [TARGET...] configures and builds, output in the logs.
build() {
    local preset=$1
    shift
    local log=$logs/build-$preset.log
    (cd "$root" && cmake --preset "$preset" >"$log" 2>&1 && cmake --build "build/$preset" ${1:+--target "$@"} >>"$log" 2>&1) || {
        grep -nE 'error|Error|FAILED' "$log" | head -20 >&2
        tail -3 "$log" >&2
        die "the $preset build failed, see ${log#"$root"/}"
    }
}
