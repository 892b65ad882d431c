// SPDX-License-Identifier: Apache-2.0
// Noc: transfers between endpoints. What an endpoint is and what its arguments look like is said by noc_traits_t.
#pragma once

#include <cstdint>
#include <type_traits>

#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/dfb_access.h"

template <typename DSpecT>
struct TensorAccessor;

template <typename T>
struct noc_traits_t {
    static_assert(sizeof(T) == 0, "NoC transfers do not know this type of endpoint");
};

// Endpoints that are memory of this core: async_write_zeros can clear them.
template <typename T>
inline constexpr bool noc_zero_l1_endpoint_v = false;
template <typename T>
inline constexpr bool is_scratchpad_v = false;

// Arguments of endpoints that are a place in L1.
struct DataflowBufferArgs {
    uint32_t offset_bytes{};
};

enum class NocOptions : uint32_t {
    DEFAULT = 0,
    TXN_ID = 1u << 0,
    POSTED = 1u << 1,
    CUSTOM_VC = 1u << 2,
    MCAST_INCL_SRC = 1u << 3,
    INLINE_L1 = 1u << 4,
    INLINE_REG = 1u << 5,
};
constexpr NocOptions operator|(NocOptions a, NocOptions b) noexcept { return NocOptions(uint32_t(a) | uint32_t(b)); }
constexpr bool has_flag(NocOptions opts, NocOptions flag) noexcept { return (uint32_t(opts) & uint32_t(flag)) != 0; }

struct NocOptVals {
    uint32_t vc = NOC_UNICAST_WRITE_VC;
    uint32_t trid = 0;
};

class Noc {
public:
    enum class AddressType { NOC, LOCAL_L1 };
    static constexpr uint32_t INVALID_TXN_ID = 0xFFFFFFFF;

    template <typename T>
    using src_args_t = typename noc_traits_t<T>::src_args_type;
    template <typename T>
    using dst_args_t = typename noc_traits_t<T>::dst_args_type;
    template <typename T>
    using dst_args_mcast_t = typename noc_traits_t<T>::dst_args_mcast_type;

    Noc() : noc_id_(noc_index) {}
    explicit Noc(uint8_t noc_id) : noc_id_(noc_id) {}

    uint8_t get_noc_id() const { return noc_id_; }
    bool is_local_bank(uint32_t virtual_x, uint32_t virtual_y) const {
        return noc_address_backend::is_local_coordinate(virtual_x, virtual_y, noc_id_);
    }
    bool is_local_addr(uint64_t noc_addr) const { return noc_address_backend::is_local(noc_addr, noc_id_); }

    template <
        NocOptions opts = NocOptions::DEFAULT,
        uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
        bool enable_noc_tracing = true,
        typename Src,
        typename Dst>
    void async_read(
        const Src& src,
        const Dst& dst,
        uint32_t size_bytes,
        const src_args_t<Src>& src_args,
        const dst_args_t<Dst>& dst_args,
        const NocOptVals& noc_opts = {}) const {
        if constexpr (has_flag(opts, NocOptions::TXN_ID)) {
            noc_async_read_set_trid(noc_opts.trid, noc_id_);
        }
        noc_async_read<max_page_size, enable_noc_tracing>(
            source<AddressType::NOC>(src, src_args), local_destination(dst, dst_args), size_bytes, noc_id_);
    }

    template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src>
    void set_async_read_state(
        const Src& src, uint32_t size_bytes, const src_args_t<Src>& src_args, const NocOptVals& noc_opts = {}) const {
        if constexpr (has_flag(opts, NocOptions::TXN_ID)) {
            noc_async_read_set_trid(noc_opts.trid, noc_id_);
        }
        noc_async_read_one_packet_set_state(source<AddressType::NOC>(src, src_args), size_bytes, 0, noc_id_);
    }

    template <
        NocOptions opts = NocOptions::DEFAULT,
        uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
        typename Src,
        typename Dst>
    void async_read_with_state(
        const Src& src,
        const Dst& dst,
        uint32_t size_bytes,
        const src_args_t<Src>& src_args,
        const dst_args_t<Dst>& dst_args,
        const NocOptVals& noc_opts = {}) const {
        constexpr bool one_packet = max_page_size <= NOC_MAX_BURST_SIZE;
        uint32_t from = uint32_t(source<AddressType::NOC>(src, src_args));
        uint32_t to = local_destination(dst, dst_args);
        if constexpr (has_flag(opts, NocOptions::TXN_ID)) {
            static_assert(one_packet, "async_read_with_state takes a transaction id for one packet only");
            noc_async_read_one_packet_with_state_with_trid(0, from, to, noc_opts.trid, noc_id_);
        } else if constexpr (one_packet) {
            noc_async_read_one_packet_with_state(from, to, 0, noc_id_);
        } else {
            noc_async_read_with_state(from, to, size_bytes, noc_id_);
        }
    }

    template <
        NocOptions opts = NocOptions::DEFAULT,
        uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
        bool enable_noc_tracing = true,
        typename Src,
        typename Dst>
    void async_write(
        const Src& src,
        const Dst& dst,
        uint32_t size_bytes,
        const src_args_t<Src>& src_args,
        const dst_args_t<Dst>& dst_args,
        const NocOptVals& noc_opts = {}) const {
        constexpr bool posted = has_flag(opts, NocOptions::POSTED);
        uint32_t from = local_source(src, src_args);
        uint64_t to = destination<AddressType::NOC>(dst, dst_args);
        if constexpr (has_flag(opts, NocOptions::TXN_ID)) {
            tw_noc_write(from, to, size_bytes, noc_id_, tw::posted_flag(posted), noc_opts.trid);
        } else {
            noc_async_write<max_page_size, enable_noc_tracing, posted>(from, to, size_bytes, noc_id_);
        }
    }

    template <
        NocOptions opts = NocOptions::DEFAULT,
        uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
        bool enable_noc_tracing = true,
        typename Src,
        typename Dst>
    void async_write_multicast(
        const Src& src,
        const Dst& dst,
        uint32_t size_bytes,
        uint32_t num_dsts,
        const src_args_t<Src>& src_args,
        const dst_args_mcast_t<Dst>& dst_args,
        bool linked = false) const {
        static_assert(!has_flag(opts, NocOptions::TXN_ID), "a multicast takes no transaction id");
        static_assert(!has_flag(opts, NocOptions::POSTED), "a multicast cannot be posted");
        uint32_t from = local_source(src, src_args);
        uint64_t to = noc_traits_t<Dst>::template dst_addr_mcast<AddressType::NOC>(dst, *this, dst_args);
        if constexpr (has_flag(opts, NocOptions::MCAST_INCL_SRC)) {
            noc_async_write_multicast_loopback_src(from, to, size_bytes, num_dsts, linked, noc_id_);
        } else {
            noc_async_write_multicast(from, to, size_bytes, num_dsts, linked, noc_id_);
        }
    }

    template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Dst>
    void set_async_write_state(
        const Dst& dst, uint32_t size_bytes, const dst_args_t<Dst>& dst_args, const NocOptVals& noc_opts = {}) const {
        static_assert(!has_flag(opts, NocOptions::TXN_ID), "set_async_write_state takes no transaction id");
        noc_async_write_one_packet_set_state<has_flag(opts, NocOptions::POSTED)>(
            destination<AddressType::NOC>(dst, dst_args), size_bytes, noc_id_);
    }

    template <
        NocOptions opts = NocOptions::DEFAULT,
        uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
        typename Src,
        typename Dst>
    void async_write_with_state(
        const Src& src,
        const Dst& dst,
        uint32_t size_bytes,
        const src_args_t<Src>& src_args,
        const dst_args_t<Dst>& dst_args,
        const NocOptVals& noc_opts = {}) const {
        static_assert(!has_flag(opts, NocOptions::TXN_ID), "async_write_with_state takes no transaction id");
        constexpr bool posted = has_flag(opts, NocOptions::POSTED);
        uint32_t from = local_source(src, src_args);
        uint32_t to = uint32_t(destination<AddressType::NOC>(dst, dst_args));
        if constexpr (max_page_size <= NOC_MAX_BURST_SIZE) {
            noc_async_write_one_packet_with_state<posted>(from, to, noc_id_);
        } else {
            noc_async_write_with_state<posted>(from, to, size_bytes, noc_id_);
        }
    }

    template <NocOptions opts = NocOptions::DEFAULT, typename Dst>
    void inline_dw_write(
        const Dst& dst,
        uint32_t val,
        const dst_args_t<Dst>& dst_args,
        uint8_t be = 0xF,
        const NocOptVals& noc_opts = {}) const {
        static_assert(!has_flag(opts, NocOptions::TXN_ID), "inline_dw_write takes no transaction id");
        noc_inline_dw_write<InlineWriteDst::DEFAULT, has_flag(opts, NocOptions::POSTED)>(
            destination<AddressType::NOC>(dst, dst_args), val, be, noc_id_);
    }

    bool is_read_trid_flushed(uint32_t trid) const {
        return ncrisc_noc_read_with_transaction_id_flushed(noc_id_, trid);
    }

    template <NocOptions opts = NocOptions::DEFAULT>
    void async_read_barrier(const NocOptVals& noc_opts = {}) const {
        tw::barrier(tw::Barrier::Read, noc_id_, transaction_of<opts>(noc_opts));
    }
    template <NocOptions opts = NocOptions::DEFAULT>
    void async_write_barrier(const NocOptVals& noc_opts = {}) const {
        tw::barrier(tw::Barrier::WriteAck, noc_id_, transaction_of<opts>(noc_opts));
    }
    template <NocOptions opts = NocOptions::DEFAULT>
    void async_writes_flushed(const NocOptVals& noc_opts = {}) const {
        constexpr bool posted = has_flag(opts, NocOptions::POSTED);
        static_assert(!(posted && has_flag(opts, NocOptions::TXN_ID)), "posted writes have no transaction id");
        tw::barrier(posted ? tw::Barrier::PostedSent : tw::Barrier::WriteSent, noc_id_, transaction_of<opts>(noc_opts));
    }
    void async_atomic_barrier() const { noc_async_atomic_barrier(noc_id_); }
    void async_full_barrier() const { noc_async_full_barrier(noc_id_); }

    // Zeros into memory of this core; write_zeros_l1_barrier says when they are there.
    template <typename Dst>
    void async_write_zeros(const Dst& dst, uint32_t size_bytes, const dst_args_t<Dst>& args = {}) const {
        static_assert(noc_zero_l1_endpoint_v<Dst>, "async_write_zeros without scratch memory clears local L1 only");
        tw_noc_zero(get_noc_addr(local_destination(dst, args), noc_id_), size_bytes, noc_id_);
    }
    // Zeros into one page of a DRAM tensor, copied from scratch memory the caller has cleared.
    template <typename DSpecT, typename Scratch>
    void async_write_zeros(
        const ::TensorAccessor<DSpecT>& accessor,
        uint32_t size_bytes,
        const dst_args_t<::TensorAccessor<DSpecT>>& args,
        const Scratch& scratch) const {
        static_assert(noc_zero_l1_endpoint_v<Scratch>, "the scratch memory of async_write_zeros is local L1");
        uint32_t from = local_source(scratch, src_args_t<Scratch>{});
        uint64_t to = destination<AddressType::NOC>(accessor, args);
        for (uint32_t done = 0; done < size_bytes; done += NOC_MAX_BURST_SIZE) {
            uint32_t left = size_bytes - done;
            noc_async_write(from, to + done, left < NOC_MAX_BURST_SIZE ? left : NOC_MAX_BURST_SIZE, noc_id_);
        }
    }
    void write_zeros_l1_barrier() const { noc_async_read_barrier(noc_id_); }
    void write_zeros_dram_barrier() const { noc_async_write_barrier(noc_id_); }

private:
    template <AddressType address_type, typename Src>
    auto source(const Src& src, const src_args_t<Src>& args) const {
        return noc_traits_t<Src>::template src_addr<address_type>(src, *this, args);
    }
    template <AddressType address_type, typename Dst>
    auto destination(const Dst& dst, const dst_args_t<Dst>& args) const {
        return noc_traits_t<Dst>::template dst_addr<address_type>(dst, *this, args);
    }
    template <typename Src>
    uint32_t local_source(const Src& src, const src_args_t<Src>& args) const {
        return uint32_t(source<AddressType::LOCAL_L1>(src, args));
    }
    template <typename Dst>
    uint32_t local_destination(const Dst& dst, const dst_args_t<Dst>& args) const {
        return uint32_t(destination<AddressType::LOCAL_L1>(dst, args));
    }
    template <NocOptions opts>
    static uint32_t transaction_of(const NocOptVals& values) {
        return has_flag(opts, NocOptions::TXN_ID) ? values.trid : tw::kNoTransactionId;
    }

    uint8_t noc_id_;
};

// Where releases before 0.75 had them.
namespace experimental {
using ::Noc;
}  // namespace experimental
