# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Unlinks files of /dev/shm that nobody uses any more, each proved by device and inode in this same script. Before this text
# come BOOT and the function files: a line "file NAME DEVICE INODE UID" each. Only root can prove it: nobody else sees what
# all processes have open.
SHM=/dev/shm
DONE=

# DEVICE INODE: open somewhere, by whatever name. A descriptor leads to the file itself; numbers of inodes are small and
# every file system has its own.
is_open() {
    # shellcheck disable=SC2044 # such a path holds digits alone
    for f in $(find -L "$P"/[0-9]*/fd -maxdepth 1 -inum "$2" 2>/dev/null); do
        if [ "$(stat -L -c %d "$f" 2>/dev/null)" = "$1" ]; then return 0; fi
    done
    return 1
}
is_mapped() {
    # st_dev as maps prints it
    d=$(printf '%02x:%02x' $((($1 >> 8) & 4095)) $((($1 & 255) | (($1 >> 12) & 1048320))))
    grep -qs "^[0-9a-f]*-[0-9a-f]* [^ ]* [0-9a-f]* $d $2 " "$P"/[0-9]*/maps
}
judge() {
    WHAT_IS=refused
    case $1 in '' | .* | */* | *[!A-Za-z0-9._+-]*) return ;; esac
    case $2$3$4 in '' | *[!0-9]*) return ;; esac
    WHAT_IS=unproved
    if [ "$ME" != 0 ] || ! find -L "$P/$$/fd" -maxdepth 1 -inum 1 >/dev/null 2>&1; then return; fi
    WHAT_IS=gone
    if [ ! -e "$SHM/$1" ] && [ ! -L "$SHM/$1" ]; then return; fi
    WHAT_IS=other
    if [ -L "$SHM/$1" ] || [ ! -f "$SHM/$1" ]; then return; fi
    [ "$(stat -c '%d %i %u' "$SHM/$1" 2>/dev/null)" = "$2 $3 $4" ] || return
    WHAT_IS=used
    if is_mapped "$2" "$3" || is_open "$2" "$3"; then return; fi
    WHAT_IS=denied
    if still_mine && rm -f -- "$SHM/$1" 2>/dev/null; then WHAT_IS=removed; fi
}
file() {
    judge "$1" "$2" "$3" "$4"
    DONE="$DONE$1 $WHAT_IS$NL"
}
act() {
    up
    s=$U
    crumb
    files
    emit shm 0 "$s" "$DONE"
}
perform
exit
