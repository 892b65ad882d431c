// SPDX-License-Identifier: Apache-2.0
// DataflowBuffer: one CB as an object, as Metal 2.0 kernels use it.
// Pointers are in bytes for data movement, in 16-byte words for compute; sizes are always in bytes.
#pragma once

#include <cstdint>
#include <type_traits>

#include "api/core_local_mem.h"
#include "api/dataflow/dfb_access.h"
#include "api/dataflow/dfb_binding_token.h"
#include "internal/circular_buffer_interface.h"
#include "tw/tile_formats.h"

#if !defined(COMPILE_FOR_TRISC)
class Noc;
#endif

// Holds entries of a buffer for reading or writing as long as it lives.
template <bool IsWrite>
class DfbScopedLock {
public:
    explicit DfbScopedLock(uint32_t pointer) : pointer_(pointer) {}
    DfbScopedLock(const DfbScopedLock&) = delete;
    DfbScopedLock& operator=(const DfbScopedLock&) = delete;

    template <typename T = uint32_t>
    [[nodiscard]] CoreLocalMem<std::conditional_t<IsWrite, T, const T>> get_ptr() const {
        return CoreLocalMem<std::conditional_t<IsWrite, T, const T>>(pointer_);
    }

private:
    uint32_t pointer_;
};

class DataflowBuffer {
public:
    using DFBInterface = LocalCBInterface;

    constexpr DataflowBuffer(uint16_t logical_dfb_id) : id_(logical_dfb_id) {}
    template <dfb::AccessPattern Pap, dfb::AccessPattern Cap>
    constexpr DataflowBuffer(DFBBindingToken<Pap, Cap> token) : id_(uint16_t(uint32_t(token))) {}
    constexpr DataflowBuffer(RelayDFBBindingToken token) : id_(uint16_t(uint32_t(token))) {}

    constexpr uint16_t get_id() const { return id_; }

    uint32_t get_entry_size() const { return interface().fifo_page_size << cb_addr_shift; }
    uint32_t get_stride_size() const { return get_entry_size(); }
    uint32_t get_total_size_bytes() const { return interface().fifo_size << cb_addr_shift; }
    uint32_t get_total_num_entries() const { return interface().fifo_num_pages; }
    uint32_t get_local_num_entries() const { return get_total_num_entries(); }
    uint32_t get_local_size_bytes() const { return get_total_size_bytes(); }
    uint32_t get_ring_span_bytes() const { return get_total_size_bytes(); }
    uint32_t get_ring_span_num_entries() const { return get_total_num_entries(); }
    uint16_t get_producer_share() const { return 1; }
    uint16_t get_consumer_share() const { return 1; }
    uint16_t get_producer_stride_tiles() const { return 1; }
    uint16_t get_consumer_stride_tiles() const { return 1; }

    void reserve_back(uint16_t num_entries) const { tw_cb_reserve_back(id_, num_entries); }
    void push_back(uint16_t num_entries) const { tw_cb_push_back(id_, num_entries); }
    void wait_front(uint16_t num_entries) const { tw_cb_wait_front(id_, num_entries); }
    void pop_front(uint16_t num_entries) const { tw_cb_pop_front(id_, num_entries); }
    void finish() const {}

    bool pages_reservable_at_back(int32_t num_pages) const { return tw_cb_pages_free(id_) >= uint32_t(num_pages); }
    bool pages_available_at_front(int32_t num_pages) const { return tw_cb_pages_at_front(id_) >= uint32_t(num_pages); }

    uint32_t get_write_ptr() const { return interface().fifo_wr_ptr; }
    uint32_t get_read_ptr() const { return interface().fifo_rd_ptr; }
    void evil_set_write_ptr(uint32_t addr) const { interface().fifo_wr_ptr = addr; }
    void evil_set_read_ptr(uint32_t addr) const { interface().fifo_rd_ptr = addr; }

    constexpr uint32_t get_tile_size() const { return ::get_tile_size(id_); }
    constexpr uint32_t get_tile_r_dim() const { return tw::tile_rows(id_); }
    constexpr uint32_t get_tile_c_dim() const { return tw::tile_columns(id_); }
    constexpr uint32_t get_tile_hw() const { return ::get_tile_hw(id_); }
    constexpr uint32_t get_tile_num_faces() const { return ::get_tile_num_faces(id_); }
    constexpr uint32_t get_face_r_dim() const { return tw::face_rows(id_); }
    constexpr uint32_t get_partial_face() const { return tw::partial_face(id_); }
    constexpr uint32_t get_narrow_tile() const { return tw::narrow_tile(id_); }
    constexpr uint32_t get_num_faces_r_dim() const { return tw::faces_per_tile_column(id_); }
    constexpr uint32_t get_num_faces_c_dim() const { return tw::faces_per_tile_row(id_); }
    constexpr DataFormat get_dataformat() const { return ::get_dataformat(id_); }
    constexpr DataFormat get_unpack_dst_format() const { return tw::unpacked_format(id_); }
    constexpr DataFormat get_pack_src_format() const { return tw::format_to_pack(id_); }
    constexpr DataFormat get_pack_dst_format() const { return tw::packed_format(id_); }

    // Byte address of a tile counted from the read pointer.
    uint32_t get_tile_address(uint32_t tile_index) const {
        return (interface().fifo_rd_ptr + interface().fifo_page_size * tile_index) << cb_addr_shift;
    }
    template <typename T = uint32_t>
    T read_tile_value(uint32_t tile_index, uint32_t element_offset) const {
        static_assert(std::is_unsigned_v<T> && sizeof(T) <= 4, "read_tile_value takes unsigned types of 1 to 4 bytes");
        return reinterpret_cast<volatile T*>(uintptr_t(get_tile_address(tile_index)))[element_offset];
    }

#if defined(COMPILE_FOR_TRISC)
    // Address of the front or back entry the way unpacker and packer registers want it.
    template <typename Operand>
    [[nodiscard]] Operand front() const {
        return Operand{get_read_ptr() - 1};
    }
    template <typename Operand>
    [[nodiscard]] Operand back() const {
        return Operand{get_write_ptr() - 1};
    }
#else
    void write_barrier(const Noc& noc) const;
#endif

    [[nodiscard]] DfbScopedLock<true> scoped_write_lock(uint16_t = 1) const {
        return DfbScopedLock<true>(get_write_ptr() << cb_addr_shift);
    }
    [[nodiscard]] DfbScopedLock<false> scoped_read_lock(uint16_t = 1) const {
        return DfbScopedLock<false>(get_read_ptr() << cb_addr_shift);
    }

private:
    LocalCBInterface& interface() const { return get_local_cb_interface(id_); }

    uint16_t id_;
};

#if !defined(COMPILE_FOR_TRISC)

#include "tw/local_endpoint.h"

inline void DataflowBuffer::write_barrier(const Noc& noc) const { noc.async_write_barrier(); }

template <>
struct noc_traits_t<DataflowBuffer> : tw::LocalEndpointTraits<DataflowBuffer, noc_traits_t<DataflowBuffer>> {
    using src_args_type = DataflowBufferArgs;
    using dst_args_type = DataflowBufferArgs;

    template <Noc::AddressType address_type>
    static uint32_t src_addr(const DataflowBuffer& buffer, const Noc&, const src_args_type& args) {
        return buffer.get_read_ptr() + args.offset_bytes;
    }
    template <Noc::AddressType address_type>
    static uint32_t dst_addr(const DataflowBuffer& buffer, const Noc&, const dst_args_type& args) {
        return buffer.get_write_ptr() + args.offset_bytes;
    }
    static uint32_t write_address(const DataflowBuffer& buffer) { return buffer.get_write_ptr(); }
};
template <>
inline constexpr bool noc_zero_l1_endpoint_v<DataflowBuffer> = true;

#endif
