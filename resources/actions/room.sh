# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# How much room the file systems have that a server needs to start, and whether its model is there; changes nothing and
# needs no lock. Before this text comes MODEL, an absolute path or empty. A file system that hangs is passed over.
limited() {
    if command -v timeout >/dev/null 2>&1; then timeout -k 1 "$@"; else shift; "$@"; fi
}
free() {
    limited 2 stat -f -c "$1 %a %S" -- "$2" 2>/dev/null </dev/null
}
room() {
    free shm /dev/shm
    free root /
    [ -n "$MODEL" ] || return
    limited 2 ls -d -- "$MODEL" >/dev/null 2>&1 </dev/null
    case $? in
    0) printf 'model_there 1\n' ;;
    1 | 2) printf 'model_there 0\n' ;;
    esac
    free model "$MODEL"
}
perform() {
    begin
    up
    s=$U
    O=$(room)
    emit room 0 "$s" "$O"
    finish
}
perform
exit
