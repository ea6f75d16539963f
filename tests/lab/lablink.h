// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The product's own connection to a lab host with what it said, for tests that watch it over time. In the test's thread.

#include "core/fleet/hostlink.h"
#include "tests/lab/labhost.h"

#include <memory>

namespace pilothouse {
class LinkThreads;
}

namespace pilothouse::test {

class LabLink final
{
public:
    struct Options
    {
        std::chrono::milliseconds cadence{300};
        QStringList units{};
        std::chrono::milliseconds smiTimeout{5'000};
        std::chrono::milliseconds snapshotTimeout{2'000};
        QString target{}; ///< empty: the host's alias
        QString identityFile{}; ///< empty: the configuration's
    };

    explicit LabLink(const LabHost &host);
    LabLink(const LabHost &host, const Options &options);
    ~LabLink();
    LabLink(const LabLink &) = delete;
    LabLink &operator=(const LabLink &) = delete;

    [[nodiscard]] HostLink &link() { return *m_link; }
    [[nodiscard]] bool isConnected() const { return m_link->state().phase == LinkState::Phase::Connected; }
    [[nodiscard]] SnapshotPtr latest() const { return m_link->latest(); }
    [[nodiscard]] GpuSource::Status smiStatus() const;
    [[nodiscard]] int snapshots() const { return m_snapshots; }
    [[nodiscard]] const QList<Error> &errors() const { return m_errors; } ///< of the link
    [[nodiscard]] const QList<Error> &failures() const { return m_failures; } ///< of single snapshots
    [[nodiscard]] QByteArray story() const;

private:
    std::shared_ptr<LinkThreads> m_threads;
    std::unique_ptr<HostLink> m_link;
    int m_snapshots = 0;
    QList<Error> m_errors;
    QList<Error> m_failures;
    QStringList m_words;
};

} // namespace pilothouse::test
