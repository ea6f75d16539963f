# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs a command that the person's own inventory has for a service (drain, undrain). Before this text come COMMAND and
# SECONDS_LEFT, after which it is ended. The host's state file names it before it begins: who comes back after a cut link
# sees that it was begun.
limited() {
    if command -v timeout >/dev/null 2>&1; then timeout -k 2 "$@"; else shift; "$@"; fi
}
# A command may take longer than the lock lasts.
keep_lock() {
    n=0
    while [ "$n" -lt 24 ] && sleep 5 && kill -0 $$ 2>/dev/null && still_mine; do
        n=$((n + 1))
        write_lock
    done
}
act() {
    crumb
    up
    s=$U
    if still_mine; then
        keep_lock </dev/null >/dev/null 2>&1 &
        keeper=$!
        both limited "$SECONDS_LEFT" /bin/sh -c "$COMMAND"
        kill "$keeper" 2>/dev/null
        emit command "$R" "$s" "$O" "$E"
    fi
}
perform
exit
