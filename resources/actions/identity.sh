# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Who a process is, asked at the moment of the deed. The truth is /proc, whatever the probe was told to read.
P=/proc
T=0
unset PERL5OPT PERL5LIB PERLLIB PYTHONPATH PYTHONHOME PYTHONSTARTUP

# Ourselves and all that stands above us: the shells, sudo, sshd.
ancestors() {
    OURS=' '
    a=$$
    while [ "$a" -gt 1 ] && stat_of "$a"; do
        OURS="$OURS$a "
        a=$ST_PPID
    done
}
uid_of() {
    UID_NOW=
    { while read -r k v v_rest; do
        if [ "$k" = Uid: ]; then UID_NOW=$v; fi
    done; } 2>/dev/null <"$P/$1/status"
}
in_cgroup() {
    { while IFS= read -r l; do
        case $l in *":$2") return 0 ;; esac
    done; } 2>/dev/null <"$P/$1/cgroup"
    return 1
}
# PID START UID CGROUP, the last two may be empty: WHO is same, gone, other (another process has the number now), changed
# (its user or control group), refused (never to be touched).
same() {
    WHO=refused
    case $1$2$3 in *[!0-9]*) return ;; esac
    case $1 in '' | 0* | 1) return ;; esac
    case $OURS in *" $1 "*) return ;; esac
    WHO=gone
    stat_of "$1" || return
    WHO=other
    [ "$ST_START" = "$2" ] || return
    if [ "$ST_PPID" = 2 ]; then WHO=refused; return; fi
    WHO=gone
    case $ST_STATE in
    X) return ;;
    Z) [ "$ST_THREADS" -gt 1 ] || return ;;
    esac
    WHO=changed
    if [ -n "$3" ]; then
        uid_of "$1"
        [ "$UID_NOW" = "$3" ] || return
    fi
    if [ -n "$4" ]; then in_cgroup "$1" "$4" || return; fi
    WHO=same
}
same_boot() {
    read -r b <"$P/sys/kernel/random/boot_id"
    [ "$b" = "$BOOT" ]
}
