# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
pilothouse_fuzzer(fuzz_inventory CORPUS inventory SOURCES fuzz_inventory.cpp LINKS Pilothouse::fleet)
pilothouse_fuzzer(fuzz_ansible CORPUS ansible SOURCES fuzz_ansible.cpp LINKS Pilothouse::fleet)
