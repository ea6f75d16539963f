# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Asks systemd for a job of a unit, or only how the unit is. Before this text come UNIT, VERB (start, stop, restart,
# reset-failed, enable, disable, daemon-reload or show) and SCOPE (--user or nothing).
manager() {
    if [ -z "$XDG_RUNTIME_DIR" ] && [ -d "/run/user/$ME" ]; then
        XDG_RUNTIME_DIR=/run/user/$ME
        export XDG_RUNTIME_DIR
    fi
}
verb() {
    case $VERB in
    start | stop | restart) both systemctl $SCOPE --no-ask-password --no-block "$VERB" -- "$UNIT" ;;
    enable | disable) both systemctl $SCOPE --no-ask-password --no-reload "$VERB" -- "$UNIT" ;;
    daemon-reload) both systemctl $SCOPE --no-ask-password daemon-reload ;;
    *) both systemctl $SCOPE --no-ask-password "$VERB" -- "$UNIT" ;;
    esac
}
# Who is left in its control group: "PID COMM", 30 at most. Not as a tree of systemctl's, whose form changes.
members() {
    c=${O#*"${NL}ControlGroup="}
    if [ "$c" = "$O" ]; then return; fi
    c=${c%%"$NL"*}
    case $c in '' | / | *..*) return ;; esac
    d=/sys/fs/cgroup$c
    if [ ! -d "$d" ]; then d=/sys/fs/cgroup/systemd$c; fi
    n=0
    find "$d" -name cgroup.procs -exec cat {} + 2>/dev/null | while read -r pid && [ "$n" -lt 30 ]; do
        n=$((n + 1))
        read -r name 2>/dev/null <"$P/$pid/comm" && printf '%s %s\n' "$pid" "$name"
    done
}
act() {
    manager
    if [ "$VERB" != show ]; then
        crumb
        up
        s=$U
        if still_mine; then
            verb
            emit job "$R" "$s" "$O" "$E"
        fi
    fi
    up
    s=$U
    both systemctl $SCOPE show --property=LoadState,LoadError,ActiveState,SubState,Result,Type,Job,MainPID,ControlPID,ControlGroup,ExecMainCode,ExecMainStatus,NRestarts,InvocationID,UnitFileState,NeedDaemonReload,StatusText,ConditionResult,Restart,TimeoutStartUSec,TimeoutStopUSec,KillMode -- "$UNIT"
    emit unit "$R" "$s" "$O" "$E"
    O=$NL$O
    M=$(members)
    emit members 0 "$U" "$M"
}
perform
exit
