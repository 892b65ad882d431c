// SPDX-License-Identifier: Apache-2.0
// Everything a checked run keeps besides what a plain run does. Plain runs have none of it: `instance.checks` is null,
// and every hook in the engine asks that first.
#pragma once

#include "check/findings.h"

namespace tw {

struct Checks {
    Findings findings;
};

}  // namespace tw
