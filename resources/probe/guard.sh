# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
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
