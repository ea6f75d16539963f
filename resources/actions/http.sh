# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# One HTTP request, asked by a program of the host because its SSH server forwards nothing; changes nothing and needs no
# lock. Before this text come CURL and WGET (a configuration each, with the API key: through standard input, never in a
# command line), URL, LIMIT (seconds), MOST (bytes). Prints the answer, headers first, in base64, then a blank, the tool and
# its exit status.
encoded() {
    if command -v base64 >/dev/null 2>&1; then base64; else od -An -v -tx1; fi
}
ask_by_curl() {
    printf '%s\n' "$CURL" | curl -q -K - -s -i -g -k --noproxy '*' --max-redirs 0 --max-time "$LIMIT" 2>/dev/null
}
ask_by_wget() {
    w='wget --config=/dev/stdin -q -O - --save-headers --content-on-error --max-redirect=0 --tries=1 --no-proxy
        --no-check-certificate --no-hsts --no-cookies --no-netrc'
    if command -v timeout >/dev/null 2>&1; then w="timeout $LIMIT $w"; fi
    printf '%s\n' "$WGET" | $w --timeout="$LIMIT" "$URL" 2>/dev/null
}
tool_here() {
    if command -v curl >/dev/null 2>&1; then
        echo curl
    elif [ -n "$WGET" ] && wget --version 2>/dev/null </dev/null | grep 'GNU Wget' >/dev/null; then
        echo wget
    fi
}
ask() {
    tool=$(tool_here)
    if [ -z "$tool" ]; then printf ' none 127'; return; fi
    s=$( { { { "ask_by_$tool"; echo "$?" >&4; } | head -c "$MOST" | encoded >&3; } 4>&1; } )
    printf ' %s %s' "$tool" "$s"
}
perform() {
    begin
    up
    s0=$U
    O=$( { ask; } 3>&1 )
    emit http 0 "$s0" "$O"
    finish
}
perform
exit
