// SPDX-License-Identifier: Apache-2.0
// Everything a data-movement kernel finds before its own first line. Precompiled.
#pragma once

#if defined(TW_RECORDED)
#include "../../abi/recorded_calls.h"
#endif
#include "api/core_local_mem.h"
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/endpoints.h"
#include "api/dataflow/noc.h"
#include "api/scratchpad.h"
#include "api/semaphore.h"
#include "api/tensor/local_tensor_accessor.h"
#include "api/tensor/noc_traits.h"
#include "experimental/kernel_args.h"
#include "tw/common.h"
