// SPDX-License-Identifier: Apache-2.0
// CoreLocalMem: a typed pointer into this core's L1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../abi/context.h"
#include "api/lock.h"
#include "internal/risc_attribs.h"

template <typename T, typename AddressType = uintptr_t>
class CoreLocalMem {
public:
    using difference_type = std::ptrdiff_t;
    static_assert(std::is_unsigned_v<AddressType>, "an address is an unsigned integer");

    CoreLocalMem(AddressType address) : address_(address) {}
    CoreLocalMem(T* ptr) : address_(AddressType(reinterpret_cast<uintptr_t>(ptr))) {}

    // A host may have given the plain offset a card would use.
    T* get_unsafe_ptr() const {
        uintptr_t address = uintptr_t(address_);
        return reinterpret_cast<T*>(address < tw::kL1SlotBytes ? address + tw_context()->l1_base : address);
    }
    AddressType get_address() const { return address_; }

    T& operator[](uint32_t index) const { return get_unsafe_ptr()[index]; }
    T& operator*() const { return *get_unsafe_ptr(); }
    T* operator->() const { return get_unsafe_ptr(); }

    CoreLocalMem& operator+=(difference_type count) {
        address_ += count * sizeof(T);
        return *this;
    }
    CoreLocalMem& operator-=(difference_type count) { return *this += -count; }
    CoreLocalMem& operator++() { return *this += 1; }
    CoreLocalMem& operator--() { return *this += -1; }
    CoreLocalMem operator++(int) {
        CoreLocalMem before = *this;
        ++*this;
        return before;
    }
    CoreLocalMem operator--(int) {
        CoreLocalMem before = *this;
        --*this;
        return before;
    }
    CoreLocalMem operator+(difference_type count) const { return CoreLocalMem(*this) += count; }
    CoreLocalMem operator-(difference_type count) const { return CoreLocalMem(*this) -= count; }
    difference_type operator-(const CoreLocalMem& other) const {
        return (difference_type(address_) - difference_type(other.address_)) / difference_type(sizeof(T));
    }

    bool operator==(const CoreLocalMem& other) const { return address_ == other.address_; }
    bool operator!=(const CoreLocalMem& other) const { return address_ != other.address_; }
    bool operator<(const CoreLocalMem& other) const { return address_ < other.address_; }
    bool operator<=(const CoreLocalMem& other) const { return address_ <= other.address_; }
    bool operator>(const CoreLocalMem& other) const { return address_ > other.address_; }
    bool operator>=(const CoreLocalMem& other) const { return address_ >= other.address_; }
    explicit operator bool() const { return address_ != 0; }

    [[nodiscard]] auto scoped_lock(size_t) const {
        return Lock([]() {});
    }

private:
    AddressType address_;
};

#if !defined(COMPILE_FOR_TRISC)

#include "tw/local_endpoint.h"

template <typename T, typename AddressType>
struct noc_traits_t<CoreLocalMem<T, AddressType>>
    : tw::LocalEndpointTraits<CoreLocalMem<T, AddressType>, noc_traits_t<CoreLocalMem<T, AddressType>>, AddressType> {
    static uint32_t read_address(const CoreLocalMem<T, AddressType>& memory) { return uint32_t(memory.get_address()); }
    static uint32_t write_address(const CoreLocalMem<T, AddressType>& memory) { return uint32_t(memory.get_address()); }
};
template <typename T, typename AddressType>
inline constexpr bool noc_zero_l1_endpoint_v<CoreLocalMem<T, AddressType>> = true;

#endif

// Where releases before 0.75 had them.
namespace experimental {
using ::CoreLocalMem;
}  // namespace experimental
