// SPDX-License-Identifier: Apache-2.0
// Values of the model's constants for one chip, in the order of their table.
#pragma once

namespace tw::replay {

struct Constants {
#define TW_CONSTANT(name, ...) double name;
#include "constants.inl"
};

}  // namespace tw::replay
