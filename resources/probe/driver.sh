# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# The driver's truth: nvidia-smi, never two of it, and the processes that it names.

# Own way of looking, in no need of nvidia-smi: STUCK is "PID START" of one that hangs, or empty.
look_for_stuck() {
    STUCK=
    up
    now=${U%.*}
    d_now=
    for f in $1; do
        p=${f%/comm}
        stat_of "$p" || continue
        [ "$ST_COMM" = nvidia-smi ] || continue
        case $ST_STATE in Z|X) continue ;; esac
        [ $((now - ST_START / HZ)) -ge 5 ] || continue
        case " $(tr '\0' ' ' <"$p/cmdline" 2>/dev/null)" in
        *' -l'*|*' --loop'*|*' dmon '*|*' pmon '*|*' daemon '*|*' -lms'*)
            [ "$ST_STATE" = D ] || continue
            d_now="$d_now $p:$ST_START:$ST_CPU"
            case " $SEEN_D " in *" $p:$ST_START:$ST_CPU "*) ;; *) continue ;; esac
            ;;
        esac
        STUCK="$p $ST_START"
    done
    SEEN_D=$d_now
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
smi_once() {
    X=$(guard "$LIMIT_S" smi_run "$@")
    E=${X##*"$NL$N "}
    O=${X%"$NL$N "*}
    O=${O%"$NL"}
    case $E in
    'end '*) R=${E#end } STATE=ok ;;
    'stuck '*) R=-1 STATE=hung STUCK=${E#stuck } OWN_SMI=$STUCK ;;
    *) R=-1 STATE=failed ;;
    esac
}
# One query: fields that the driver does not know are left out from then on, and a driver that needs the login's
# library path gets it.
smi_query() {
    what=$1 fields=
    for f in $2; do
        case " $REFUSED " in *" $what:$f "*) ;; *) fields="$fields${fields:+,}$f" ;; esac
    done
    tries=0
    while :; do
        smi_once "$what=$fields" --format=csv,noheader,nounits
        tries=$((tries + 1))
        [ "$STATE" = ok ] && [ "$tries" -lt 12 ] || return
        case $O in
        *'ield "'*'" is not a valid field'*)
            bad=${O#*ield \"}
            bad=${bad%%\"*}
            left=
            for f in $2; do
                [ "$f" != "$bad" ] || REFUSED="$REFUSED $what:$f"
                case " $REFUSED " in *" $what:$f "*) ;; *) left="$left${left:+,}$f" ;; esac
            done
            [ "$left" != "$fields" ] && [ -n "$left" ] || return
            fields=$left
            ;;
        *)
            case $R in 12|13|127) ;; *) return ;; esac
            [ -z "$KEEP_LD" ] && [ -n "$LOGIN_LL$LOGIN_LP" ] || return
            KEEP_LD=1
            smi_once "$what=$fields" --format=csv,noheader,nounits
            if [ "$R" != 0 ]; then KEEP_LD=; fi
            return
            ;;
        esac
    done
}
smi_state() { emit smi 0 "$s0" "status=$1${NL}stuck=$2${NL}fields=$3${NL}path=$SMI"; }
driver() {
    up
    s0=$U
    if [ -z "$WATCH" ]; then look=; else look=$WATCH; fi
    if [ -n "$CHECK_SMI" ]; then look="$look $(grep -lsx nvidia-smi [0-9]*/comm)"; fi
    [ -z "$OWN_SMI" ] || look="$look ${OWN_SMI% *}"
    look_for_stuck "$look"
    if [ -n "$STUCK" ]; then CHECK_SMI=1; smi_state hung "$STUCK" ''; return; fi
    CHECK_SMI= OWN_SMI=
    if ! find_smi; then smi_state absent '' ''; return; fi
    up
    s=$U
    smi_query --query-gpu "$FIELDS"
    gpu_fields=$fields gpu_rows=$O
    if [ "$STATE" = hung ]; then CHECK_SMI=1; smi_state hung "$STUCK" "$gpu_fields"; return; fi
    emit gpus "$R" "$s" "$O"
    case $R in 2|9|12|13|18|126|127|137|143|265|271) CHECK_SMI=1; smi_state ok '' "$gpu_fields"; return ;; esac
    up
    s=$U
    smi_query --query-compute-apps "$APPS"
    if [ "$STATE" = hung ]; then CHECK_SMI=1; smi_state hung "$STUCK" "$gpu_fields"; return; fi
    emit apps "$R" "$s" "$O"
    full= short=
    set -f
    IFS=$NL
    for l in $O; do
        p=${l#*,}
        p=${p%%,*}
        p=${p# }
        case $p in ''|*[!0-9]*) continue ;; esac
        case " $full $short " in *" $p "*) continue ;; esac
        case ",$HAVE," in *",$p,"*) short="$short $p" ;; *) full="$full $p" ;; esac
    done
    IFS=" 	$NL"
    set +f
    detail gpuprocs "$full" "$short"
    case $D.$gpu_rows in
    deep.*Enabled*)
        up
        s=$U
        smi_once -q
        mig=$O
        if [ "$STATE$R" = ok0 ]; then smi_once -L; fi
        emit mig "$R" "$s" "$mig$NL$O"
        ;;
    esac
    smi_state ok '' "$gpu_fields"
}
