// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Keeps the diagnosis of one live host: remembers each of its snapshots, looks deep when the picture changes and while
// somebody holds memory, asks the ports, and says what it found. Lives in its link's facade's thread, owned there; the
// thinking itself is done beside it, so that no window waits.

#include "core/base/background.h"
#include "core/fleet/findings.h"
#include "core/fleet/hostdiagnosis.h"
#include "core/fleet/hostlink.h"

#include <QElapsedTimer>
#include <QTimer>

#include <deque>

namespace pilothouse {

class LiveDiagnosis final : public QObject
{
    Q_OBJECT
public:
    /// Between two deep looks that nobody asked for.
    struct Times
    {
        using Time = std::chrono::milliseconds;
        Time inView{20'000};
        Time unsettled{8'000};          ///< in view, while a family starts or is not known yet
        Time background{60'000};
        Time unsettledInBackground{20'000};
        Time changed{3'000};            ///< in view, after the picture has changed: the shortest
        Time changedInBackground{15'000};
        Time answersKept{55'000};       ///< ports of the same processes are not asked again sooner
    };

    /// `link` outlives it.
    explicit LiveDiagnosis(HostLink &link, QObject *parent = nullptr) : LiveDiagnosis(link, Times(), parent) { }
    LiveDiagnosis(HostLink &link, Times times, QObject *parent = nullptr);

    void setInView(bool inView);
    /// A fresh look whatever was found before; diagnosed() follows once there is a connection.
    void look();
    /// While somebody acts on the host: it looks and asks nothing by itself, and remembers what it sees.
    void setQuiet(bool quiet);
    /// When this console last ended something there: who starts afterwards was started again.
    void setEndedAt(const QDateTime &at) { m_endedAt = at; }
    [[nodiscard]] const Lineage &lineage() const { return m_lineage; }
    /// With the services that were found on it.
    [[nodiscard]] HostSpec host() const;
    /// Null before the first.
    [[nodiscard]] const FindingsPtr &latest() const { return m_latest; }

signals:
    void diagnosed(const pilothouse::FindingsPtr &findings);

private:
    /// What is under way for one snapshot.
    struct Work
    {
        SnapshotPtr snapshot;
        HostSpec host;  ///< with the services that were found
        Lineage before; ///< without this snapshot
        Lineage after;
        QList<ServiceSpec> found;
        QList<std::pair<QString, quint16>> ports;
        QHash<quint16, PortAnswer> answers;
        QDateTime endedAt;
    };

    void take(const SnapshotPtr &snapshot);
    void next();
    void worked(const Work &work);
    void askPorts(const Work &work);
    void acted(quint64 id, const ActionResult &result);
    void judge(const Work &work);
    void publish(const FindingsPtr &findings);
    void notePicture(const Snapshot &snapshot);
    void schedule();
    [[nodiscard]] bool isUnsettled() const;
    [[nodiscard]] static Work rememberAndLook(Work work);
    [[nodiscard]] static FindingsPtr judged(const Work &work);

    HostLink &m_link;
    const Times m_times;
    Background<Work> m_thoughts;
    Background<FindingsPtr> m_judgements;
    std::deque<SnapshotPtr> m_waiting;
    Lineage m_lineage;
    QList<ServiceSpec> m_found;  ///< services that nobody wrote down, as they are watched
    HostSpec m_spec;             ///< as the link had it then
    FindingsPtr m_latest;
    std::optional<Work> m_asking; ///< whose ports are being asked
    quint64 m_question = 0;
    QHash<quint16, PortAnswer> m_answers;
    QStringList m_answersOf;     ///< who listened then
    QElapsedTimer m_answersAge;
    QStringList m_picture;
    QElapsedTimer m_lastLook;
    QTimer m_due;
    bool m_thinking = false;
    bool m_held = false;    ///< somebody holds GPU memory
    bool m_changed = false; ///< since the last deep look
    bool m_inView = false;
    bool m_quiet = false;
    QDateTime m_endedAt;
};

} // namespace pilothouse
