# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# What only a deep snapshot asks: device descriptors, listening ports, /dev/shm, kernel log.

deep() {
    ports_and_log
    up
    s=$U LINKS= EMPTY= FILES= FILES_CUT=0 last_blind=
    look_into_shm
    take_links [0-9]*/fd $shm_there
    emit shm "$FILES_CUT" "$s" "$FILES"
    mappings
    [ -z "$tasks" ] || take_links $tasks
    denied=0
    if [ -n "$BLIND" ] || [ "$HIDE" = 1 ]; then denied=1; fi
    emit fds "$denied" "$s" "$LINKS"
    emit blind 0 "$s" "$BLIND"
}
# Listening ports, and what the kernel said of GPUs and memory: one grep reads both, and the file's name in front of each
# line tells which it is. The log comes first, its newest lines last; 80 of them count.
ports_and_log() {
    up
    s=$U R=0 E= ports= log= inodes= n=0
    what='NVRM|Xid|nvidia|[Oo]ut of memory|oom-kill|oom_reaper|Killed process|blocked for more than|hung_task|AER:'
    listening='^ *[0-9]+: [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:[0-9A-F]+ 0A '
    O=$( { dmesg 2>/dev/null || echo 'no dmesg: NVRM'; } | grep -aHsE "$what|$listening" $STDIN_FILE net/tcp net/tcp6)
    set -f
    IFS=$NL
    set -- $O
    for l in "$@"; do
        case $l in net/tcp*) break ;; esac
        n=$((n + 1))
    done
    [ "$n" -le 80 ] || shift $((n - 80))
    for l in "$@"; do
        case $l in
        net/tcp*)
            ports=$ports${l#*:}$NL
            IFS=' '
            set -- ${l#*:}
            inodes="$inodes${inodes:+|}${10}"
            ;;
        *) log=$log${l#*:}$NL ;;
        esac
    done
    IFS=" 	$NL"
    set +f
    emit tcp 0 "$s" "$ports"
    case $log in
    *"no dmesg: NVRM$NL")
        both journalctl -k -b -q -n 1000 -o short-iso --no-pager
        # Who may not read the kernel's messages gets none at all and no error, nor does a host without a journal say
        # so; every boot has some.
        if [ "$R" = 0 ] && [ -z "$O" ]; then R=1 E='neither dmesg nor the journal has kernel messages for this account'; fi
        if [ "$R" = 0 ]; then log=$(printf '%s\n' "$O" | grep -aE "$what" | tail -n 80); else log=; fi
        ;;
    esac
    emit kernel "$R" "$s" "$log" "$E"
}
# Who maps a file of /dev/shm, by device and inode; and zombie leaders whose threads live on, among those without
# descriptors, or among all where find does not name these: one pass.
mappings() {
    up
    s=$U list= tasks= maps= stats=$EMPTY zombies=
    pattern='\) Z ([-0-9]+ ){16}([2-9]|[1-9][0-9])'
    [ "$FIND" = gnu ] || stats='[0-9]*/stat'
    if [ -n "$FILES" ]; then
        shm_device
        [ -z "$SHM_DEVICE" ] || maps='[0-9]*/maps'
        pattern="^[0-9a-f]+-[0-9a-f]+ [-rwxps]+ [0-9a-f]+ $SHM_DEVICE [0-9]+|$pattern"
    fi
    [ -n "$maps$stats" ] || return
    O=$(grep -soHE "$pattern" $maps $stats | head -c 2000000)
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
    if [ -n "$maps" ]; then emit maps 0 "$s" "$list"; fi
    tasks_of $zombies
}
# The number of $SHM's device as maps write it, looked up again when the files lie on another one.
shm_device() {
    number=${FILES%% *}
    [ "$number" != "$SHM_NUMBER" ] || return
    SHM_NUMBER=$number SHM_DEVICE= dev=
    while read -r a b d c m rest; do
        if [ "$m" = "$SHM" ]; then dev=$d; fi
    done <"$P/self/mountinfo"
    case $dev in
    *:*) SHM_DEVICE=$(printf '%02x:%02x' "${dev%:*}" "${dev#*:}") ;;
    *)
        case $number in ''|*[!0-9]*) return ;; esac
        SHM_DEVICE=$(printf '%02x:%02x' $((number >> 8 & 4095)) $((number & 255 | number >> 12 & 1048320)))
        ;;
    esac
}
# The descriptors of the threads of processes that are named by their stat.
tasks_of() {
    tasks=
    for p in "$@"; do
        for t in "${p%/stat}"/task/*/fd; do tasks="$tasks $t"; done
    done
}
# Adds to LINKS what stands in these directories and is wanted; behind a line "shm" stand the files of /dev/shm. Notes who
# holds a device, who may not be looked at and who has no descriptors at all.
take_links() {
    wanted="[0-9]+/[a-z0-9/]*fd/[0-9]+ (/dev/nvidia|$SHM/"
    [ -z "$inodes" ] || wanted="$wanted|socket:\\[($inodes)\\]\$"
    wanted="$wanted)"
    # bash warns of the zero byte that ends it.
    if [ "$FIND" = gnu ]; then { O=$(found_links "$@"); } 2>/dev/null; else O=$(listed_links "$@"); fi
    last= n=0 messages=0 shm_at=0
    set -f
    IFS=$NL
    set -- $O
    for l in "$@"; do
        n=$((n + 1))
        case $l in
        *' /dev/nvidia'*)
            p=${l%%/*}
            [ "$p" != "$last" ] || continue
            last=$p
            case " $HOLDERS " in *" $p "*) ;; *) HOLDERS="$HOLDERS $p" ;; esac
            ;;
        [0-9]*) ;;
        shm) shm_at=$n; break ;;
        *) messages=$n; blind_of "$l" ;;
        esac
    done
    # In one piece: a shell copies all of a text to add a line to it.
    shift "$messages"
    O=$NL"$*"$NL
    LINKS=$LINKS${O%%"${NL}shm$NL"*}
    if [ "$shm_at" -gt 0 ]; then
        shift $((shm_at - messages))
        FILES="$*"
    fi
    IFS=" 	$NL"
    set +f
}
# What find says of trouble, and the directories that are empty, go past sed, which prints nothing before find has ended.
found_links() {
    {
        find "$@" -maxdepth 1 -type l -printf '\0%p %l' -o -type f -printf '\0%D %i %s %U %p' -o -path "$SHM" \
            -printf '\0shm' -o ! -path "$SHM/*" -empty -fprintf /dev/stderr 'empty %p\n' 2>&3 3>&- |
            sed -nzE "\\,^($wanted|[0-9]+ [0-9]+ [0-9]+ [0-9]+ $SHM/|shm\$),{s/\n/\x01/g;s/^/\n/;H};\${x;s/\x00//g;p}" 3>&-
    } 3>&1 2>/dev/null
}
# Processes whose descriptors may not be listed, from the messages of find and ls ("find: '12/fd/3': Permission denied"),
# and those that have none.
blind_of() {
    case $1 in
    'empty '*) e=${1#empty }; EMPTY="$EMPTY ${e%/fd}/stat" ;;
    *'ermission denied')
        e=${1%%/fd*}
        e=${e##*[!0-9]}
        if [ -n "$e" ] && [ "$e" != "$last_blind" ]; then last_blind=$e BLIND="$BLIND $e"; fi
        ;;
    esac
}
# A find without -printf: one ls says where to look, readlink of those few says what is there; its messages come first.
listed_links() {
    ls -l "$@" 2>&1 | while IFS= read -r l; do
        case $l in
        'ls: '*'ermission denied') printf '%s\n' "$l" ;;
        [0-9]*/fd:) d=${l%:}; case $d in *[!0-9a-z/]*) d= ;; esac ;;
        l*' -> '*/dev/nvidia*|l*' -> socket:['*|l*" -> $SHM/"*)
            a=${l##*' -> socket:['}
            case $l in *' -> socket:['*) case "|$inodes|" in *"|${a%]}|"*) ;; *) continue ;; esac ;; esac
            a=${l%% -> *}
            a=${a##* }
            case $a in ''|*[!0-9]*) continue ;; esac
            [ -z "$d" ] || printf '%s/%s %s\n' "$d" "$a" "$(readlink "$d/$a" 2>/dev/null | tr '\n' '\001')"
            ;;
        esac
    done | sed "s/$SEP\$//" | grep -aE "^($wanted|ls: )" | sort -r
}
# Sets shm_there to the folder where find is to list its files, or lists them here. More than 10,000 are not listed.
look_into_shm() {
    shm_there=
    set -- "$SHM"/* "$SHM"/.[!.]* "$SHM"/..?*
    if [ $# -gt 10000 ]; then FILES_CUT=1; return; fi
    if [ "$*" = "$SHM/* $SHM/.[!.]* $SHM/..?*" ] && [ ! -e "$1" ]; then return; fi
    if [ "$FIND" = gnu ]; then shm_there=$SHM; return; fi
    n=0
    for f in "$@"; do
        [ -f "$f" ] && [ ! -L "$f" ] || continue
        n=$((n + 1))
        if [ "$n" -gt 256 ]; then FILES_CUT=1; break; fi
        a=$(stat -c '%d %i %s %u' "$f" 2>/dev/null) || continue
        b=$(printf '%s' "$f" | tr '\n' '\001')
        FILES="$FILES$a $b$NL"
    done
}
