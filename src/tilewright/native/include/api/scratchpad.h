// SPDX-License-Identifier: Apache-2.0
// Scratchpad: L1 the program set aside for one kernel.
#pragma once

#include <cstdint>
#include <type_traits>

#include "api/core_local_mem.h"
#include "api/debug/assert.h"
#include "api/scratchpad_binding_token.h"
#include "experimental/kernel_args.h"
#include "tensix_types.h"

template <typename T>
class Scratchpad {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using size_type = uint32_t;
    using pointer = CoreLocalMem<T>;
    using const_pointer = CoreLocalMem<const T>;
    using reference = T&;
    using const_reference = const T&;
    using iterator = pointer;

    [[nodiscard]] explicit Scratchpad(const ScratchpadBindingToken& token) noexcept :
        begin_(tw_context()->l1_base + get_common_arg_val<uint32_t>(token.crta_offset_)),
        size_in_bytes_(token.size_in_bytes_),
        format_(DataFormat(token.llk_metadata_.format)) {}

    [[nodiscard]] reference operator[](uint32_t index) const {
        ASSERT(index < size());
        return begin_[index];
    }
    [[nodiscard]] size_type size() const noexcept { return size_in_bytes_ / sizeof(T); }
    [[nodiscard]] size_type size_in_bytes() const noexcept { return size_in_bytes_; }
    [[nodiscard]] constexpr DataFormat get_dataformat() const noexcept { return format_; }
    [[nodiscard]] uint32_t get_base_address() const noexcept { return uint32_t(begin_.get_address()); }
    [[nodiscard]] iterator begin() const noexcept { return begin_; }
    [[nodiscard]] iterator end() const noexcept { return begin_ + size(); }
    [[nodiscard]] pointer local_mem() const noexcept { return begin_; }
    [[nodiscard]] auto scoped_lock(uint32_t offset, uint32_t num_elements) const {
        ASSERT(offset + num_elements <= size());
        return (begin_ + offset).scoped_lock(num_elements);
    }
#if defined(COMPILE_FOR_TRISC)
    template <typename Operand>
    [[nodiscard]] Operand operand() const noexcept {
        return Operand{(get_base_address() >> 4) - 1};
    }
#endif

private:
    pointer begin_;
    size_type size_in_bytes_;
    DataFormat format_;
};

#if !defined(COMPILE_FOR_TRISC)

template <typename T>
struct noc_traits_t<Scratchpad<T>> : tw::LocalEndpointTraits<Scratchpad<T>, noc_traits_t<Scratchpad<T>>> {
    static uint32_t read_address(const Scratchpad<T>& pad) { return pad.get_base_address(); }
    static uint32_t write_address(const Scratchpad<T>& pad) { return pad.get_base_address(); }
};
template <typename T>
inline constexpr bool noc_zero_l1_endpoint_v<Scratchpad<T>> = true;
template <typename T>
inline constexpr bool is_scratchpad_v<Scratchpad<T>> = true;

#endif
