# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Reads a unit for the unit check: its properties, its files, and what else the check must know. Of environment files only
# the names leave the host, never a value. Changes nothing and needs no lock. Before this text come UNIT, SCOPE (--user or
# nothing) and PROPS.

# Names set by an environment file, by the states of systemd's own reader: a quoted value may hold lines that look like
# assignments. \043 is the sign of a comment.
NAMES='
{
    t = $0 "\n"
    for (i = 1; i <= length(t); i++) {
        c = substr(t, i, 1)
        if (s == 0) {
            if (c == " " || c == "\t" || c == "\r" || c == "\n") continue
            if (c == "\043" || c == ";") s = 7
            else { s = 1; k = c }
        } else if (s == 1) {
            if (c == "\n") s = 0
            else if (c == "=") {
                sub(/[ \t]+$/, "", k)
                if (length(k) <= 64 && k ~ /^[A-Za-z_][A-Za-z0-9_]*$/) print "name " n " " k
                s = 2
            } else k = k c
        } else if (s == 2 || s == 3) {
            if (c == "\n") s = 0
            else if (c == "\\") s = 6
            else if (s == 2 && c == q) s = 4
            else if (s == 2 && c == "\"") s = 5
            else if (c != " " && c != "\t") s = 3
        } else if (s == 4) { if (c == q) s = 2 }
        else if (s == 5) { if (c == "\"") s = 2; else if (c == "\\") s = 8 }
        else if (s == 6) s = 3
        else if (s == 7) { if (c == "\n") s = 0; else if (c == "\\") s = 9 }
        else if (s == 8) s = 5
        else if (s == 9) s = 7
    }
}'
# Tells "ok" for a file that is not there, too: it sets nothing.
names_of() {
    told=ok
    IFS=$NL
    for f in $2; do
        [ -e "$f" ] || continue
        if [ -f "$f" ] && [ -r "$f" ] && command -v awk >/dev/null 2>&1; then continue; fi
        told=no
    done
    printf 'file %s %s\n' "$1" "$told"
    [ "$told" = ok ] || return
    for f in $2; do
        if [ -e "$f" ]; then head -c 262144 -- "$f" | awk -v n="$1" -v q="'" "$NAMES"; fi
    done
}
host_lines() {
    systemctl $SCOPE show-environment 2>/dev/null </dev/null | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/manager \1/p'
    n=0 account=
    printf '%s\n' "$PROPERTIES" | {
        while IFS= read -r l; do
            case $l in
            EnvironmentFiles=/*)
                n=$((n + 1))
                l=${l#EnvironmentFiles=}
                (names_of "$n" "${l% (ignore_errors=*}")
                ;;
            User=?*) account=${l#User=} ;;
            esac
        done
        if [ -n "$account" ]; then
            a=$(id -u -- "$account" 2>/dev/null) && printf 'account %s %s\n' "$a" "$(id -G -- "$account" 2>/dev/null)"
        fi
    }
    stat -c 'node %a %u %g %G %n' /dev/nvidia[0-9]* /dev/nvidiactl /dev/nvidia-uvm /dev/kfd 2>/dev/null
}
cat_unit() {
    systemctl $SCOPE --no-pager cat -- "$UNIT" | head -c 262144
}
perform() {
    cd / || exit
    ME=$(id -u)
    if [ -z "$XDG_RUNTIME_DIR" ] && [ -d "/run/user/$ME" ]; then
        XDG_RUNTIME_DIR=/run/user/$ME
        export XDG_RUNTIME_DIR
    fi
    begin
    up
    s=$U
    both systemctl $SCOPE --no-pager show --property="$PROPS" -- "$UNIT"
    emit properties "$R" "$s" "$O" "$E"
    PROPERTIES=$O
    if [ "$R" = 0 ]; then
        up
        s=$U
        both cat_unit
        emit text "$R" "$s" "$O" "$E"
        up
        s=$U
        O=$(host_lines | head -c 100000)
        emit lines 0 "$s" "$O"
    fi
    finish
}
perform
exit
