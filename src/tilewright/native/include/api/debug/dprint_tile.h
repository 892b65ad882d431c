// SPDX-License-Identifier: Apache-2.0
// Printing; slices of tiles (TileSlice) are not there yet.
#pragma once
#include "api/debug/dprint.h"
