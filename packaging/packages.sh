# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Debian packages by purpose; sourced by run and test. Names are those of Debian 12.
# shellcheck shell=bash disable=SC2034

# to build the programs
packages_build=(g++ cmake ninja-build pkg-config qt6-base-dev qt6-svg-dev libgl-dev libqcustomplot-dev
    libssh-dev libexpected-dev libtomlplusplus-dev libyaml-cpp-dev)
# to run the console, its demo and its offscreen picture
packages_run=(libqt6svg6 libqt6sql6-sqlite qt6-qpa-plugins openssh-client fonts-noto-core)
# to run the tests that every change must pass
packages_test=(openssh-server sudo procps iproute2 busybox fish tcsh ksh zsh bash dash shellcheck
    clang libclang-rt-dev lld debootstrap systemd-container python3)
# least version of libssh that carries the fixes we rely on (knowledge: CVE-2026-59843, -59845, -59850)
libssh_least="0.10.6-0+deb12u3"
