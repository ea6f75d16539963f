# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Asks systemd for a stop of a unit, or only how the unit is. Before this text come UNIT, VERB (stop or show) and SCOPE (--user
# or nothing).
act() {
    if [ -z "$XDG_RUNTIME_DIR" ] && [ -d "/run/user/$ME" ]; then
        XDG_RUNTIME_DIR=/run/user/$ME
        export XDG_RUNTIME_DIR
    fi
    if [ "$VERB" = stop ]; then
        crumb
        up
        s=$U
        if still_mine; then
            both systemctl $SCOPE --no-ask-password --no-block stop -- "$UNIT"
            emit stop "$R" "$s" "$O" "$E"
        fi
    fi
    up
    s=$U
    both systemctl $SCOPE show --property=ActiveState,SubState,Result,Job,TimeoutStopUSec -- "$UNIT"
    emit unit "$R" "$s" "$O" "$E"
}
perform
exit
