// SPDX-License-Identifier: Apache-2.0
// What a linked module offers Python beside its operations.
#pragma once

#include "tw_host/binding.hpp"
#include "tw_host/compute_kernel_config.hpp"

// Adds `types_that_differ` and `connect` to a module.
void tw_linked_module(nanobind::module_& module);
