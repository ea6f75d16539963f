# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Sends a signal to processes, each of them looked at again first. Before this text come BOOT, SIGNAL (TERM, KILL, or NONE
# to look only) and the function targets: a line "target PID START UID CGROUP" each, all quoted.
DONE= READY=

target() {
    same "$1" "$2" "$3" "$4"
    if [ "$WHO" = same ]; then READY="$READY $1:$2"; else DONE="$DONE$1 $2 $WHO$NL"; fi
}

# A descriptor of the process, then its start once more, then the signal by that descriptor: no other process can come
# between. Prints "PID START OUTCOME"; "unable" where the kernel or the language cannot.
BY_PERL='
my %number = (TERM => 15, KILL => 9);
my $signal = $number{shift @ARGV} or exit;
$| = 1;
for (@ARGV) {
    my ($pid, $start) = split /:/;
    my $fd = syscall(434, $pid + 0, 0);
    if ($fd < 0) { print "$pid $start ", $! + 0 == 3 ? "gone" : "unable", "\n"; next }
    my $text = "";
    if (open my $file, "<", "/proc/$pid/stat") { local $/; $text = <$file> // "" }
    $text =~ s/^.*\)//s;
    my @fields = split " ", $text;
    if (@fields < 20) { print "$pid $start gone\n"; next }
    if ($fields[19] ne $start) { print "$pid $start other\n"; next }
    my $sent = syscall(424, $fd, $signal, 0, 0);
    my $why = $! + 0;
    print "$pid $start ", $sent == 0 ? "signalled" : $why == 1 ? "denied" : $why == 3 ? "gone" : "unable", "\n";
}'
BY_PYTHON='
import os, signal, sys
number = {"TERM": signal.SIGTERM, "KILL": signal.SIGKILL}[sys.argv[1]]
def outcome(pid, start):
    try:
        fd = os.pidfd_open(int(pid))
        with open("/proc/%s/stat" % pid, "rb") as file:
            text = file.read()
        if text[text.rindex(b")") + 1:].split()[19].decode() != start:
            return "other"
        signal.pidfd_send_signal(fd, number)
        return "signalled"
    except (ProcessLookupError, FileNotFoundError):
        return "gone"
    except PermissionError:
        return "denied"
    except Exception:
        return "unable"
for word in sys.argv[2:]:
    pid, start = word.split(":")
    print(pid, start, outcome(pid, start), flush=True)'

# Without a descriptor of the process: its start is read right before, the smallest window that a shell can make.
by_shell() {
    stat_of "$1" || { DONE="$DONE$1 $2 gone$NL"; return; }
    if [ "$ST_START" != "$2" ]; then
        DONE="$DONE$1 $2 other$NL"
    elif kill -s "$SIGNAL" "$1" 2>/dev/null; then
        DONE="$DONE$1 $2 signalled$NL"
    elif stat_of "$1" && [ "$ST_START" = "$2" ]; then
        DONE="$DONE$1 $2 denied$NL"
    else
        DONE="$DONE$1 $2 gone$NL"
    fi
}
deliver() {
    WAY=shell O=
    if command -v perl >/dev/null 2>&1; then
        WAY=perl O=$(perl -e "$BY_PERL" "$SIGNAL" $READY 2>/dev/null </dev/null)
    elif command -v python3 >/dev/null 2>&1; then
        WAY=python O=$(python3 -I -S -c "$BY_PYTHON" "$SIGNAL" $READY 2>/dev/null </dev/null)
    fi
    for t in $READY; do
        pid=${t%:*} start=${t#*:}
        case $NL$O$NL in
        *"$NL$pid $start signalled$NL"*) DONE="$DONE$pid $start signalled$NL" ;;
        *"$NL$pid $start gone$NL"*) DONE="$DONE$pid $start gone$NL" ;;
        *"$NL$pid $start other$NL"*) DONE="$DONE$pid $start other$NL" ;;
        *"$NL$pid $start denied$NL"*) DONE="$DONE$pid $start denied$NL" ;;
        *) by_shell "$pid" "$start" ;;
        esac
    done
}
act() {
    up
    s=$U
    targets
    if [ "$SIGNAL" = NONE ]; then
        WAY=none
        for t in $READY; do DONE="$DONE${t%:*} ${t#*:} alive$NL"; done
    elif [ -n "$READY" ]; then
        crumb
        if still_mine; then
            deliver
        else
            WAY=none
            for t in $READY; do DONE="$DONE${t%:*} ${t#*:} unlocked$NL"; done
        fi
    fi
    emit signal 0 "$s" "$WAY$NL$DONE"
}
perform
exit
