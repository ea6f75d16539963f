// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Precompiled for the test programs with widgets.

#include "ui.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
