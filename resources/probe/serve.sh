# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Reads the requests. Sent last: its last line ends the shell.

ask() {
    N= T=0 D=light WHO=$ROLE UNITS= UUNITS= FIELDS= APPS= HAVE= WATCH= LIMIT_S=5 CAP=512
    set -f
    for w in $1; do
        case $w in
        n=*) N=${w#n=} ;;
        t=*) T=${w#t=} ;;
        d=deep) D=deep ;;
        s=*) WHO=${w#s=} ;;
        u=*) UNITS="$UNITS ${w#u=}" ;;
        v=*) UUNITS="$UUNITS ${w#v=}" ;;
        f=*) FIELDS="$FIELDS ${w#f=}" ;;
        a=*) APPS="$APPS ${w#a=}" ;;
        k=*) HAVE=${w#k=} ;;
        x=*) WATCH="$WATCH ${w#x=}" ;;
        l=*) LIMIT_S=${w#l=} ;;
        m=*) CAP=${w#m=} ;;
        esac
    done
    set +f
    case $N$T$LIMIT_S$CAP$WATCH in *[!0-9a-f\ ]*) return ;; esac
    [ -n "$N" ] || return
    begin
    case $WHO in *kernel*) kernel ;; esac
    case $WHO in *driver*) driver ;; esac
    finish
}
serve() {
    cd "$P" || exit 1
    T=0
    begin
    abilities
    sweep
    facts
    pci
    finish
    while IFS= read -r line; do
        case $line in
        'ask '*) ask "${line#ask }" ;;
        quit) break ;;
        esac
    done
}
serve
exit
