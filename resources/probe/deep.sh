# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# What only a deep snapshot asks: device descriptors, listening ports, /dev/shm, kernel log.

deep() {
    up
    s=$U
    O=$(grep -hsE '^ *[0-9]+: [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:[0-9A-F]+ 0A ' net/tcp net/tcp6)
    emit tcp 0 "$s" "$O"
    sockets=
    set -f
    IFS=$NL
    for l in $O; do
        IFS=' '
        set -- $l
        sockets="$sockets^[0-9]*/[a-z0-9/]*fd/[0-9]* socket:.${10}.\$$NL"
    done
    IFS=" 	$NL"
    set +f
    zombies=
    for f in $(grep -lsE '\) Z ([-0-9]+ ){16}([2-9]|[1-9][0-9])' [0-9]*/stat); do
        for t in "${f%/stat}"/task/*/fd; do zombies="$zombies $t"; done
    done
    up
    s=$U
    wanted="^[0-9]*/[a-z0-9/]*fd/[0-9]* /dev/nvidia$NL^[0-9]*/[a-z0-9/]*fd/[0-9]* $SHM/"
    [ -z "$sockets" ] || wanted="$wanted$NL${sockets%"$NL"}"
    if [ "$FIND" = gnu ]; then
        O=$( { find [0-9]*/fd $zombies -maxdepth 1 -type l -printf '%p %l\0' 2>/dev/null; } | {
            grep -zsa -e "$wanted" | tr '\0\n' '\n\001'; } )
    else
        O=$(listed_links | grep -a -e "$wanted")
    fi
    HOLDERS= last=
    set -f
    IFS=$NL
    for l in $O; do
        case $l in
        *' /dev/nvidia'*)
            p=${l%%/*}
            [ "$p" != "$last" ] || continue
            last=$p
            case " $HOLDERS " in *" $p "*) ;; *) HOLDERS="$HOLDERS $p" ;; esac
            ;;
        esac
    done
    IFS=" 	$NL"
    set +f
    denied=0
    for d in [0-9]*/fd; do
        [ -r "$d" ] || { denied=1; break; }
    done
    if [ "$MYUID" = 0 ] && [ "$SEES" = 0 ] || [ "$HIDE" = 1 ]; then denied=1; fi
    emit fds "$denied" "$s" "$O"
    shm
    kernel_log
}
# A find without -printf: one ls, whose links of other processes cannot be told from a header when a target holds a
# line feed; so a line counts only where its descriptor really leads where the line says.
listed_links() {
    ls -l [0-9]*/fd $zombies 2>/dev/null | while IFS= read -r l; do
        case $l in
        [0-9]*/fd:) d=${l%:}; case $d in *[!0-9a-z/]*) d= ;; esac ;;
        l*' -> '*/dev/nvidia*|l*' -> socket:'*|l*" -> $SHM/"*)
            a=${l%% -> *}
            a=${a##* }
            case $a in ''|*[!0-9]*) continue ;; esac
            t=${l#* -> }
            [ -n "$d" ] && [ "$(readlink "$d/$a" 2>/dev/null)" = "$t" ] && printf '%s/%s %s\n' "$d" "$a" "$t"
            ;;
        esac
    done
}
shm() {
    up
    s=$U
    if [ "$FIND" = gnu ]; then
        O=$(find "$SHM" -maxdepth 1 -type f -printf '%D %i %s %U %p\0' 2>/dev/null | head -c 1000000 | tr '\0\n' '\n\001')
        R=0
    else
        O= R=0 n=0
        for f in "$SHM"/* "$SHM"/.[!.]*; do
            [ -f "$f" ] && [ ! -L "$f" ] || continue
            n=$((n + 1))
            if [ "$n" -gt 256 ]; then R=1; break; fi
            a=$(stat -c '%d %i %s %u' "$f" 2>/dev/null) || continue
            b=$(printf '%s' "$f" | tr '\n' '\001')
            O="$O$a $b$NL"
        done
    fi
    emit shm "$R" "$s" "$O"
    [ -n "$O" ] || return
    up
    s=$U dev=
    while read -r a b d c m rest; do
        if [ "$m" = "$SHM" ]; then dev=$d; fi
    done <"$P/self/mountinfo"
    case $dev in *:*) ;; *) return ;; esac
    dev=$(printf '%02x:%02x' "${dev%:*}" "${dev#*:}")
    O=$(grep -soHE "^[0-9a-f]+-[0-9a-f]+ [-rwxps]+ [0-9a-f]+ $dev [0-9]+" [0-9]*/maps | head -c 2000000)
    emit maps "$denied" "$s" "$O"
}
kernel_log() {
    up
    s=$U
    both dmesg
    if [ "$R" != 0 ]; then both journalctl -k -b -q -n 1000 -o short-iso --no-pager; fi
    if [ "$R" = 0 ]; then
        O=$(printf '%s\n' "$O" | grep -aE 'NVRM|Xid|nvidia|[Oo]ut of memory|oom-kill|oom_reaper|Killed process|blocked for more than|hung_task|AER:' | tail -n 80 | cut -c 1-400)
    else
        O=
    fi
    emit kernel "$R" "$s" "$O" "$E"
}
