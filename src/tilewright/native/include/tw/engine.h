// SPDX-License-Identifier: Apache-2.0
// The engine's calls, for the compute side of the kernel API.
#pragma once

#include "../../abi/circular_buffer.h"
#include "../../abi/context.h"
#include "../../abi/debug.h"
#include "../../abi/noc.h"
#include "../../abi/sfpu.h"
#include "../../abi/threads.h"
#include "../../abi/tile.h"
