// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A value read from a host: known, or unknown with the reason and the host's own word. Unknown is never zero:
// there is no conversion to a number, and arithmetic goes through valueOr or isKnown. Values, any thread.

#include <QString>

#include <optional>
#include <utility>

namespace pilothouse {

/// Reasons of the outside contract ("unknown" map).
enum class UnknownReason {
    NotSupported, ///< not_supported: the device has no such figure
    NoPermission, ///< no_permission
    Failed,       ///< failed: fault words, limits hit, any other bracketed text
    Absent,       ///< absent: a field that this driver or system does not have, or that was not asked for
    Unparsable,   ///< unparsable
};

[[nodiscard]] QString nameOf(UnknownReason reason);

template <class T>
class Quantity
{
public:
    Quantity() = default; ///< unknown: absent
    Quantity(T value)
        : m_value(std::move(value))
    {
    }
    [[nodiscard]] static Quantity unknown(UnknownReason reason, QString word = {})
    {
        Quantity q;
        q.m_reason = reason;
        q.m_word = std::move(word);
        return q;
    }

    [[nodiscard]] bool isKnown() const { return m_value.has_value(); }
    /// Only while isKnown().
    [[nodiscard]] const T &value() const { return *m_value; }
    [[nodiscard]] T valueOr(T other) const { return m_value.value_or(std::move(other)); }
    [[nodiscard]] const std::optional<T> &optional() const { return m_value; }
    /// Only meaningful while not known.
    [[nodiscard]] UnknownReason reason() const { return m_reason; }
    /// The host's word for no value, cleaned, for a tooltip; may be empty.
    [[nodiscard]] const QString &word() const { return m_word; }

    friend bool operator==(const Quantity &, const Quantity &) = default;

private:
    std::optional<T> m_value;
    UnknownReason m_reason = UnknownReason::Absent;
    QString m_word;
};

} // namespace pilothouse
