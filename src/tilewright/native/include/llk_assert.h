// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/engine.h"

#define LLK_ASSERT(condition, message) ((condition) ? (void)0 : tw_assert_failed(message))
