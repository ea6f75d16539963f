# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Facts of the READY answer, and the end of what an earlier connection left.

# Ends what an earlier connection of the same console left: exact argument list, same user, by PID
own_argv() {
    A=$(tr '\0' ' ' <"$P/$1/cmdline" 2>/dev/null)
    case $A in
    *"sh -s pilothouse-probe $ID $RUN "*) return 1 ;;
    *"sh -s pilothouse-probe $ID "*' kernel '|*"sh -s pilothouse-probe $ID "*' driver ') ;;
    *) return 1 ;;
    esac
    set -f
    set -- $A
    set +f
    [ $# -eq 6 ] && [ "$2" = -s ]
}
sweep() {
    SWEPT=0
    for f in $(printf 'pilothouse-probe\n' | grep -lsF -f $STDIN_FILE [0-9]*/cmdline); do
        p=${f%/cmdline}
        [ "$p" != $$ ] && [ -O "$P/$p" ] || continue
        stat_of "$p" || continue
        start=$ST_START
        own_argv "$p" && stat_of "$p" && [ "$ST_START" = "$start" ] && kill "$p" 2>/dev/null && SWEPT=$((SWEPT + 1))
    done
}

abilities() {
    command -v base64 >/dev/null 2>&1 || ENCODE='od -An -v -tx1'
    ANY="^.*[$(printf '\001-\377')].\\{0,1\\}"
    want=$(printf 'x\0y\0\n' | $ENCODE)
    got=$(printf 'x\0y\0\0' | grep -ao "$ANY" 2>/dev/null | $ENCODE)
    if [ "$got" = "$want" ]; then
        GREP=strip
    else
        ANY=
        want=$(printf 'x\0y\0\0\n' | $ENCODE)
        got=$(printf 'x\0y\0\0' | grep -a '' 2>/dev/null | $ENCODE)
        [ "$got" = "$want" ] && GREP=plain
    fi
    # A grep that compares fixed text as C strings sees the first argument alone.
    FIXED=
    [ "$(printf 'a\0b' | grep -cF b 2>/dev/null)" = 1 ] && FIXED=-F
    STDIN_FILE=-
    [ "$(printf 'b\n' | grep -cF -f - /dev/null 2>/dev/null)" = 0 ] || STDIN_FILE=/dev/stdin
    FIND=plain
    {
        find . -prune -printf '\0%D' -o -empty -fprintf /dev/stderr '' >/dev/null &&
            got=$(printf '\0a\nb 1\0c' | sed -nzE '\,^(a|x$),{s/\n/\x01/g;s/^/\n/;H};${x;s/\x00//g;p}') &&
            [ "$got" = "${NL}a${SEP}b 1" ] && FIND=gnu
    } 2>/dev/null
}
facts() {
    read -r BOOT <"$P/sys/kernel/random/boot_id"
    read -r KERNEL <"$P/sys/kernel/osrelease"
    MYUID=$(id -u)
    v=$(getconf CLK_TCK 2>/dev/null) && HZ=$v
    v=$(getconf PAGESIZE 2>/dev/null) && PAGE=$((v / 1024))
    CONTAINER=0
    if [ -e /run/systemd/container ] || [ -e /.dockerenv ] || [ -e /run/.containerenv ]; then CONTAINER=1; fi
    HIDE=1
    if stat_of 1; then HIDE=0; fi
    if [ -d "$Y/fs/cgroup/systemd" ]; then CG=$Y/fs/cgroup/systemd; else CG=$Y/fs/cgroup; fi
    HAVE_SYSTEMCTL=0
    command -v systemctl >/dev/null 2>&1 && HAVE_SYSTEMCTL=1
    SYSTEMD=0
    if [ -d "$RUN_SYSTEMD" ]; then SYSTEMD=1; fi
    if [ -z "$XDG_RUNTIME_DIR" ] && [ -d "/run/user/$MYUID" ]; then
        XDG_RUNTIME_DIR=/run/user/$MYUID
        export XDG_RUNTIME_DIR
    fi
    emit facts 0 "$U" "protocol=1
pid=$$
boot=$BOOT
kernel=$KERNEL
uid=$MYUID
hz=$HZ
page_kib=$PAGE
container=$CONTAINER
hidepid=$HIDE
enc=${ENCODE%% *}
grep=$GREP
find=$FIND
swept=$SWEPT
systemctl=$HAVE_SYSTEMCTL
systemd=$SYSTEMD"
}
pci() {
    up
    s=$U list=
    for f in $(grep -lsxF 0x10de "$Y"/bus/pci/devices/*/vendor); do
        d=${f%/vendor}
        read -r c <"$d/class" || continue
        case $c in 0x03*) list="$list${d##*/} 0x10de $c$NL" ;; esac
    done
    emit pci 0 "$s" "$list"
}
