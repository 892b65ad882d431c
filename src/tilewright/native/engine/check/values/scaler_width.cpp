// SPDX-License-Identifier: Apache-2.0
// A row sum reads row 0 of the scaler. Its value is one over a padded width if it is the nearest bfloat16 to that, or
// the truncated one, and some tensor of the call has that padded width while no tensor has a dimension of that size.
#include "check/values/scaler_width.h"

#include <bit>

#include "check/checks.h"
#include "program.h"
#include "run/scheduler.h"
#include "tile/unpack.h"

namespace tw {

static constexpr uint32_t kTileSide = 32;

static uint32_t padded(uint32_t size) { return (size + kTileSide - 1) / kTileSide * kTileSide; }

// Whether a value, of which at most the upper half is compared, is one over a size.
static bool is_one_over(float value, uint32_t size) {
    const auto exact = std::bit_cast<uint32_t>(1.0F / static_cast<float>(size));
    const uint32_t upper = std::bit_cast<uint32_t>(value) >> 16;
    return upper == exact >> 16 || upper == (exact + 0x8000u) >> 16;
}

// The tensor whose padded dimension the scaler divides by, or null.
static const HostMemory* divided_by_padding(const std::vector<HostMemory>& tensors, ReduceAxis axis, float value) {
    const HostMemory* found = nullptr;
    for (const HostMemory& tensor : tensors) {
        const uint32_t size = axis == ReduceAxis::Row ? tensor.width : tensor.height;
        if (found == nullptr && size > 1 && padded(size) != size && is_one_over(value, padded(size)) &&
            !is_one_over(value, size)) {
            found = &tensor;
        }
    }
    for (const HostMemory& tensor : tensors) {
        for (const uint32_t size : {tensor.width, tensor.height}) {
            if (found != nullptr && size > 1 && is_one_over(value, size)) {
                return nullptr;  // a mean over that dimension
            }
        }
    }
    return found;
}

void checked::check_scaler(const ComputeState& state, Pool pool, ReduceAxis axis, const Operand& scaler) {
    const bool is_sum = pool == Pool::Sum || pool == Pool::Avg;
    const float value = scaler.value(0);
    if (!is_sum || axis == ReduceAxis::Scalar || !(value > 0.0F) || value >= 1.0F) {
        return;
    }
    KernelInstance& instance = *state.checks->operands.instance;
    const std::vector<HostMemory>& tensors = instance.scheduler->program.host_memory;
    const HostMemory* tensor = divided_by_padding(tensors, axis, value);
    if (tensor == nullptr) {
        return;
    }
    const uint32_t size = axis == ReduceAxis::Row ? tensor->width : tensor->height;
    note_finding(
        instance,
        Rule::ScalerSize,
        kNoCircularBuffer,
        0,
        "reduces along %s with a scaler of 1/%u; tensor %zu has %u %s, which padding makes %u",
        axis == ReduceAxis::Row ? "rows" : "columns",
        padded(size),
        static_cast<size_t>(tensor - tensors.data()),
        size,
        axis == ReduceAxis::Row ? "columns" : "rows",
        padded(size));
}

}  // namespace tw
