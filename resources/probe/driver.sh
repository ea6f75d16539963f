# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# The driver's truth: nvidia-smi, never two of it, and the processes that it names.

# Whether a process of that name may be an nvidia-smi that hangs: root's, this account's own, or the very tool. Nobody else
# blinds us by a name.
is_smi() {
    if [ -n "$SMI" ] && [ "$1/exe" -ef "$SMI" ]; then return; fi
    while read -r smi_key smi_uid smi_rest; do
        case $smi_key in Uid:) [ "$smi_uid" = 0 ] || [ "$smi_uid" = "$MYUID" ]; return ;; esac
    done 2>/dev/null <"$1/status"
    return 1
}
# Looks at processes in no need of nvidia-smi. STUCK becomes "PID START" of an nvidia-smi that hangs: our own that could
# not be ended, or one that is older than five seconds and in D, where no signal reaches it; one that loops must have stood
# still in it since the last look. (One that waits for its reader, as before a pager, is in S.) YOUNG is set where one may
# still become that.
look_for_stuck() {
    STUCK= YOUNG= d_now=
    up
    now=${U%.*}
    for f in $1; do
        p=${f%/comm}
        stat_of "$p" || continue
        case $ST_STATE in Z|X) continue ;; esac
        if [ "$p $ST_START" = "$OWN_SMI" ]; then STUCK=$OWN_SMI; continue; fi
        case $ST_COMM in nvidia-smi*) ;; *) continue ;; esac
        is_smi "$p" || continue
        old=1
        [ $((now - ST_START / HZ)) -ge 5 ] || old=
        case " $(tr '\0' ' ' <"$p/cmdline" 2>/dev/null)" in
        *' -l'*|*' --loop'*|*' dmon '*|*' pmon '*|*' daemon '*)
            [ -n "$old" ] && [ "$ST_STATE" = D ] || continue
            d_now="$d_now $p:$ST_START:$ST_CPU"
            case " $SEEN_D " in *" $p:$ST_START:$ST_CPU "*) ;; *) continue ;; esac
            ;;
        esac
        if [ -z "$old" ]; then YOUNG=1; elif [ "$ST_STATE" = D ]; then STUCK="$p $ST_START"; fi
    done
    SEEN_D=$d_now
}
# The first look of a connection, and the first after trouble, wait for those that were started a moment ago, perhaps by
# a connection that was lost meanwhile.
look_first() {
    waits=0
    while :; do
        look_for_stuck "$WATCH ${OWN_SMI% *} $(grep -ls '^nvidia-smi' [0-9]*/comm)"
        [ -n "$YOUNG" ] && [ -z "$STUCK" ] && [ "$waits" -lt 30 ] || return
        sleep 0.2 2>/dev/null || { sleep 1; waits=$((waits + 4)); }
        waits=$((waits + 1))
    done
}
find_smi() {
    [ -z "$SMI" ] || [ ! -x "$SMI" ] || return 0
    SMI=
    IFS=:
    for d in $PATH /usr/bin /bin /usr/sbin /sbin /usr/local/bin /usr/local/nvidia/bin /opt/bin /usr/lib/wsl/lib /run/current-system/sw/bin /usr/local/cuda/bin; do
        if [ -f "$d/nvidia-smi" ] && [ -x "$d/nvidia-smi" ]; then SMI=$d/nvidia-smi; break; fi
    done
    IFS=" 	$NL"
    [ -n "$SMI" ]
}
smi_run() {
    if [ -n "$KEEP_LD" ]; then
        [ -z "$LOGIN_LL" ] || { LD_LIBRARY_PATH=$LOGIN_LL; export LD_LIBRARY_PATH; }
        [ -z "$LOGIN_LP" ] || { LD_PRELOAD=$LOGIN_LP; export LD_PRELOAD; }
    fi
    exec "$SMI" "$@"
}
smi_batch() {
    g_run smi_run "--query-gpu=$GPU_FIELDS" --format=csv,noheader,nounits
    [ -z "$g_stuck" ] || return
    case $g_rc in 2|9|12|13|18|126|127|137|143|265|271) return ;; esac
    g_run smi_run "--query-compute-apps=$APP_FIELDS" --format=csv,noheader,nounits
}
# A field that the driver does not know is left out from then on. The names in its answer count only as ours.
smi_refused() {
    case $2 in *'ield "'*'" is not a valid field'*) ;; *) return 1 ;; esac
    bad=${2%%'" is not a valid field'*}
    bad=${bad##*\"}
    case ",$3," in *",$bad,"*) REFUSED="$REFUSED $1:$bad" ;; *) return 1 ;; esac
}
smi_fields() {
    left=
    for f in $2; do
        case " $REFUSED " in *" $1:$f "*) ;; *) left="$left${left:+,}$f" ;; esac
    done
}
smi_state() { emit smi 0 "$s0" "status=$1${NL}stuck=$STUCK${NL}fields=$GPU_FIELDS${NL}path=$SMI"; }
smi_section() {
    set -- "$1" "$2" $3
    SECTIONS=$((SECTIONS + 1))
    OUT="$OUT@PH $N SECTION $1 $3 $4 $5 ${#2} 0$NL$2$NL"
}
# Both queries under one guard; again while a field is refused, and once with the login's library path.
smi_ask() {
    tries=0
    while :; do
        smi_fields gpu "$FIELDS"
        GPU_FIELDS=$left
        smi_fields app "$APPS"
        APP_FIELDS=$left
        X=$(guard "$LIMIT_S" smi_batch)
        set -f
        IFS=$SEP
        set -- $X
        IFS=" 	$NL"
        set +f
        GPUS= GPUS_END= ROWS= ROWS_END= LAST=
        case $# in
        1) LAST=$1 ;;
        3) GPUS=$1 GPUS_END=$2 LAST=$3 ;;
        5) GPUS=$1 GPUS_END=$2 ROWS=$3 ROWS_END=$4 LAST=$5 ;;
        esac
        LAST=${LAST##*"$NL"}
        tries=$((tries + 1))
        [ "$LAST" = end ] && [ "$tries" -lt 20 ] || return
        smi_refused gpu "$GPUS" "$GPU_FIELDS" && continue
        smi_refused app "$ROWS" "$APP_FIELDS" && continue
        case ${GPUS_END%% *} in 12|13|127) ;; *) return ;; esac
        if [ -n "$KEEP_LD" ]; then KEEP_LD=; return; fi
        [ -z "$LD_TRIED" ] && [ -n "$LOGIN_LL$LOGIN_LP" ] || return
        KEEP_LD=1 LD_TRIED=1
    done
}
# PIDs of the rows: those that the kernel's answer describes are only confirmed, by PID and start time.
smi_processes() {
    full= ids= seen=
    up
    s=$U
    set -f
    IFS=$NL
    for l in $ROWS; do
        p=${l#*,}
        p=${p%%,*}
        p=${p# }
        case $p in ''|*[!0-9]*) continue ;; esac
        case "$seen " in *" $p "*) continue ;; esac
        seen="$seen $p"
        case ",$HAVE," in
        *",$p,"*)
            IFS=" 	$NL"
            stat_of "$p" && ids="$ids$p $ST_START $ST_STATE$NL"
            set -f
            ;;
        *) full="$full $p" ;;
        esac
    done
    IFS=" 	$NL"
    set +f
    if [ -n "$ids" ]; then emit gpuids 0 "$s" "$ids"; fi
    if [ -n "$full" ]; then
        detail gpuprocs "$full"
        O=$(grep -Hs '^Uid:' $STATUS_FILES)
        emit gpuprocs-uids 0 "$s" "$O"
        users gpuusers
    fi
}
driver() {
    up
    s0=$U GPU_FIELDS= LD_TRIED= found=1
    find_smi || found=
    if [ -n "$CHECK_SMI" ]; then look_first; else look_for_stuck "$WATCH"; fi
    if [ -n "$STUCK" ]; then CHECK_SMI=1; smi_state hung; return; fi
    CHECK_SMI= OWN_SMI=
    if [ -z "$found" ]; then smi_state absent; return; fi
    smi_ask
    [ -z "$GPUS_END" ] || smi_section gpus "$GPUS" "$GPUS_END"
    [ -z "$ROWS_END" ] || smi_section apps "$ROWS" "$ROWS_END"
    case $LAST.${GPUS_END%% *}.${ROWS_END%% *} in
    end.0.0) ;;
    *) CHECK_SMI=1 ;;
    esac
    case $LAST in 'stuck '*) STUCK=${LAST#stuck } OWN_SMI=$STUCK; smi_state hung; return ;; esac
    smi_processes
    if [ "$LAST" = long ]; then smi_state long; return; fi
    if [ "$D" = deep ] && mig_on; then smi_mig; fi
    smi_state ok
}
# Whether any row has Enabled in the column of mig.mode.current.
mig_on() {
    case ",$GPU_FIELDS," in *,mig.mode.current,*) ;; *) return 1 ;; esac
    before=${GPU_FIELDS%%mig.mode.current*}
    set -f
    IFS=,
    set -- $before
    column=$#
    IFS=$NL
    found=1
    for l in $GPUS; do
        IFS=,
        set -- $l
        [ $# -gt "$column" ] || continue
        shift "$column"
        case $1 in *Enabled*) found=0 ;; esac
    done
    IFS=" 	$NL"
    set +f
    return $found
}
smi_slices() {
    g_run smi_run -q
    [ -z "$g_stuck" ] && [ "$g_rc" = 0 ] && g_run smi_run -L
}
smi_mig() {
    up
    s=$U
    X=$(guard "$LIMIT_S" smi_slices)
    set -f
    IFS=$SEP
    set -- $X
    IFS=" 	$NL"
    set +f
    [ $# -lt 3 ] || emit mig "${2%% *}" "$s" "$1$NL$3"
}
