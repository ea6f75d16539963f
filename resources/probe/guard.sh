# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs a function that may never end. What it prints comes out as fields divided by 0x01; g_run, which the function
# calls for each of its commands, adds two: the command's output with both streams, and "STATUS START END". The last
# field ends in a line "end", "stuck PID START", or "long" where the command says more than anybody can mean. After the
# limit a command and all that it started are told to end, killed a second later, and left alone where they live on.
guard() {
    g_limit=$1
    shift
    {
        read -r g_me g_rest </proc/self/stat
        g_over= g_stuck= g_pid=
        # Before the traps: a child that was only forked yet would catch its end by our handler, and live on.
        g_watchdog &
        g_watch=$!
        trap 'g_over=1' USR1
        trap 'stat_of "$g_pid" && g_family=$g_pid:$ST_START && g_signal KILL; kill $g_watch 2>/dev/null; exit' TERM HUP
        "$@"
        kill $g_watch 2>/dev/null
        [ -n "$g_stuck" ] || printf '%s end\n' "$N"
    } | {
        g_n=0
        set -f
        while IFS= read -r g_l; do
            g_n=$((g_n + ${#g_l} + 1))
            if [ "$g_n" -gt 524288 ]; then printf '\nlong'; break; fi
            case $g_l in
            "$N rc "*) printf '%s%s%s' "$SEP" "${g_l#"$N rc "}" "$SEP" ;;
            "$N "*) printf '%s' "${g_l#"$N "}"; break ;;
            *"$SEP"*)
                IFS=$SEP
                set -- $g_l
                IFS='?'
                printf '%s\n' "$*"
                ;;
            *) printf '%s\n' "$g_l" ;;
            esac
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
    g_pid=
    if [ -n "$g_over" ]; then
        if wait $g_watch; then g_rc=143; else g_stuck=1; fi
        g_watch=
    fi
    up
    [ -n "$g_stuck" ] || printf '\n%s rc %s %s %s\n' "$N" "$g_rc" "$g_start" "$U"
}
g_sleep() {
    sleep "$1" &
    wait $!
}
# Ends what takes longer than the limit; its status is 1 where something lives on, which it names.
g_watchdog() {
    exec 3>&1 >/dev/null 2>&1
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
    g_same || exit
    kill -USR1 "$g_me"
    g_family="$g_child:$g_born"
    g_end TERM
    g_end KILL
    printf '\n%s stuck %s\n' "$N" "$g_left" >&3
    exit 1
}
# Our child and all that it started have a second to end.
g_end() {
    g_signal "$1"
    g_turns=0
    while g_alive; do
        [ "$g_turns" -lt 5 ] || return
        g_turns=$((g_turns + 1))
        g_sleep 0.2 || { g_sleep 1; g_turns=5; }
    done
    exit 0
}
g_signal() {
    g_find
    for g_p in $g_family; do
        stat_of "${g_p%:*}" && [ "$ST_START" = "${g_p#*:}" ] && kill "-$1" "${g_p%:*}"
    done 2>/dev/null
}
# Adds to the family (PID:START) whoever has a parent in it, until nobody does. Who was seen in it stays when his parent
# has gone; a number that has gone counts no longer, lest another process get it.
g_find() {
    g_known=
    for g_p in $g_family; do
        stat_of "${g_p%:*}" && [ "$ST_START" = "${g_p#*:}" ] && g_known="$g_known $g_p"
    done
    g_family=
    while [ "$g_known" != "$g_family" ]; do
        g_family=$g_known
        for p in "$P"/[0-9]*; do
            stat_of "${p##*/}" || continue
            case "$g_known " in
            *" ${p##*/}:"*) ;;
            *" $ST_PPID:"*) g_known="$g_known ${p##*/}:$ST_START" ;;
            esac
        done
    done
}
# Whether somebody of the family lives; g_left becomes "PID START" of the first.
g_alive() {
    for g_p in $g_family; do
        stat_of "${g_p%:*}" && [ "$ST_START" = "${g_p#*:}" ] || continue
        case $ST_STATE in Z|X) continue ;; esac
        g_left="${g_p%:*} $ST_START"
        return
    done
    return 1
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
