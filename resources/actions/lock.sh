# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# One console at a time changes a host. The lock is a file of one line, "CONSOLE BOOT UPTIME PERSON", written anew by each
# action of its console; without that for LEASE seconds it counts no more. Before this text come CONSOLE, PERSON and WHAT.
LEASE=15
STICK=

places() {
    ME=$(id -u)
    if [ "$ME" = 0 ]; then
        PLACE=${PILOTHOUSE_RUN:-/run}
    else
        PLACE=${XDG_RUNTIME_DIR:-/run/user/$ME}
        if [ ! -d "$PLACE" ] || [ ! -O "$PLACE" ]; then PLACE=$HOME; fi
    fi
    LOCK=$PLACE/pilothouse.lock
    STATE=$PLACE/pilothouse.state
    if [ "$PLACE" = "$HOME" ]; then LOCK=$HOME/.pilothouse.lock STATE=$HOME/.pilothouse.state; fi
}
# Whose a lock is: HELD is the line of another console that still counts, or empty.
look_at_lock() {
    HELD=
    read -r b <"$P/sys/kernel/random/boot_id"
    { read -r l_console l_boot l_up l_person <"$1"; } 2>/dev/null || return 0
    if [ "$l_console" = "$CONSOLE" ] || [ "$l_boot" != "$b" ]; then return 0; fi
    case $l_up in '' | *[!0-9]*) return 0 ;; esac
    up
    age=$((${U%.*} - l_up))
    if [ "$age" -lt "$LEASE" ]; then HELD="$age $l_person"; fi
}
write_lock() {
    up
    # A name of its own, then moved: nobody reads half a line.
    (umask 077 && printf '%s %s %s %s\n' "$CONSOLE" "$b" "${U%.*}" "$PERSON" >"$LOCK.$$") 2>/dev/null &&
        mv -f "$LOCK.$$" "$LOCK" 2>/dev/null
}
# An account may not read root's lock, but sees its time. Root does not ask for the accounts': anybody could stop it so.
roots_lock() {
    if [ "$ME" = 0 ] || [ ! -e /run/pilothouse.lock ]; then return; fi
    age=$(($(date +%s) - $(stat -c %Y /run/pilothouse.lock)))
    if [ "$age" -lt "$LEASE" ]; then HELD="$age a console that works as root"; fi
}
# Tells section lock: "mine", "busy AGE PERSON" or "none". Where the host has flock, reading and writing are one step.
take_lock() {
    places
    up
    s=$U
    # The descriptor is closed again before anything is started, so that no child keeps it.
    if command -v flock >/dev/null 2>&1 && (umask 077 && : >>"$LOCK.turn") 2>/dev/null; then
        exec 8>>"$LOCK.turn"
        flock -w 2 8 2>/dev/null
        STICK=8
    fi
    look_at_lock "$LOCK"
    if [ -z "$HELD" ]; then roots_lock; fi
    got=none
    if [ -n "$HELD" ]; then
        got="busy $HELD"
    elif write_lock; then
        got=mine
    fi
    if [ -n "$STICK" ]; then exec 8>&-; fi
    emit lock 0 "$s" "$got"
    [ "$got" = mine ]
}
still_mine() {
    { read -r l_console l_rest <"$LOCK"; } 2>/dev/null && [ "$l_console" = "$CONSOLE" ]
}
drop_lock() {
    places
    if still_mine; then rm -f "$LOCK"; fi
}
# For colleagues: the host's log, and a small file with the last deed.
crumb() {
    logger -t pilothouse -- "$PERSON: $WHAT" </dev/null >/dev/null 2>&1
    up
    (umask 022 && printf 'console=%s\nperson=%s\nuptime=%s\nwhat=%s\n' "$CONSOLE" "$PERSON" "$U" "$WHAT" >"$STATE.$$") 2>/dev/null &&
        mv -f "$STATE.$$" "$STATE" 2>/dev/null
}
# The frame of every action: ours to do, on the host and the boot that was meant.
perform() {
    cd / || exit
    begin
    if ! same_boot; then
        emit boot 1 "$U" other
    elif take_lock; then
        ancestors
        act
    fi
    finish
}
