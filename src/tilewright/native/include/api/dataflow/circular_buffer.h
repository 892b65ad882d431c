// SPDX-License-Identifier: Apache-2.0
// CircularBuffer: one CB as an object. Pointers are in bytes for data movement, in 16-byte words for compute.
#pragma once

#include <cstdint>

#include "api/lock.h"
#include "internal/circular_buffer_interface.h"
#include "tw/tile_formats.h"

class CircularBuffer {
public:
    enum class AddrSelector { WRITE_PTR, READ_PTR };

    explicit constexpr CircularBuffer(uint32_t cb_id) : cb_id_(cb_id) {}

    constexpr uint32_t get_cb_id() const { return cb_id_; }

    void reserve_back(int32_t num_pages) const { tw_cb_reserve_back(cb_id_, num_pages); }
    void push_back(int32_t num_pages) const { tw_cb_push_back(cb_id_, num_pages); }
    void wait_front(int32_t num_pages) const { tw_cb_wait_front(cb_id_, num_pages); }
    void pop_front(int32_t num_pages) const { tw_cb_pop_front(cb_id_, num_pages); }

    bool pages_reservable_at_back(int32_t num_pages) const { return tw_cb_pages_free(cb_id_) >= uint32_t(num_pages); }
    bool pages_available_at_front(int32_t num_pages) const {
        return tw_cb_pages_at_front(cb_id_) >= uint32_t(num_pages);
    }

    uint32_t get_write_ptr() const { return get_local_cb_interface(cb_id_).fifo_wr_ptr; }
    uint32_t get_read_ptr() const { return get_local_cb_interface(cb_id_).fifo_rd_ptr; }

    constexpr uint32_t get_tile_size() const { return ::get_tile_size(cb_id_); }
    constexpr uint32_t get_tile_hw() const { return ::get_tile_hw(cb_id_); }
    constexpr DataFormat get_dataformat() const { return ::get_dataformat(cb_id_); }

    // Byte address of a tile counted from the read pointer.
    uint32_t get_tile_address(uint32_t tile_index) const {
        const LocalCBInterface& cb = get_local_cb_interface(cb_id_);
        return (cb.fifo_rd_ptr + cb.fifo_page_size * tile_index) << cb_addr_shift;
    }
    uint32_t read_tile_value(uint32_t tile_index, uint32_t element_offset) const {
        return reinterpret_cast<volatile uint32_t*>(uintptr_t(get_tile_address(tile_index)))[element_offset];
    }

    [[nodiscard]] auto scoped_lock() const {
        return Lock([]() {});
    }

private:
    uint32_t cb_id_;
};

#if !defined(COMPILE_FOR_TRISC)

#include "tw/local_endpoint.h"

// A CB seen at one chosen pointer, whichever end of a transfer it is.
template <CircularBuffer::AddrSelector AddrSel>
struct CircularBufferView {
    const CircularBuffer& cb;
    explicit constexpr CircularBufferView(const CircularBuffer& c) : cb(c) {}
    uint32_t address() const {
        return AddrSel == CircularBuffer::AddrSelector::READ_PTR ? cb.get_read_ptr() : cb.get_write_ptr();
    }
};
template <CircularBuffer::AddrSelector AddrSel>
constexpr auto use(const CircularBuffer& cb) {
    return CircularBufferView<AddrSel>(cb);
}

template <>
struct noc_traits_t<CircularBuffer> : tw::LocalEndpointTraits<CircularBuffer, noc_traits_t<CircularBuffer>> {
    static uint32_t read_address(const CircularBuffer& cb) { return cb.get_read_ptr(); }
    static uint32_t write_address(const CircularBuffer& cb) { return cb.get_write_ptr(); }
};
template <CircularBuffer::AddrSelector AddrSel>
struct noc_traits_t<CircularBufferView<AddrSel>>
    : tw::LocalEndpointTraits<CircularBufferView<AddrSel>, noc_traits_t<CircularBufferView<AddrSel>>> {
    static uint32_t read_address(const CircularBufferView<AddrSel>& view) { return view.address(); }
    static uint32_t write_address(const CircularBufferView<AddrSel>& view) { return view.address(); }
};
template <>
inline constexpr bool noc_zero_l1_endpoint_v<CircularBuffer> = true;

namespace experimental {
using ::use;
}  // namespace experimental

#endif

// Where releases before 0.75 had them.
namespace experimental {
using ::CircularBuffer;
}  // namespace experimental
