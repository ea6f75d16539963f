# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Who else is here, before anything is changed: who is logged in, which unit jobs are pending, who did the last thing.
act() {
    up
    s=$U
    both who -u
    emit sessions "$R" "$s" "$O"
    up
    s=$U
    both systemctl list-jobs --no-legend --no-pager
    emit jobs "$R" "$s" "$O"
    O=
    { while IFS= read -r l; do O=$O$l$NL; done; } 2>/dev/null <"$STATE"
    emit last 0 "$U" "$O"
}
perform
exit
