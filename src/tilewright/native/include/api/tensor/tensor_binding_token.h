// SPDX-License-Identifier: Apache-2.0
// What the generated namespace tensor holds: where a tensor's layout and address lie among the arguments.
#pragma once

#include <cstdint>

#include "api/tensor/tensor_accessor_args.h"
#include "internal/llk_metadata.h"

namespace tensor_accessor {

// ADDR_CRTA_OFFSET: bytes into the common runtime arguments.
template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
struct TensorBindingToken {
    static_assert(ADDR_CRTA_OFFSET % sizeof(uint32_t) == 0, "an argument starts at a multiple of 4 bytes");
    // Only named, not made: tokens come before the compile-time arguments are known.
    using args_t = TensorAccessorArgs<CTA_OFFSET>;
    static constexpr uint32_t addr_crta_offset = ADDR_CRTA_OFFSET;

    constexpr TensorBindingToken() noexcept = default;  // releases up to 0.78 say nothing of tiles
    explicit constexpr TensorBindingToken(binding_details::LLKMetadata llk) noexcept : llk_metadata_(llk) {}

private:
    template <const auto& Token>
    friend struct binding_details::LLKOperandExtractor;

    binding_details::LLKMetadata llk_metadata_;
};

struct NullTensorBindingToken {
    NullTensorBindingToken() = delete;
    NullTensorBindingToken(const NullTensorBindingToken&) = delete;
    NullTensorBindingToken& operator=(const NullTensorBindingToken&) = delete;
};

}  // namespace tensor_accessor
