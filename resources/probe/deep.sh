# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# What only a deep snapshot asks: device descriptors, listening ports, /dev/shm, kernel log, connections,
# parents, who is logged in.

LOGINS=${PILOTHOUSE_RUN_LOGINS:-/run/systemd/sessions}

deep() {
    ports_and_log
    up
    s=$U LINKS= EMPTY= FILES= FILES_CUT=0 LINKS_CUT=0 last_blind= known="$MATCH $MEMBERS"
    look_into_shm
    take_links [0-9]*/fd $shm_there
    emit shm "$FILES_CUT" "$s" "$FILES"
    mappings
    [ -z "$tasks" ] || take_links $tasks
    take_late
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
# Holders that nothing else had named: their sockets and pipes too.
take_late() {
    late= dirs=
    for p in $HOLDERS; do
        case " $known " in *" $p "*) ;; *) late="$late $p" dirs="$dirs $p/fd" ;; esac
    done
    [ -n "$late" ] || return
    known=$late
    for t in $tasks; do
        case " $late " in *" ${t%%/*} "*) dirs="$dirs $t" ;; esac
    done
    take_links $dirs
}
one_of() {
    IFS='|'
    any="$*"
    IFS=" 	$NL"
}
# Adds to LINKS what stands in these directories and is wanted; behind a line "shm" stand the files of /dev/shm. Notes who
# holds a device, who may not be looked at and who has no descriptors at all. Of the processes in `known` sockets and
# pipes are wanted too.
take_links() {
    wanted="[0-9]+/[a-z0-9/]*fd/[0-9]+ (/dev/nvidia|$SHM/"
    [ -z "$inodes" ] || wanted="$wanted|socket:\\[($inodes)\\]\$"
    wanted="$wanted)"
    one_of $known
    [ -z "$any" ] || wanted="$wanted|($any)/(task/[0-9]+/)?fd/[0-9]+ (socket|pipe):\\[[0-9]+\\]\$"
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
    cut) LINKS_CUT=1 ;;
    *'ermission denied')
        e=${1%%/fd*}
        e=${e##*[!0-9]}
        if [ -n "$e" ] && [ "$e" != "$last_blind" ]; then last_blind=$e BLIND="$BLIND $e"; fi
        ;;
    esac
}
# A find without -printf: one ls says where to look, readlink of those few says what is there; its messages come first.
listed_links() {
    mine= n=0
    ls -l "$@" 2>&1 | while IFS= read -r l; do
        case $l in
        'ls: '*'ermission denied') printf '%s\n' "$l" ;;
        [0-9]*/fd:)
            d=${l%:} mine=
            case $d in *[!0-9a-z/]*) d= ;; esac
            case " $known " in *" ${d%%/*} "*) mine=1 ;; esac
            ;;
        l*' -> '*/dev/nvidia*|l*' -> socket:['*|l*' -> pipe:['*|l*" -> $SHM/"*)
            a=${l##*' -> socket:['}
            case $l in
            *' -> socket:['*|*' -> pipe:['*)
                case "|$inodes|" in
                *"|${a%]}|"*) ;;
                *)
                    [ -n "$mine" ] || continue
                    n=$((n + 1))
                    if [ "$n" -gt 600 ]; then
                        [ "$n" -gt 601 ] || echo cut
                        continue
                    fi
                    ;;
                esac
                ;;
            esac
            a=${l%% -> *}
            a=${a##* }
            case $a in ''|*[!0-9]*) continue ;; esac
            [ -z "$d" ] || printf '%s/%s %s\n' "$d" "$a" "$(readlink "$d/$a" 2>/dev/null | tr '\n' '\001')"
            ;;
        esac
    done | sed "s/$SEP\$//" | grep -aE "^($wanted|ls: |cut\$)" | sort -r
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
# Connections to elsewhere: which of these processes share a network. Each network's table is read once, by figures.
# Loopback's IPv4 is left out as a little-endian host writes it. So many lines of a file at most; a list that has them is
# no list.
connections() {
    up
    s=$U views=self who= NET_FILES='self/net/tcp self/net/tcp6' n=0
    for t in $tasks; do
        case " $1 " in *" ${t%%/*} "*) set -- "$1 ${t%/fd}" ;; esac
    done
    for p in $1; do
        of=
        for v in $views; do
            if [ "$p/ns/net" -ef "$v/ns/net" ]; then of=$v; break; fi
        done
        if [ -z "$of" ]; then
            [ -e "$p/ns/net" ] && [ "$n" -lt 32 ] || continue
            n=$((n + 1)) of=$p views="$views $p" NET_FILES="$NET_FILES $p/net/tcp $p/net/tcp6"
        fi
        who="${who}in $of $p$NL"
    done
    far='([0-9A-F]{6}([0-68-9A-F][0-9A-F]|7[0-9A-E])|[0-9A-F]{32}):[0-9A-F]{4}'
    NET_LINES="|^ *sl |^ *[0-9]+: [0-9A-F]+:[0-9A-F]+ $far 01 " NET_MOST=$((6000 / (n + 1)))
    emit connections "$LINKS_CUT" "$s" "limit $NET_MOST$NL$who"
}
# The names of parents that are not described themselves, from what figures has read. A status writes a line feed in a
# name as two characters.
parents() {
    up
    s=$U files= asked=
    set -f
    IFS=$NL
    for l in $O; do
        case $l in *status:PPid:*) p=${l##*[!0-9]} ;; *) continue ;; esac
        case $p in ''|0|1) continue ;; esac
        case " $full $asked " in *" $p "*) continue ;; esac
        asked="$asked $p" files="$files$p/status$NL"
    done
    IFS=" 	$NL"
    set +f
    [ -n "$files" ] || return
    l=$(grep -Hs '^Name:' $files)
    emit parents 0 "$s" "$l"
}
# Who is logged in, as logind keeps it, and when each terminal was touched, those of a network login too, of which it may
# not know. FIFOs lie there too. The last line is the host's clock: what stands in /proc of a process just started is as
# old as that.
sessions() {
    [ -d "$LOGINS" ] || return
    up
    s=$U files= ttys= O=
    for f in "$LOGINS"/*; do
        case $f in *.ref) continue ;; esac
        if [ -f "$f" ]; then files="$files $f"; fi
    done
    if [ -n "$files" ]; then
        O=$(grep -HsE '^(UID|USER|SCOPE|TTY|STATE|CLASS)=' $files)
        set -f
        for l in $O; do
            case $l in *:TTY=*) t=${l##*:TTY=} ;; *) continue ;; esac
            case $t in ''|pts/*|*[!a-z0-9/]*) continue ;; esac
            ttys="$ttys /dev/$t"
        done
        set +f
        O=$O$NL$(stat -c '%X %u %n' $ttys /dev/pts/[0-9]* /proc/self/stat 2>/dev/null)
    fi
    emit sessions 0 "$s" "$O"
}
