# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# One long-lived shell on a GPU host that answers "ask" lines with framed sections. POSIX sh and utilities only.
# Protocol and rules of the house: README.md beside this file. Comment lines are removed before it is sent; nothing
# may stand behind a # on a line of code. Before this text come assignments: N (nonce of the READY answer), PATS (words
# to look for in command lines) and PROPS (of units).

set +x +v +e +u +f
IFS=' 	
'
unalias -a 2>/dev/null
unset -f grep find head base64 od sleep tr ls systemctl getent dmesg printf read kill test cd 2>/dev/null
P=${PILOTHOUSE_PROC:-/proc}
Y=${PILOTHOUSE_SYS:-/sys}
SHM=${PILOTHOUSE_SHM:-/dev/shm}
RUN_SYSTEMD=${PILOTHOUSE_RUN_SYSTEMD:-/run/systemd/system}
LC_ALL=C TZ=UTC SYSTEMD_BUS_TIMEOUT=4s SYSTEMD_COLORS=0 SYSTEMD_PAGER=
export LC_ALL TZ SYSTEMD_BUS_TIMEOUT SYSTEMD_COLORS SYSTEMD_PAGER
LOGIN_LL=$LD_LIBRARY_PATH LOGIN_LP=$LD_PRELOAD
unset LD_LIBRARY_PATH LD_PRELOAD GREP_OPTIONS GREP_COLOR POSIXLY_CORRECT ENV BASH_ENV
ulimit -c 0 2>/dev/null
command -v grep >/dev/null 2>&1 || PATH=$PATH:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
NL='
'
ID=$2 RUN=$3 ROLE=$4
SEP=$(printf '\001')
HZ=100 PAGE=4 ENCODE=base64 GREP=slow CG= SMI= REFUSED= KEEP_LD= KNOWN_UIDS= SEEN_D= OWN_SMI= CHECK_SMI=1 SHM_NUMBER= SHM_DEVICE=

up() { read -r U U_REST <"$P/uptime" || U=0; }

# What is said is collected and leaves in few pieces: every piece is a packet that wakes both ends.
emit() {
    up
    SECTIONS=$((SECTIONS + 1))
    OUT="$OUT@PH $N SECTION $1 $2 $3 $U ${#4} ${#5}$NL$4$5$NL"
    if [ ${#OUT} -gt 32000 ]; then flush; fi
}
flush() {
    printf '%s' "$OUT"
    OUT=
}
begin() {
    up
    SECTIONS=0
    OUT="$NL@PH $N BEGIN $T $ROLE $U$NL"
}
finish() {
    up
    OUT="$OUT@PH $N END $T $SECTIONS $U$NL"
    flush
}

# Runs a command; O is its output, E its standard error, R its status.
both() {
    X=$( { o=$("$@" 2>&3 3>&-); printf '%s.%s.%s' "$N" "$?" "$o"; } 3>&1 2>/dev/null </dev/null)
    E=${X%%"$N"*}
    X=${X#"$E$N."}
    R=${X%%.*}
    O=${X#*.}
    if [ ${#E} -gt 4096 ]; then E='(more than 4 KiB of messages)'; fi
}

# /proc/PID/stat read whole: comm may hold line feeds and brackets. The patterns are those that a shell matches in one
# pass: `${x#*y}` and `${x##*y}` try every prefix from its beginning.
stat_of() {
    ST= ST_COMM= ST_STATE= ST_START=
    { while IFS= read -r L; do ST=$ST$L$NL; done; } 2>/dev/null <"$P/$1/stat" || return 1
    [ -n "$ST" ] || return 1
    ST_COMM=${ST%\)*}
    set -f
    set -- ${ST#"$ST_COMM)"}
    set +f
    ST_COMM=${ST_COMM#*\(}
    ST_STATE=$1 ST_PPID=$2 ST_START=${20} ST_CPU=${12}+${13}
}

# Runs a function that may never end. What it prints comes out as fields divided by 0x01; g_run, which the function
# calls for each of its commands, adds two: the command's output with both streams, and "STATUS START END". The last
# field is "end", or "stuck PID START". A command is told to end after the limit, killed a second later, and left alone
# when it lives on.
guard() {
    g_limit=$1
    shift
    {
        read -r g_me g_rest </proc/self/stat
        g_stuck= g_pid=
        # Before the traps: a child that was only forked yet would catch its end by our handler, and live on.
        g_watchdog &
        g_watch=$!
        trap 'g_stuck=1' USR1
        trap 'kill -KILL $g_pid 2>/dev/null; kill $g_watch 2>/dev/null; exit' TERM HUP
        "$@"
        if [ -n "$g_stuck" ] && stat_of $g_pid && [ "$ST_STATE" != Z ]; then
            printf '%s stuck %s %s\n' "$N" "$g_pid" "$ST_START"
        else
            kill $g_watch 2>/dev/null
            printf '%s end\n' "$N"
        fi
    } | {
        g_n=0
        while IFS= read -r g_l; do
            case $g_l in
            "$N rc "*) printf '%s%s%s' "$SEP" "${g_l#"$N rc "}" "$SEP" ;;
            "$N "*) printf '%s' "${g_l#"$N "}"; break ;;
            *"$SEP"*) printf '%s\n' "$g_l" | tr '\001' '?' ;;
            *) printf '%s\n' "$g_l" ;;
            esac
            g_n=$((g_n + 1))
            if [ "$g_n" -gt 6000 ]; then printf '%s141 0 0%send' "$SEP" "$SEP"; break; fi
        done
    }
}
g_run() {
    up
    g_start=$U
    "$@" </dev/null 2>&1 &
    g_pid=$!
    wait $g_pid
    g_rc=$?
    up
    [ -n "$g_stuck" ] || printf '\n%s rc %s %s %s\n' "$N" "$g_rc" "$g_start" "$U"
}
g_sleep() {
    sleep "$1" &
    wait $!
}
g_watchdog() {
    exec >/dev/null 2>&1
    g_before=$!
    # SIGKILL: a child that was only forked yet may still have our handler and would lose another signal.
    trap '[ "$!" = "$g_before" ] || kill -KILL $!; exit' TERM
    trap - USR1 HUP
    read -r g_own g_rest </proc/self/stat
    g_sleep "$g_limit"
    while :; do
        g_children
        [ -n "$g_child" ] && stat_of "$g_child" || exit
        g_born=$ST_START
        up
        g_age=$((${U%.*} - ST_START / HZ))
        [ "$g_age" -lt "$g_limit" ] || break
        g_sleep $((g_limit - g_age))
    done
    g_same && kill -TERM "$g_child"
    g_sleep 1
    g_same && kill -KILL "$g_child"
    g_sleep 1
    g_same && kill -USR1 "$g_me"
}
# Still our guard and the child that we meant: the guard may have ended without us, and a number be another's by now.
g_same() {
    stat_of "$g_own" && [ "$ST_PPID" = "$g_me" ] && stat_of "$g_child" && [ "$ST_START" = "$g_born" ]
}
# The guard's only child beside the watchdog.
g_children() {
    g_child= g_all=
    stat_of "$g_own" && [ "$ST_PPID" = "$g_me" ] || return
    read -r g_all <"/proc/$g_me/task/$g_me/children"
    if [ -z "$g_all" ]; then
        for p in "$P"/[0-9]*; do
            stat_of "${p##*/}" && [ "$ST_PPID" = "$g_me" ] && g_all="$g_all ${p##*/}"
        done
    fi
    for p in $g_all; do
        if [ "$p" != "$g_own" ]; then g_child=$p; fi
    done
}
