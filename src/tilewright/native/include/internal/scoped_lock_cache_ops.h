// SPDX-License-Identifier: Apache-2.0
// A card without coherent caches flushes and invalidates around a lock; a host has nothing to do.
#pragma once

#include <cstdint>

inline void scoped_lock_acquire_cache_ops(uintptr_t, uint32_t) {}
inline void scoped_lock_release_cache_ops(uintptr_t, uint32_t) {}
