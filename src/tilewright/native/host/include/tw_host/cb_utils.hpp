// SPDX-License-Identifier: Apache-2.0
// `create_cb` by its short name, as operations of ttnn use it.
#pragma once

#include "tw_host/host_api.hpp"
#include "tw_host/ttnn_types.hpp"

using tt::tt_metal::create_cb;
