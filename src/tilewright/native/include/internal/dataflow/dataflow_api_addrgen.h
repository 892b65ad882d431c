// SPDX-License-Identifier: Apache-2.0
// From pages, banks and cores to NoC addresses.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "api/alignment.h"
#include "internal/mod_div_lib.h"
#include "tensix_types.h"
#include "tw/core.h"

FORCE_INLINE uint64_t get_noc_addr(uint32_t noc_x, uint32_t noc_y, uint32_t addr, uint8_t noc = noc_index) {
    return NOC_XY_ADDR(noc_x, noc_y, addr);
}
FORCE_INLINE uint64_t get_noc_addr(uint32_t addr, uint8_t noc = noc_index) {
    return NOC_XY_ADDR(my_x[noc], my_y[noc], addr);
}
inline uint64_t get_noc_addr_helper(uint32_t noc_xy, uint32_t addr) { return NOC_XY_ADDR2(noc_xy, addr); }
FORCE_INLINE uint64_t get_noc_multicast_addr(
    uint32_t noc_x_start,
    uint32_t noc_y_start,
    uint32_t noc_x_end,
    uint32_t noc_y_end,
    uint32_t addr,
    uint8_t noc = noc_index) {
    return NOC_MULTICAST_ADDR(noc_x_start, noc_y_start, noc_x_end, noc_y_end, addr);
}

namespace noc_address_backend {

inline uint64_t worker_address(uint32_t x, uint32_t y, uint32_t local_address, uint8_t noc) {
    return ::get_noc_addr(x, y, local_address, noc);
}
inline uint64_t self_address(uint32_t local_address, uint8_t noc) { return ::get_noc_addr(local_address, noc); }
inline uint64_t packed_worker_address(uint32_t packed_xy, uint32_t local_address) {
    return ::get_noc_addr_helper(packed_xy, local_address);
}
template <bool DRAM>
inline uint64_t bank_address(uint32_t bank_index, uint32_t local_address, uint8_t noc) {
    return tw_bank_noc_address(DRAM, bank_index, local_address, noc);
}
inline uint32_t extract_local_address(uint64_t address) { return uint32_t(NOC_LOCAL_ADDR_OFFSET(address)); }
inline bool is_local_coordinate(uint32_t x, uint32_t y, uint8_t noc) { return x == my_x[noc] && y == my_y[noc]; }
inline bool is_local(uint64_t address, uint8_t noc) {
    return is_local_coordinate(NOC_UNICAST_ADDR_X(address), NOC_UNICAST_ADDR_Y(address), noc);
}

}  // namespace noc_address_backend

template <bool DRAM>
inline uint64_t get_noc_addr_from_bank_id(uint32_t bank_id, uint32_t bank_address_offset, uint8_t noc = noc_index) {
    return tw_bank_noc_address(DRAM, bank_id, bank_address_offset, noc);
}

namespace interleaved_addr_gen {

template <bool DRAM>
inline constexpr uint32_t num_banks = DRAM ? NUM_DRAM_BANKS : NUM_L1_BANKS;

template <bool DRAM>
inline uint32_t get_bank_offset_index(uint32_t id) {
    return id / num_banks<DRAM>;
}
template <bool DRAM>
inline uint32_t get_bank_index(uint32_t id, uint32_t bank_offset_index) {
    return id - bank_offset_index * num_banks<DRAM>;
}
template <bool DRAM>
inline uint32_t get_noc_xy(uint32_t bank_index, uint8_t noc = noc_index) {
    return uint32_t(tw_bank_noc_address(DRAM, bank_index, 0, noc) >> NOC_ADDR_COORD_SHIFT);
}
template <bool DRAM>
inline uint32_t get_bank_offset(uint32_t bank_index) {
    return uint32_t(NOC_LOCAL_ADDR_OFFSET(tw_bank_noc_address(DRAM, bank_index, 0, noc_index)));
}
template <bool DRAM>
constexpr uint32_t get_allocator_alignment() {
    return DRAM ? DRAM_ALIGNMENT : L1_ALIGNMENT;
}
template <bool DRAM>
constexpr uint32_t get_log_base2_of_allocator_alignment() {
    return DRAM ? LOG_BASE_2_OF_DRAM_ALIGNMENT : LOG_BASE_2_OF_L1_ALIGNMENT;
}

// Pages go round the banks: page p lies in bank p % banks, as the (p / banks)th page there.
template <bool DRAM>
inline uint64_t page_address(uint32_t id, uint32_t base, uint32_t bytes_per_page, uint32_t offset, uint8_t noc) {
    uint32_t row = id / num_banks<DRAM>;
    uint32_t bank = id - row * num_banks<DRAM>;
#if defined(TW_CHECKED)
    tw_noc_page(DRAM, base, id, bytes_per_page, tw_bank_noc_address(DRAM, bank, base + row * bytes_per_page, noc));
#elif defined(TW_RECORDED)
    tw_record_page(num_banks<DRAM>);
#endif
    return tw_bank_noc_address(DRAM, bank, base + row * bytes_per_page + offset, noc);
}

}  // namespace interleaved_addr_gen

// Bytes of `index` tiles of tile_hw data each.
template <uint32_t tile_hw = 1024>
constexpr uint32_t MUL_WITH_TILE_SIZE(uint32_t format, uint32_t index) {
    constexpr uint32_t exponents = tile_hw / 16 < 16 ? 16 : tile_hw / 16;
    switch (DataFormat(format & 0x1F)) {
        case DataFormat::UInt8: return index * tile_hw;
        case DataFormat::UInt16:
        case DataFormat::Float16:
        case DataFormat::Float16_b: return index * tile_hw * 2;
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::Float32: return index * tile_hw * 4;
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b: return index * (tile_hw / 4 + exponents);
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b: return index * (tile_hw / 2 + exponents);
        default: return index * (tile_hw + exponents);
    }
}

inline uint64_t get_dram_noc_addr(
    uint32_t id, uint32_t page_size, uint32_t bank_base_address, uint32_t offset = 0, uint8_t noc = noc_index) {
    return interleaved_addr_gen::page_address<true>(
        id, bank_base_address, align_power_of_2(page_size, DRAM_ALIGNMENT), offset, noc);
}
inline uint64_t get_l1_noc_addr(
    uint32_t id, uint32_t page_size, uint32_t bank_base_address, uint32_t offset = 0, uint8_t noc = noc_index) {
    return interleaved_addr_gen::page_address<false>(
        id, bank_base_address, align_power_of_2(page_size, L1_ALIGNMENT), offset, noc);
}
inline uint64_t get_system_memory_noc_addr(uint32_t, uint32_t, uint32_t, uint32_t = 0, uint8_t = noc_index) {
    tw_not_modelled("get_system_memory_noc_addr");
}

template <bool DRAM>
struct InterleavedAddrGen {
    static constexpr bool is_dram = DRAM;
    uint32_t bank_base_address;
    const uint32_t page_size;
    const uint32_t aligned_page_size =
        align_power_of_2(page_size, interleaved_addr_gen::get_allocator_alignment<DRAM>());

    uint32_t get_addr(uint32_t, uint32_t bank_offset_index, uint32_t bank_index, uint32_t offset = 0) const {
        return bank_base_address + bank_offset_index * aligned_page_size + offset +
               interleaved_addr_gen::get_bank_offset<DRAM>(bank_index);
    }
    uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0, uint8_t noc = noc_index) const {
        return interleaved_addr_gen::page_address<DRAM>(id, bank_base_address, aligned_page_size, offset, noc);
    }
};

template <bool DRAM>
struct InterleavedPow2AddrGen {
    static constexpr bool is_dram = DRAM;
    static constexpr uint32_t log_base_2_of_allocator_alignment =
        interleaved_addr_gen::get_log_base2_of_allocator_alignment<DRAM>();
    uint32_t bank_base_address;
    const uint32_t log_base_2_of_page_size;
    const uint32_t aligned_log_base_2_of_page_size = log_base_2_of_page_size > log_base_2_of_allocator_alignment
                                                         ? log_base_2_of_page_size
                                                         : log_base_2_of_allocator_alignment;

    uint32_t get_addr(uint32_t, uint32_t bank_offset_index, uint32_t bank_index, uint32_t offset = 0) const {
        return bank_base_address + (bank_offset_index << aligned_log_base_2_of_page_size) + offset +
               interleaved_addr_gen::get_bank_offset<DRAM>(bank_index);
    }
    uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0, uint8_t noc = noc_index) const {
        return interleaved_addr_gen::page_address<DRAM>(
            id, bank_base_address, 1u << aligned_log_base_2_of_page_size, offset, noc);
    }
};

template <bool DRAM>
struct InterleavedPow2AddrGenFast : InterleavedPow2AddrGen<DRAM> {};

template <bool DRAM, uint32_t tile_hw = 1024>
struct InterleavedAddrGenFast {
    static constexpr bool is_dram = DRAM;
    uint32_t bank_base_address;
    uint32_t page_size;
    DataFormat data_format;

    uint32_t get_addr(uint32_t, uint32_t bank_offset_index, uint32_t bank_index, uint32_t offset = 0) const {
        return bank_base_address + MUL_WITH_TILE_SIZE<tile_hw>(uint32_t(data_format), bank_offset_index) + offset +
               interleaved_addr_gen::get_bank_offset<DRAM>(bank_index);
    }
    uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0, uint8_t noc = noc_index) const {
        return interleaved_addr_gen::page_address<DRAM>(
            id, bank_base_address, MUL_WITH_TILE_SIZE<tile_hw>(uint32_t(data_format), 1), offset, noc);
    }
};

template <typename T>
inline constexpr bool has_get_noc_addr_v = requires(const T& t) { t.get_noc_addr(uint32_t(), uint32_t(), uint8_t()); };
template <typename T>
inline constexpr bool has_page_size_v = requires(const T& t) { t.page_size; };
template <typename T>
inline constexpr bool has_get_aligned_page_size_v = requires(const T& t) { t.get_aligned_page_size(); };
template <typename T>
inline constexpr bool has_log_base_2_of_page_size_v = requires(const T& t) { t.log_base_2_of_page_size; };
template <typename T>
inline constexpr bool has_required_addrgen_traits_v =
    has_get_noc_addr_v<T> && (has_get_aligned_page_size_v<T> || has_page_size_v<T> || has_log_base_2_of_page_size_v<T>);

template <typename AddrGen>
    requires has_get_noc_addr_v<AddrGen>
inline uint64_t get_noc_addr(uint32_t id, const AddrGen& addrgen, uint32_t offset = 0, uint8_t noc = noc_index) {
    return addrgen.get_noc_addr(id, offset, noc);
}

template <bool DRAM, uint32_t page_size>
inline auto get_interleaved_addr_gen(uint32_t base_addr) {
    if constexpr (!is_power_of_2(page_size)) {
        return InterleavedAddrGen<DRAM>{.bank_base_address = base_addr, .page_size = page_size};
    } else {
        return InterleavedPow2AddrGen<DRAM>{
            .bank_base_address = base_addr, .log_base_2_of_page_size = uint32_t(__builtin_ctz(page_size))};
    }
}
template <bool DRAM, bool is_size_pow2>
inline auto get_interleaved_addr_gen(uint32_t base_addr, uint32_t page_size, uint32_t log2_page_size) {
    if constexpr (is_size_pow2) {
        return InterleavedPow2AddrGen<DRAM>{.bank_base_address = base_addr, .log_base_2_of_page_size = log2_page_size};
    } else {
        return InterleavedAddrGen<DRAM>{.bank_base_address = base_addr, .page_size = page_size};
    }
}
template <bool DRAM, bool is_size_pow2>
inline auto get_interleaved_addr_gen(uint32_t base_addr, uint32_t size) {
    return get_interleaved_addr_gen<DRAM, is_size_pow2>(base_addr, size, size);
}
