// SPDX-License-Identifier: Apache-2.0
// ASSERT ends the run, as it stops a card that runs under the watcher.
#pragma once

#include "../../../abi/debug.h"

#define ASSERT(condition, ...) ((condition) ? void() : tw_assert_failed(#condition))
#define ASSERT_ENABLED 1
#define WATCHER_ASSERT_ENABLED 1
#define LIGHTWEIGHT_ASSERT_ENABLED 0
