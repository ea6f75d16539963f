// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Merges a fresh list of rows into a model's by key, with the least inserts, moves, removals and changes: selection,
// scroll and current row survive a tick, and a model is never reset (H5). GUI thread.

#include <QAbstractItemModel>
#include <QHash>
#include <QSet>
#include <QString>

#include <algorithm>
#include <vector>

namespace pilothouse {

/// Row has `QString key` and operator==. Keys of `fresh` are made unique here: a host may repeat an identity.
/// The model makes its begin… and end… calls reachable through `Access`, a friend with static functions.
template <class Row, class Access, class Model>
void mergeRows(Model &model, std::vector<Row> &rows, std::vector<Row> fresh)
{
    QHash<QString, int> seen;
    for (Row &row : fresh) {
        if (const int times = seen[row.key]++; times > 0)
            row.key += QStringLiteral("#%1").arg(times);
    }
    QSet<QString> wanted;
    for (const Row &row : fresh)
        wanted.insert(row.key);
    for (std::size_t i = rows.size(); i-- > 0;) {
        if (wanted.contains(rows[i].key))
            continue;
        Access::beginRemove(model, static_cast<int>(i));
        rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(i));
        Access::endRemove(model);
    }
    for (std::size_t i = 0; i < fresh.size(); ++i) {
        std::size_t at = i;
        while (at < rows.size() && rows[at].key != fresh[i].key)
            ++at;
        const auto place = rows.begin() + static_cast<std::ptrdiff_t>(i);
        if (at >= rows.size()) {
            Access::beginInsert(model, static_cast<int>(i));
            rows.insert(place, std::move(fresh[i]));
            Access::endInsert(model);
            continue;
        }
        if (at != i) {
            Access::beginMove(model, static_cast<int>(at), static_cast<int>(i));
            const auto from = rows.begin() + static_cast<std::ptrdiff_t>(at);
            std::rotate(place, from, from + 1);
            Access::endMove(model);
        }
        if (rows[i] == fresh[i])
            continue;
        rows[i] = std::move(fresh[i]);
        Access::rowChanged(model, static_cast<int>(i));
    }
}

/// The usual Access of a flat model that declares it a friend.
template <class Model>
struct FlatModelAccess
{
    static void beginRemove(Model &model, int row) { model.beginRemoveRows({}, row, row); }
    static void endRemove(Model &model) { model.endRemoveRows(); }
    static void beginInsert(Model &model, int row) { model.beginInsertRows({}, row, row); }
    static void endInsert(Model &model) { model.endInsertRows(); }
    static void beginMove(Model &model, int from, int to) { model.beginMoveRows({}, from, from, {}, to); }
    static void endMove(Model &model) { model.endMoveRows(); }
    static void rowChanged(Model &model, int row)
    {
        const int columns = static_cast<const QAbstractItemModel &>(model).columnCount();
        emit model.dataChanged(model.index(row, 0), model.index(row, columns - 1));
    }
};

} // namespace pilothouse
