# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# A unit's own log lines as JSON, one a line; changes nothing and needs no lock. Before this text come UNIT, SCOPE (--user or
# nothing), INVOCATION (empty: of all of them) and LINES. systemd's own words of an invocation stand under another field
# than the unit's.
log() {
    FIELDS=__REALTIME_TIMESTAMP,PRIORITY,MESSAGE,_PID,SYSLOG_IDENTIFIER
    if [ -n "$INVOCATION" ] && [ -n "$SCOPE" ]; then
        set -- "_SYSTEMD_INVOCATION_ID=$INVOCATION" + "USER_INVOCATION_ID=$INVOCATION"
    elif [ -n "$INVOCATION" ]; then
        set -- "_SYSTEMD_INVOCATION_ID=$INVOCATION" + "INVOCATION_ID=$INVOCATION"
    elif [ -n "$SCOPE" ]; then
        set -- "--user-unit=$UNIT"
    else
        set -- "--unit=$UNIT"
    fi
    journalctl --quiet --no-pager --output=json "--output-fields=$FIELDS" "--lines=$LINES" "$@" </dev/null 2>&1 | head -c 3000000
}
perform() {
    begin
    up
    s=$U
    if command -v journalctl >/dev/null 2>&1; then
        O=$(log)
        emit log 0 "$s" "$O"
    else
        emit log 127 "$s" ''
    fi
    finish
}
perform
exit
