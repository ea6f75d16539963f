# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# The kernel's truth: processes that the rules know, units, memory.

# Every line that grep prints begins with the true file name, so no title can pretend to be another process's.
detail() {
    section=$1
    [ -n "$2" ] || return
    up
    s=$U n=0 files= status= cmds= waits=
    for p in $2; do
        files="$files $p/stat $p/cgroup" cmds="$cmds $p/cmdline" status="$status $p/status" waits="$waits $p/wchan"
        n=$((n + 1))
    done
    if [ "$GREP" != slow ]; then
        max=$((n * 3072 + 65536))
        O=$(if [ "$GREP" = strip ]; then grep -aoHs -e "$ANY" $files $cmds; else grep -aHs '' $files $cmds; fi | head -c $max | $ENCODE)
        if [ ${#O} -ge $((max * 4 / 3)) ]; then
            O=$(grep -aHs '' $files | head -c $max | $ENCODE)
            slow=$cmds
        else
            slow=
        fi
        emit "$section" 0 "$s" "$O"
    else
        slow="$files $cmds"
    fi
    if [ -n "$slow" ]; then
        O=$(for f in $slow; do printf '\n%s %s\n' "$N" "$f"; head -c 4096 "$f" 2>/dev/null; done | $ENCODE)
        emit "$section-slow" 0 "$s" "$O"
    fi
    STATUS_FILES=$status WCHAN_FILES=$waits
}
# One grep for the host's figures and what processes' status says; no line of these files can be made to look like
# another. A deep look wants more of it, where the kernel has them wait, and the connections of their networks.
figures() {
    up
    s=$U more='Uid' deeper= place= most=6000
    if [ "$D" = deep ]; then
        more='Uid|PPid|SigPnd|ShdPnd|VmLck|VmPin' deeper="$WCHAN_FILES $NET_FILES" most=$NET_MOST
        place="|^[A-Za-z_][A-Za-z0-9_.]*\$$NET_LINES"
    fi
    O=$(grep -HsE -m "$most" "^(Mem(Total|Free|Available)|Buffers|Cached|Swap(Total|Free)|Shmem|Unevictable|Mlocked|$more):|^oom_kill |^[0-9.]+ [0-9.]+ $place" meminfo vmstat loadavg $STATUS_FILES $deeper)
    emit host $? "$s" "$O"
}
users() {
    new= take=0
    set -f
    for l in $O; do
        case $l in *status:Uid:*) take=1; continue ;; esac
        [ "$take" = 1 ] || continue
        take=0
        case " $KNOWN_UIDS " in *" $l "*) ;; *) KNOWN_UIDS="$KNOWN_UIDS $l" new="$new $l" ;; esac
    done
    set +f
    [ -n "$new" ] || return
    up
    s=$U
    O=$(guard 2 g_run names $new)
    emit "$1" 0 "$s" "${O%%"$SEP"*}"
}
names() {
    if command -v getent >/dev/null 2>&1; then
        exec getent passwd "$@"
    fi
    for u in "$@"; do grep "^[^:]*:[^:]*:$u:" /etc/passwd; done
}
matches() {
    up
    s=$U MATCH= LIMIT=0 n=0
    O=$(printf '%s\n' "$PATS" | grep -ls $FIXED -f $STDIN_FILE [0-9]*/cmdline)
    R=$?
    for f in $O; do
        [ "$f" != "$$/cmdline" ] || continue
        n=$((n + 1))
        if [ "$n" -gt "$CAP" ]; then LIMIT=1; break; fi
        MATCH="$MATCH ${f%/cmdline}"
    done
    if [ "$R" -le 2 ] && { [ "$P" != /proc ] || [ -r "$$/cmdline" ]; }; then R=0; fi
    emit match "$R" "$s" "limit=$LIMIT$NL$MATCH"
}

show() {
    section=$1 scope=$2 list=$3
    up
    s=$U
    set -f
    both systemctl $scope show --no-pager -p "$PROPS" -- $list
    # One bad name costs all the others their answer; without systemd or its bus there is nothing to ask again.
    case $R$O.$E in
    0*|*'onnect to'*|*'not been booted'*|*ost\ is\ down*) again= ;;
    *) again=$HAVE_SYSTEMCTL ;;
    esac
    if [ "$again" = 1 ] && [ -z "$O" ]; then
        all= allE= worst=$R
        for u in $list; do
            both systemctl $scope show --no-pager -p "$PROPS" -- "$u"
            all=$all$O$NL$NL allE=$allE$E
            if [ "$R" = 0 ]; then worst=0; fi
        done
        O=$all E=$allE R=$worst
    fi
    set +f
    emit "$section" "$R" "$s" "$O" "$E"
    set -f
    IFS=$NL
    for l in $O; do
        IFS=" 	$NL"
        set +f
        case $l in ControlGroup=/?*) procs_of "${l#ControlGroup=}" ;; esac
    done
    IFS=" 	$NL"
    set +f
}
procs_of() {
    for f in "$CG$1"/cgroup.procs "$CG$1"/*/cgroup.procs "$CG$1"/*/*/cgroup.procs "$CG$1"/*/*/*/cgroup.procs; do
        [ -r "$f" ] || continue
        while read -r p; do
            case $p in 0|''|*[!0-9]*) continue ;; esac
            n_members=$((n_members + 1))
            if [ "$n_members" -gt "$CAP" ]; then LIMIT=1; break; fi
            case " $MEMBERS " in *" $p "*) ;; *) MEMBERS="$MEMBERS $p" ;; esac
        done <"$f"
    done
}

kernel() {
    MEMBERS= HOLDERS= BLIND= STATUS_FILES= WCHAN_FILES= n_members=0
    matches
    if [ -n "$UNITS" ]; then show units '' "$UNITS"; fi
    if [ -n "$UUNITS" ]; then
        scope=--user
        if [ "$MYUID" = 0 ] && [ -n "$SUDO_USER" ]; then scope="--user --machine=$SUDO_USER@.host"; fi
        show uunits "$scope" "$UUNITS"
    fi
    if [ -n "$MEMBERS" ]; then up; emit members "$LIMIT" "$U" "$MEMBERS"; fi
    if [ "$D" = deep ]; then deep; sessions; fi
    full=$MATCH
    for p in $MEMBERS $HOLDERS; do
        case " $full " in *" $p "*) ;; *) full="$full $p" ;; esac
    done
    if [ "$D" = deep ]; then connections "$full"; fi
    detail procs "$full"
    figures
    if [ "$D" = deep ]; then parents; fi
    users users
    # The other part may take long, or never end.
    case $WHO in *driver*) up; emit kernel-done 0 "$U" ''; flush ;; esac
}
