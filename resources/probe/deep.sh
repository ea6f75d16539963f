# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# What only a deep snapshot asks: device descriptors, listening ports, /dev/shm, kernel log.

deep() {
    up
    s=$U
    O=$(grep -hsE '^ *[0-9]+: [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:[0-9A-F]+ 0A ' net/tcp net/tcp6)
    emit tcp 0 "$s" "$O"
    sockets= inodes=
    set -f
    IFS=$NL
    for l in $O; do
        IFS=' '
        set -- $l
        inodes="$inodes ${10}"
        sockets="$sockets^[0-9]*/[a-z0-9/]*fd/[0-9]* socket:.${10}.\$$NL"
    done
    IFS=" 	$NL"
    set +f
    shm
    mappings
    wanted="^[0-9]*/[a-z0-9/]*fd/[0-9]* /dev/nvidia$NL^[0-9]*/[a-z0-9/]*fd/[0-9]* $SHM/"
    [ -z "$sockets" ] || wanted="$wanted$NL${sockets%"$NL"}"
    up
    s=$U LINKS= EMPTY= last_blind=
    take_links [0-9]*/fd $tasks
    if [ -n "$EMPTY" ]; then
        zombies=$(grep -lsE "$ZOMBIE" $EMPTY)
        tasks_of $zombies
        [ -z "$tasks" ] || take_links $tasks
    fi
    denied=0
    if [ -n "$BLIND" ] || [ "$HIDE" = 1 ]; then denied=1; fi
    emit fds "$denied" "$s" "$LINKS"
    emit blind 0 "$s" "$BLIND"
    kernel_log
}
# Who maps a file of /dev/shm, by device and inode; and zombie leaders whose threads live on, where find does not name
# those that have no descriptors: one pass.
mappings() {
    up
    s=$U O= list= tasks= stats=
    [ "$FIND" = gnu ] || stats='[0-9]*/stat'
    [ -n "$MAPS_FILES$stats" ] || return
    O=$(grep -soHE "$MAPS_PATTERN" $MAPS_FILES $stats | head -c 2000000)
    zombies=
    set -f
    IFS=$NL
    for l in $O; do
        case $l in
        */stat:*) zombies="$zombies ${l%%:*}" ;;
        *) list=$list$l$NL ;;
        esac
    done
    IFS=" 	$NL"
    set +f
    if [ -n "$MAPS_FILES" ]; then emit maps 0 "$s" "$list"; fi
    tasks_of $zombies
}
# The descriptors of the threads of processes that are named by their stat.
tasks_of() {
    tasks=
    for p in "$@"; do
        for t in "${p%/stat}"/task/*/fd; do tasks="$tasks $t"; done
    done
}
# Adds to LINKS what stands in these directories and is wanted; notes who holds a device, who may not be looked at and
# who has no descriptors at all.
take_links() {
    if [ "$FIND" = gnu ]; then O=$(found_links "$@"); else O=$(listed_links "$@"); fi
    last=
    set -f
    IFS=$NL
    for l in $O; do
        case $l in
        'denied '*) blind_of "$l" ;;
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
    O=$NL$O
    if [ "$FIND" = gnu ]; then O=${O%"${NL}denied "*}; else O=$(printf '%s\n' "$O" | grep -v '^denied '); fi
    LINKS=$LINKS$O
}
found_links() {
    {
        denied=$(find "$@" -maxdepth 1 -type l -printf '%p %l\0' -o -empty -fprintf /dev/stderr 'empty %p\n' 2>&1 1>&4 4>&-)
        printf 'denied %s\0' "$denied"
    } 4>&1 | grep -zsa -e "$wanted" -e '^denied ' | tr '\0\n' '\n\001'
}
# Processes whose descriptors may not be listed, from the messages of find and ls ("find: '12/fd/3': Permission denied"),
# and those that have none.
blind_of() {
    IFS=$SEP
    for e in $1; do
        case $e in
        'empty '*|'denied empty '*) e=${e##* }; EMPTY="$EMPTY ${e%/fd}/stat" ;;
        *'ermission denied'*)
            e=${e%%/fd*}
            e=${e##*[!0-9]}
            [ -n "$e" ] && [ "$e" != "$last_blind" ] || continue
            last_blind=$e
            BLIND="$BLIND $e"
            ;;
        esac
    done
    IFS=$NL
}
# A find without -printf: one ls says where to look, readlink of those few says what is there.
listed_links() {
    ls -l "$@" 2>&1 | while IFS= read -r l; do
        case $l in
        'ls: '*'ermission denied') printf 'denied %s\n' "$l" ;;
        [0-9]*/fd:) d=${l%:}; case $d in *[!0-9a-z/]*) d= ;; esac ;;
        l*' -> '*/dev/nvidia*|l*' -> socket:['*|l*" -> $SHM/"*)
            a=${l##*' -> socket:['}
            case $l in *' -> socket:['*) case "$inodes " in *" ${a%]} "*) ;; *) continue ;; esac ;; esac
            a=${l%% -> *}
            a=${a##* }
            case $a in ''|*[!0-9]*) continue ;; esac
            [ -z "$d" ] || printf '%s/%s %s\n' "$d" "$a" "$(readlink "$d/$a" 2>/dev/null | tr '\n' '\001')"
            ;;
        esac
    done | sed "s/$SEP\$//" | grep -a -e "$wanted" -e '^denied '
}
shm() {
    up
    s=$U O= R=0
    set -- "$SHM"/* "$SHM"/.[!.]* "$SHM"/..?*
    if [ "$*" = "$SHM/* $SHM/.[!.]* $SHM/..?*" ] && [ ! -e "$1" ]; then
        :
    elif [ "$FIND" = gnu ]; then
        O=$(find "$SHM" -maxdepth 1 -type f -printf '%D %i %s %U %p\0' 2>/dev/null | head -c 1000000 | tr '\0\n' '\n\001')
    else
        n=0
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
    MAPS_FILES= ZOMBIE='\) Z ([-0-9]+ ){16}([2-9]|[1-9][0-9])'
    MAPS_PATTERN=$ZOMBIE
    [ -n "$O" ] || return
    dev=
    while read -r a b d c m rest; do
        if [ "$m" = "$SHM" ]; then dev=$d; fi
    done <"$P/self/mountinfo"
    case $dev in
    *:*) dev=$(printf '%02x:%02x' "${dev%:*}" "${dev#*:}") ;;
    *)
        d=${O%% *}
        case $d in ''|*[!0-9]*) return ;; esac
        dev=$(printf '%02x:%02x' $((d >> 8 & 4095)) $((d & 255 | d >> 12 & 1048320)))
        ;;
    esac
    MAPS_FILES='[0-9]*/maps' MAPS_PATTERN="^[0-9a-f]+-[0-9a-f]+ [-rwxps]+ [0-9a-f]+ $dev [0-9]+|$MAPS_PATTERN"
}
kernel_log() {
    up
    s=$U
    what='NVRM|Xid|nvidia|[Oo]ut of memory|oom-kill|oom_reaper|Killed process|blocked for more than|hung_task|AER:'
    O=$( { dmesg 2>/dev/null || echo 'no dmesg: NVRM'; } | grep -aE "$what" | tail -n 80)
    R=0 E=
    case $O in
    *'no dmesg: NVRM')
        both journalctl -k -b -q -n 1000 -o short-iso --no-pager
        # Who may not read the kernel's messages gets none at all and no error, nor does a host without a journal say
        # so; every boot has some.
        if [ "$R" = 0 ] && [ -z "$O" ]; then R=1 E='neither dmesg nor the journal has kernel messages for this account'; fi
        if [ "$R" = 0 ]; then O=$(printf '%s\n' "$O" | grep -aE "$what" | tail -n 80); else O=; fi
        ;;
    esac
    emit kernel "$R" "$s" "$O" "$E"
}
