// SPDX-License-Identifier: Apache-2.0
// The scaler of a mean against the tensors of the call: one over a padded dimension divides by elements that do not
// exist.
#pragma once

#include "abi/tile.h"
#include "check/hook.h"
#include "compute_state.h"

namespace tw {

struct Operand;

TW_HOOK(
    state,
    check_scaler,
    (const ComputeState& state, Pool pool, ReduceAxis axis, const Operand& scaler),
    (state, pool, axis, scaler))

}  // namespace tw
