# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# What a post-mortem needs and what is gone when the processes are: how they stand, where they wait, the driver's and the
# kernel's words. Changes nothing and needs no lock. Before this text come BOOT, UNIT and DRIVER (both
# may be empty) and the function targets.
limited() {
    if command -v timeout >/dev/null 2>&1; then timeout "$@"; else shift; "$@"; fi
}
part() {
    printf '\n==== %s\n' "$1"
    shift
    { "$@" 2>&1 </dev/null | head -c 262144; }
}
stands() {
    cat "$P/$1/status"
    printf 'waits in: '; cat "$P/$1/wchan"; echo
    printf 'control group: '; cat "$P/$1/cgroup"
    echo stack:; cat "$P/$1/stack"
}
target() {
    same "$1" "$2" "$3" "$4"
    [ "$WHO" = same ] || return
    part "PID $1, start $2" stands "$1"
    if command -v py-spy >/dev/null 2>&1 && [ "$SPIED" -lt 4 ]; then
        SPIED=$((SPIED + 1))
        part "py-spy dump of PID $1" limited 2 py-spy dump --nonblocking --pid "$1"
    fi
}
gather() {
    targets
    if [ -n "$DRIVER" ]; then part 'nvidia-smi -q' limited 3 nvidia-smi -q; fi
    part 'kernel log, last 300 lines' kernel_lines
    if [ -n "$UNIT" ]; then
        part "systemctl cat $UNIT" limited 2 systemctl cat --no-pager -- "$UNIT"
        part "systemctl status $UNIT" limited 2 systemctl status --no-pager --lines=0 -- "$UNIT"
        part "journal of $UNIT, last 2000 lines" limited 3 journalctl --no-pager --lines=2000 --unit="$UNIT"
    fi
}
kernel_lines() {
    limited 2 dmesg 2>/dev/null | tail -n 300
}
perform() {
    cd / || exit
    SPIED=0
    begin
    if same_boot; then
        ancestors
        up
        s=$U
        O=$(gather | head -c 4000000)
        emit evidence 0 "$s" "$O"
    else
        emit boot 1 "$U" other
    fi
    finish
}
perform
exit
