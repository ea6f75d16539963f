# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# The work is over: the lock is given back and the last deed is told.
perform() {
    begin
    places
    if still_mine; then
        crumb
        drop_lock
    fi
    emit lock 0 "$U" dropped
    finish
}
perform
exit
