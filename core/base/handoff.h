// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The one way by which values cross between threads. A producer pushes from any thread; the receiver's function is
// called in the receiver's thread, in order. A mutex guards the queue and the wake-up carries no value: a queued
// signal with a shared_ptr inside reads as a race under ThreadSanitizer with an uninstrumented Qt.

#include <QObject>

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace pilothouse {

/// Wakes `receive` in the thread of the object that made it. Internal to Handoff.
class HandoffWaker final : public QObject
{
    Q_OBJECT
public:
    HandoffWaker(std::function<void()> receive, QObject *parent);
    /// Any thread. Several calls before the receiver runs are one.
    void wake();
    bool event(QEvent *event) override;

private:
    std::function<void()> m_receive;
};

/// Owned by the receiver and destroyed in its thread; producers hold a `Handoff<T>::Sender`, which stays valid (and
/// does nothing) after the receiver is gone.
template <class T>
class Handoff final
{
    struct Shared
    {
        std::mutex mutex;
        std::deque<T> queue;
        HandoffWaker *waker = nullptr; // null once the receiver is gone
        bool woken = false;
    };

public:
    class Sender
    {
    public:
        Sender() = default;
        void push(T value) const
        {
            if (!m_shared)
                return;
            const std::lock_guard lock(m_shared->mutex);
            if (!m_shared->waker)
                return;
            m_shared->queue.push_back(std::move(value));
            if (!std::exchange(m_shared->woken, true))
                m_shared->waker->wake();
        }

    private:
        friend class Handoff;
        std::shared_ptr<Shared> m_shared;
    };

    /// `receive` runs in the calling thread's event loop, once for each pushed value.
    explicit Handoff(std::function<void(T)> receive)
        : m_receive(std::move(receive))
        , m_shared(std::make_shared<Shared>())
        , m_waker(std::make_unique<HandoffWaker>([this] { drain(); }, nullptr))
    {
        m_shared->waker = m_waker.get();
    }
    ~Handoff()
    {
        const std::lock_guard lock(m_shared->mutex);
        m_shared->waker = nullptr;
        m_shared->queue.clear();
    }
    Handoff(const Handoff &) = delete;
    Handoff &operator=(const Handoff &) = delete;

    [[nodiscard]] Sender sender() const
    {
        Sender sender;
        sender.m_shared = m_shared;
        return sender;
    }

private:
    void drain()
    {
        std::deque<T> batch;
        {
            const std::lock_guard lock(m_shared->mutex);
            batch.swap(m_shared->queue);
            m_shared->woken = false;
        }
        // The receiver may be destroyed by what it receives: the shared state tells.
        const std::shared_ptr<Shared> shared = m_shared;
        const std::function<void(T)> receive = m_receive;
        for (T &value : batch) {
            receive(std::move(value));
            const std::lock_guard lock(shared->mutex);
            if (!shared->waker)
                return;
        }
    }

    std::function<void(T)> m_receive;
    std::shared_ptr<Shared> m_shared;
    std::unique_ptr<HandoffWaker> m_waker;
};

} // namespace pilothouse
