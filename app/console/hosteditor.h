// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Edits a host that stands in a file: reads its lines, opens the dialog, splices what was edited into hosts.toml and
// takes it over into window and fleet. Files are read and written beside the GUI thread. GUI thread; owned by Console.

#include "core/base/background.h"
#include "core/fleet/inventory.h"

#include <QObject>
#include <QPointer>

#include <optional>

namespace pilothouse {

class EditHostDialog;
class FleetBinding;
class MainWindow;
class Theme;

class HostEditor final : public QObject
{
    Q_OBJECT
public:
    /// `readOnly`: every host is, whatever its file says.
    HostEditor(const Theme &theme, MainWindow &window, FleetBinding &binding, QString configDir, bool readOnly,
               QObject *parent = nullptr);

    /// Of a host in the window that stands in a file.
    void edit(const QString &name);

private:
    struct Saved
    {
        QPointer<EditHostDialog> dialog; ///< that asked for it; another may be open by now. GUI thread alone
        QString name; ///< as it was
        HostSpec host;
        std::optional<Error> failure;
        std::optional<HostText> now; ///< where the file has other lines than were edited
    };

    void begin(const Result<HostText> &text);
    void open(const HostSpec &host);
    void openFile(const QString &file);
    void save(const HostSpec &host);
    void finish(const Saved &saved);

    const Theme &m_theme;
    MainWindow &m_window;
    FleetBinding &m_binding;
    QString m_configDir;
    bool m_readOnly;
    HostText m_text; ///< of the dialog that is open
    QPointer<EditHostDialog> m_dialog;
    Background<Result<HostText>> m_texts;
    Background<Saved> m_saves;
};

} // namespace pilothouse
