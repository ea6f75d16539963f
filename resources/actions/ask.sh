# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Asks listening ports over HTTP whether they serve; changes nothing and needs no lock. Before this text come PORTS, words
# "ADDRESS,PORT". Prints "PORT STATUS OF /health STATUS OF /v1/models": 0 nobody answers, - could not be asked.
BY_PERL='
use Socket qw(:all);
$SIG{ALRM} = sub { exit };
$SIG{PIPE} = "IGNORE";
my ($address, $port, $path) = @ARGV;
alarm 2;
my $six = $address =~ /:/;
socket(my $s, $six ? PF_INET6 : PF_INET, SOCK_STREAM, 0) or exit;
connect($s, $six ? sockaddr_in6($port, inet_pton(AF_INET6, $address)) : sockaddr_in($port, inet_aton($address))) or exit;
syswrite $s, "GET $path HTTP/1.0\r\nHost: $address\r\nConnection: close\r\n\r\n";
my $text = "";
while (length $text < 64 && sysread $s, my $part, 64) { $text .= $part; last if $text =~ /\n/ }
exit 3 unless $text =~ m{^HTTP/1\.[01] (\d{3})};
print $1;'
BY_PYTHON='
import re, socket, sys
address, port, path = sys.argv[1:]
try:
    s = socket.create_connection((address, int(port)), 1)
    s.settimeout(1.5)
    s.sendall(("GET %s HTTP/1.0\r\nHost: %s\r\nConnection: close\r\n\r\n" % (path, address)).encode())
    found = re.match(rb"HTTP/1\.[01] (\d{3})", s.recv(64))
    print(found.group(1).decode() if found else "")
    sys.exit(0 if found else 3)
except ConnectionResetError:
    sys.exit(3)
except OSError:
    pass'

# Status 3: somebody is there who says something else than HTTP, or closes.
get() {
    if command -v perl >/dev/null 2>&1; then
        perl -e "$BY_PERL" "$1" "$2" "$3"
    elif command -v python3 >/dev/null 2>&1; then
        python3 -I -S -c "$BY_PYTHON" "$1" "$2" "$3"
    else
        by_curl http "$1" "$2" "$3"
    fi
}
by_curl() {
    if ! command -v curl >/dev/null 2>&1; then printf -; return; fi
    case $2 in *:*) h="[$2]" ;; *) h=$2 ;; esac
    c=$(curl -q -g -k --noproxy '*' --max-time 2 -s -o /dev/null -w '%{http_code}' "$1://$h:$3$4")
    r=$?
    if [ "$c" != 000 ]; then printf %s "$c"; return; fi
    case $r in 1|8|52|56) return 3 ;; esac
}
ask_one() {
    a=${1%,*} p=${1##*,}
    way=get
    one=$(get "$a" "$p" /health 2>/dev/null </dev/null)
    if [ $? = 3 ]; then # it may be TLS
        way='by_curl https'
        one=$($way "$a" "$p" /health 2>/dev/null </dev/null)
    fi
    two=
    case $one in '' | - | 2?? | 401 | 403 | 503) ;; *) two=$($way "$a" "$p" /v1/models 2>/dev/null </dev/null) ;; esac
    printf '%s %s %s\n' "$p" "${one:-0}" "${two:-0}"
}
perform() {
    begin
    up
    s=$U
    # Side by side: each line is one write, so that lines do not mix.
    O=$(for w in $PORTS; do ask_one "$w" & done; wait)
    emit ports 0 "$s" "$O"
    finish
}
perform
exit
