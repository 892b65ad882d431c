// SPDX-License-Identifier: Apache-2.0
// Walks the pages of one shard. A shard at the tensor's edge has places without a page: they are skipped.
#pragma once

#include <cstddef>
#include <cstdint>

#include "api/tensor/page.h"

namespace tensor_accessor {

template <typename Accessor>
class ShardPagesAddressIterator {
public:
    using value_type = ShardPage<Accessor>;
    using difference_type = std::ptrdiff_t;
    using reference = const value_type&;
    using pointer = const value_type*;

    ShardPagesAddressIterator(const Accessor& accessor, uint32_t shard_id, uint32_t start, uint32_t end, uint8_t noc) :
        accessor_(&accessor),
        shard_id_(shard_id),
        place_(start),
        end_(end),
        first_address_(accessor.get_shard_noc_addr(shard_id, 0, noc)),
        page_(0, 0, nullptr, 0, 0) {
        arrive(1);
    }

    uint32_t page_id() const { return page_.page_id(); }
    reference operator*() const { return page_; }
    pointer operator->() const { return &page_; }
    ShardPagesAddressIterator& operator+=(difference_type steps) {
        place_ += uint32_t(steps);
        arrive(uint32_t(steps));
        return *this;
    }
    ShardPagesAddressIterator& operator++() { return *this += 1; }
    ShardPagesAddressIterator operator++(int) {
        ShardPagesAddressIterator before = *this;
        ++*this;
        return before;
    }
    ShardPagesAddressIterator operator+(difference_type steps) const {
        return ShardPagesAddressIterator(*this) += steps;
    }
    value_type operator[](difference_type steps) const { return *(*this + steps); }
    bool operator==(const ShardPagesAddressIterator& other) const {
        return shard_id_ == other.shard_id_ && place_ == other.place_;
    }
    bool operator<(const ShardPagesAddressIterator& other) const {
        return shard_id_ == other.shard_id_ && place_ < other.place_;
    }
    bool operator>(const ShardPagesAddressIterator& other) const { return other < *this; }
    bool operator<=(const ShardPagesAddressIterator& other) const { return *this < other || *this == other; }
    bool operator>=(const ShardPagesAddressIterator& other) const { return !(*this < other); }

private:
    void arrive(uint32_t step) {
        uint32_t id = 0;
        while (place_ < end_ && !page_at(place_, id)) {
            place_ += step ? step : 1;
        }
        if (place_ < end_) {
            uint64_t address = first_address_ + uint64_t(place_) * accessor_->get_aligned_page_size();
            page_ = value_type(address, id, accessor_, shard_id_, place_);
        } else {
            place_ = end_;
        }
    }
    // Id of the tensor's page at this place of the shard; false when the place lies outside the tensor.
    bool page_at(uint32_t place, uint32_t& id) const {
        const auto& spec = accessor_->dspec();
        uint32_t shard = shard_id_;
        id = 0;
        for (uint32_t i = spec.rank(); i-- > 0;) {
            uint32_t in_shard = place % spec.shard_shape()[i];
            uint32_t coordinate = (shard % spec.shard_grid()[i]) * spec.shard_shape()[i] + in_shard;
            if (coordinate >= spec.tensor_shape()[i]) {
                return false;
            }
            id += coordinate * spec.tensor_strides()[i];
            place /= spec.shard_shape()[i];
            shard /= spec.shard_grid()[i];
        }
        return true;
    }

    const Accessor* accessor_;
    uint32_t shard_id_;
    uint32_t place_;
    uint32_t end_;
    uint64_t first_address_;
    value_type page_;
};

template <typename Accessor>
class ShardPages {
public:
    using iterator = ShardPagesAddressIterator<Accessor>;
    using const_iterator = iterator;

    ShardPages(const Accessor& accessor, uint32_t shard_id, uint32_t start, uint32_t end, uint8_t noc) :
        accessor_(accessor), shard_id_(shard_id), start_(start), end_(end), noc_(noc) {}
    iterator begin() const { return iterator(accessor_, shard_id_, start_, end_, noc_); }
    iterator end() const { return iterator(accessor_, shard_id_, end_, end_, noc_); }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }

private:
    const Accessor& accessor_;
    uint32_t shard_id_, start_, end_;
    uint8_t noc_;
};

}  // namespace tensor_accessor
