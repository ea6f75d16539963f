// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/colors.h"

#include <QString>

#include <array>
#include <cmath>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

struct Row
{
    ColorId id;
    const char16_t *name;
    QRgb light;
    QRgb dark;
};

constexpr std::array table{
    Row{ColorId::Window, u"window", 0xFFFFFFFF, 0xFF17191E},
    Row{ColorId::Panel, u"panel", 0xFFFFFFFF, 0xFF17191E},
    Row{ColorId::Chrome, u"chrome", 0xFFF5F6F8, 0xFF1F222A},
    Row{ColorId::Border, u"border", 0xFFD9DCE1, 0xFF2E323A},
    Row{ColorId::Grid, u"grid", 0xFFE1E4E8, 0xFF2E323A},
    Row{ColorId::Text, u"text", 0xFF1B1E23, 0xFFE6E8EB},
    Row{ColorId::TextMuted, u"text.muted", 0xFF5B626D, 0xFF9AA3AF},
    Row{ColorId::Selection, u"selection", 0xFFEDF5FC, 0xFF22384F},
    Row{ColorId::Hover, u"hover", 0xFFF2F4F7, 0xFF272B34},
    Row{ColorId::Accent, u"accent", 0xFF1F6FB2, 0xFF2F76BD},
    Row{ColorId::AccentText, u"accent.text", 0xFFFFFFFF, 0xFFFFFFFF},
    Row{ColorId::Bar, u"bar", 0xFF6D87AF, 0xFF819DC8},
    Row{ColorId::BarTrack, u"bar.track", 0xFFE6E9EE, 0xFF2A2F37},
    Row{ColorId::SeverityOk, u"severity.ok", 0xFF1B7F4B, 0xFF4CC38A},
    Row{ColorId::SeverityNotice, u"severity.notice", 0xFF1F6FB2, 0xFF6CB6F5},
    Row{ColorId::SeverityWarning, u"severity.warning", 0xFF9A5B00, 0xFFF0B429},
    Row{ColorId::SeverityCritical, u"severity.critical", 0xFFB3261E, 0xFFFF7B72},
    Row{ColorId::SeverityStale, u"severity.stale", 0xFF5F6773, 0xFF9AA3AF},
    Row{ColorId::Series1, u"series.1", 0xFF0068A8, 0xFF5AB0F2},
    Row{ColorId::Series2, u"series.2", 0xFFC24E00, 0xFFF08A4B},
    Row{ColorId::Series3, u"series.3", 0xFF00805D, 0xFF3CC79A},
    Row{ColorId::Series4, u"series.4", 0xFFA4508B, 0xFFD98BC2},
    Row{ColorId::Series5, u"series.5", 0xFF2B86C5, 0xFF8FD0F7},
    Row{ColorId::Series6, u"series.6", 0xFF8A7300, 0xFFD9C24A},
    Row{ColorId::Series7, u"series.7", 0xFFB3263A, 0xFFF07A86},
    Row{ColorId::Series8, u"series.8", 0xFF5B6472, 0xFFA7B0BF},
};
static_assert(table.size() == static_cast<std::size_t>(ColorId::Count));

const Row &rowOf(ColorId id)
{
    return table[static_cast<std::size_t>(id)];
}

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor &color)
{
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

} // namespace

QColor colorOf(ColorId id, bool dark)
{
    const Row &row = rowOf(id);
    return QColor::fromRgb(dark ? row.dark : row.light);
}

QString nameOf(ColorId id)
{
    return QString::fromUtf16(rowOf(id).name);
}

ColorId colorIdOf(Severity severity)
{
    switch (severity) {
    case Severity::Quiet: return ColorId::TextMuted;
    case Severity::Ok: return ColorId::SeverityOk;
    case Severity::Notice: return ColorId::SeverityNotice;
    case Severity::Stale: return ColorId::SeverityStale;
    case Severity::Warning: return ColorId::SeverityWarning;
    case Severity::Critical: return ColorId::SeverityCritical;
    }
    return ColorId::Text;
}

ColorId seriesColorId(int slot)
{
    constexpr int colours = 8;
    return static_cast<ColorId>(static_cast<int>(ColorId::Series1) + std::max(slot, 0) % colours);
}

double contrastRatio(const QColor &a, const QColor &b)
{
    const double first = luminance(a);
    const double second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

} // namespace pilothouse
