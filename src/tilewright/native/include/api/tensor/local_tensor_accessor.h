// SPDX-License-Identifier: Apache-2.0
// LocalTensorAccessor: the part of an L1 tensor that lies in this core, as an array.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "api/core_local_mem.h"
#include "api/tensor/tensor_binding_token.h"

template <typename T>
class LocalTensorAccessor {
public:
    template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET>
    [[nodiscard]] explicit LocalTensorAccessor(
        tensor_accessor::TensorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>) noexcept :
        LocalTensorAccessor(tw_context()->l1_base + get_common_arg_val<uint32_t>(ADDR_CRTA_OFFSET / sizeof(uint32_t))) {
        static_assert(!TensorAccessorArgs<CTA_OFFSET>::is_dram, "a DRAM tensor has no part in this core's L1");
    }
    [[nodiscard]] explicit LocalTensorAccessor(const tensor_accessor::NullTensorBindingToken&) noexcept :
        LocalTensorAccessor(uint32_t(0)) {}
    [[nodiscard]] explicit LocalTensorAccessor(uint32_t bank_base_address) noexcept :
        memory_(uintptr_t(bank_base_address)) {}

    [[nodiscard]] T& operator[](uint32_t index) const { return memory_[index]; }
    [[nodiscard]] uint32_t get_bank_base_address() const noexcept { return uint32_t(memory_.get_address()); }
    [[nodiscard]] CoreLocalMem<T> local_mem() const noexcept { return memory_; }
    [[nodiscard]] auto scoped_lock(uint32_t offset, uint32_t num_elements) const {
        return (memory_ + offset).scoped_lock(num_elements);
    }
#if defined(COMPILE_FOR_TRISC)
    template <typename Operand>
    [[nodiscard]] Operand operand() const noexcept {
        return Operand{(get_bank_base_address() >> 4) - 1};
    }
#endif

private:
    CoreLocalMem<T> memory_;
};

#if !defined(COMPILE_FOR_TRISC)

template <typename T>
struct noc_traits_t<LocalTensorAccessor<T>>
    : tw::LocalEndpointTraits<LocalTensorAccessor<T>, noc_traits_t<LocalTensorAccessor<T>>> {
    static uint32_t read_address(const LocalTensorAccessor<T>& tensor) { return tensor.get_bank_base_address(); }
    static uint32_t write_address(const LocalTensorAccessor<T>& tensor) { return tensor.get_bank_base_address(); }
};
template <typename T>
inline constexpr bool noc_zero_l1_endpoint_v<LocalTensorAccessor<T>> = true;

#endif

template <typename T, typename... Tokens>
std::array<LocalTensorAccessor<T>, sizeof...(Tokens)> make_local_tensor_accessors(const std::tuple<Tokens...>& tokens) {
    return std::apply(
        [](const auto&... token) {
            return std::array<LocalTensorAccessor<T>, sizeof...(Tokens)>{LocalTensorAccessor<T>(token)...};
        },
        tokens);
}
