// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Owning handles of libssh's things, freed through the seam. A channel is no such handle: it may have to outlive its
// owner until the peer has confirmed it (see SshChannel). The api outlives the handle.

#include "core/ssh/libsshapi.h"

#include <memory>
#include <type_traits>

namespace pilothouse {

template <auto Free>
struct HandleDeleter
{
    LibsshApi *api = nullptr;
    template <class T>
    void operator()(T *handle) const
    {
        if (api)
            (api->*Free)(handle);
    }
};

using SessionHandle = std::unique_ptr<std::remove_pointer_t<ssh_session>, HandleDeleter<&LibsshApi::sessionFree>>;
using EventHandle = std::unique_ptr<std::remove_pointer_t<ssh_event>, HandleDeleter<&LibsshApi::eventFree>>;
using KeyHandle = std::unique_ptr<std::remove_pointer_t<ssh_key>, HandleDeleter<&LibsshApi::keyFree>>;

} // namespace pilothouse
