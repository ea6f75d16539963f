# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
pilothouse_fuzzer(fuzz_inventory CORPUS inventory SOURCES fuzz_inventory.cpp LINKS Pilothouse::fleet)
