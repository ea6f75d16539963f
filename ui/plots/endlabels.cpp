// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/endlabels.h"

#include "ui/text/formatter.h"

#include <QCoreApplication>

#include <algorithm>

namespace pilothouse {

namespace {

EndLabel labelOf(const QList<LineEnd> &group)
{
    EndLabel label;
    double sum = 0;
    for (const LineEnd &end : group) {
        sum += end.mib;
        label.slots_ << end.slot;
    }
    label.mib = sum / static_cast<double>(group.size());
    label.y = label.mib;
    const QString value = format::gib(label.mib);
    const bool isSame = format::gib(group.first().mib) == format::gib(group.last().mib);
    label.text = group.size() == 1
        ? QCoreApplication::translate("Plot", "GPU %1  %2").arg(group.first().index).arg(value)
        : isSame ? QCoreApplication::translate("Plot", "%1 equal %2").arg(group.size()).arg(value)
                 : QCoreApplication::translate("Plot", "%1 near %2").arg(group.size()).arg(value);
    return label;
}

} // namespace

QList<EndLabel> endLabels(QList<LineEnd> ends, double toleranceMib, double heightMib)
{
    std::ranges::sort(ends, [](const LineEnd &a, const LineEnd &b) {
        return a.mib != b.mib ? a.mib > b.mib : a.slot < b.slot;
    });
    QList<EndLabel> labels;
    QList<LineEnd> group;
    for (const LineEnd &end : std::as_const(ends)) {
        // Compared with the group's first, so that a staircase of close lines is not one group.
        if (!group.isEmpty() && group.first().mib - end.mib > toleranceMib) {
            labels << labelOf(group);
            group.clear();
        }
        group << end;
    }
    if (!group.isEmpty())
        labels << labelOf(group);
    for (qsizetype i = 1; i < labels.size(); ++i)
        labels[i].y = std::min(labels[i].y, labels[i - 1].y - heightMib);
    // Pushed below the axis: lift the stack again from the bottom.
    double floor = 0;
    for (qsizetype i = labels.size() - 1; i >= 0 && labels[i].y < floor; --i) {
        labels[i].y = floor;
        floor += heightMib;
    }
    return labels;
}

} // namespace pilothouse
