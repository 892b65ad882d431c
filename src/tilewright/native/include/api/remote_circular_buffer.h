// SPDX-License-Identifier: Apache-2.0
// Global circular buffers, which feed CBs of other cores. Kernels that have them compile; using one ends the run.
#pragma once

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"

namespace experimental {

template <bool update_remote_over_noc = false>
[[noreturn]] inline void resize_remote_sender_cb_interface(
    uint32_t cb_id, uint32_t page_size, uint8_t noc, uint8_t nm = 0, bool posted = true, uint8_t cmd_buf = 0) {
    tw_not_modelled("resize_remote_sender_cb_interface (global circular buffers)");
}
template <bool update_remote_over_noc = false>
[[noreturn]] inline void resize_remote_receiver_cb_interface(
    uint32_t cb_id, uint32_t page_size, uint8_t noc, uint8_t nm = 0, bool posted = true, uint8_t cmd_buf = 0) {
    tw_not_modelled("resize_remote_receiver_cb_interface (global circular buffers)");
}

[[noreturn]] inline void remote_cb_wait_front(uint32_t cb_id, uint32_t num_pages) {
    tw_not_modelled("remote_cb_wait_front (global circular buffers)");
}
[[noreturn]] inline void remote_cb_pop_front(uint32_t cb_id, uint32_t num_pages, uint8_t noc = noc_index) {
    tw_not_modelled("remote_cb_pop_front (global circular buffers)");
}
[[noreturn]] inline void remote_cb_reserve_back(uint32_t cb_id, uint32_t num_pages) {
    tw_not_modelled("remote_cb_reserve_back (global circular buffers)");
}
[[noreturn]] inline void remote_cb_sender_barrier(uint32_t cb_id) {
    tw_not_modelled("remote_cb_sender_barrier (global circular buffers)");
}
template <bool skip_ptr_update = true>
[[noreturn]] inline void remote_cb_push_back_and_write_pages(
    uint32_t cb_id,
    uint32_t local_cb_addr,
    uint32_t num_pages,
    uint32_t num_rows,
    uint32_t coalesced_num_pages_per_row,
    uint32_t coalesced_page_size,
    uint8_t noc = noc_index) {
    tw_not_modelled("remote_cb_push_back_and_write_pages (global circular buffers)");
}
template <uint32_t num_local_cbs>
[[noreturn]] inline void align_local_cbs_to_remote_cb(
    uint32_t remote_cb_index, const uint32_t (&local_cb_indices)[num_local_cbs]) {
    tw_not_modelled("align_local_cbs_to_remote_cb (global circular buffers)");
}
[[noreturn]] inline void update_remote_cb_config_in_l1(uint32_t remote_cb_index) {
    tw_not_modelled("update_remote_cb_config_in_l1 (global circular buffers)");
}

class RemoteCircularBuffer {
public:
    enum class RemotePointerUpdate { SKIP, UPDATE_OVER_NOC };

    explicit RemoteCircularBuffer(uint32_t remote_cb_index) : remote_cb_index_(remote_cb_index) {}

    void reserve_back(uint32_t num_pages) { remote_cb_reserve_back(remote_cb_index_, num_pages); }
    void wait_front(uint32_t num_pages) { remote_cb_wait_front(remote_cb_index_, num_pages); }
    void pop_front(Noc& noc, uint32_t num_pages) { remote_cb_pop_front(remote_cb_index_, num_pages, noc.get_noc_id()); }
    void barrier() { remote_cb_sender_barrier(remote_cb_index_); }
    void commit() { update_remote_cb_config_in_l1(remote_cb_index_); }

    template <typename Src, RemotePointerUpdate update_remote_pointer = RemotePointerUpdate::UPDATE_OVER_NOC>
    void push_back(
        Noc& noc,
        const Src& src,
        uint32_t num_pages,
        uint32_t num_rows,
        uint32_t coalesced_num_pages_per_row,
        uint32_t coalesced_page_size,
        const typename noc_traits_t<Src>::src_args_type& src_args = typename noc_traits_t<Src>::src_args_type{}) {
        remote_cb_push_back_and_write_pages(
            remote_cb_index_, 0, num_pages, num_rows, coalesced_num_pages_per_row, coalesced_page_size);
    }
    template <RemotePointerUpdate update_remote_pointer = RemotePointerUpdate::UPDATE_OVER_NOC>
    void set_sender_page_size(
        Noc& noc, uint32_t page_size, uint8_t noc_mode = 0, bool posted = true, uint8_t cmd_buf = 0) {
        resize_remote_sender_cb_interface(remote_cb_index_, page_size, noc.get_noc_id());
    }
    template <RemotePointerUpdate update_remote_pointer = RemotePointerUpdate::UPDATE_OVER_NOC>
    void set_receiver_page_size(
        Noc& noc, uint32_t page_size, uint8_t noc_mode = 0, bool posted = true, uint8_t cmd_buf = 0) {
        resize_remote_receiver_cb_interface(remote_cb_index_, page_size, noc.get_noc_id());
    }

private:
    uint32_t remote_cb_index_;
};

}  // namespace experimental
