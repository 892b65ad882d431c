// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/debug/device_print.h"

#define WATCHER_RING_BUFFER_PUSH(x) DEVICE_PRINT("ring buffer: {:#x}\n", uint32_t(x))
#define WATCHER_RING_BUFFER_INIT()
