// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A request as curl and GNU wget on a host take it through standard input, and what they print as an answer
// (resources/actions/http.sh). Pure, any thread.

#include "core/base/http.h"

namespace pilothouse {

/// Lines of curl's configuration. The request is one that may be asked (refusalOf()).
[[nodiscard]] QByteArray curlConfiguration(const HttpRequest &request);
/// Of wget's; empty: it cannot ask this (a UNIX socket).
[[nodiscard]] QByteArray wgetConfiguration(const HttpRequest &request);
[[nodiscard]] QByteArray urlOf(const HttpRequest &request);
/// What the host may send of an answer: headers beside the body.
[[nodiscard]] qint64 mostBytesOnHost(const HttpRequest &request);

/// `printed`: section "http". Trusts nothing.
[[nodiscard]] HttpAnswer readHttpSection(const HttpRequest &request, const QByteArray &printed);

} // namespace pilothouse
