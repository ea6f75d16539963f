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
    ST= ST_COMM= ST_STATE= ST_START= ST_THREADS=
    { while IFS= read -r L; do ST=$ST$L$NL; done; } 2>/dev/null <"$P/$1/stat" || return 1
    [ -n "$ST" ] || return 1
    ST_COMM=${ST%\)*}
    set -f
    set -- ${ST#"$ST_COMM)"}
    set +f
    ST_COMM=${ST_COMM#*\(}
    ST_STATE=$1 ST_PPID=$2 ST_THREADS=${18} ST_START=${20} ST_CPU=${12}+${13}
}
