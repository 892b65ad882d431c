// SPDX-License-Identifier: Apache-2.0
// Walks pages of a tensor in order of their ids.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "api/tensor/page.h"

namespace tensor_accessor {

template <typename Accessor>
class PagesAddressIterator {
public:
    using value_type = AccessorPage<Accessor>;
    using difference_type = std::ptrdiff_t;
    using reference = const value_type&;
    using pointer = const value_type*;

    PagesAddressIterator(const Accessor& accessor, uint32_t page_id, uint32_t end, uint32_t stride, uint8_t noc) :
        accessor_(&accessor), page_id_(page_id), end_(end), stride_(stride), noc_(noc), page_(0, 0, nullptr) {
        arrive();
    }

    uint32_t page_id() const { return page_id_; }
    reference operator*() const { return page_; }
    pointer operator->() const { return &page_; }
    PagesAddressIterator& operator+=(difference_type steps) {
        page_id_ += uint32_t(steps) * stride_;
        arrive();
        return *this;
    }
    PagesAddressIterator& operator++() { return *this += 1; }
    PagesAddressIterator operator++(int) {
        PagesAddressIterator before = *this;
        ++*this;
        return before;
    }
    PagesAddressIterator operator+(difference_type steps) const { return PagesAddressIterator(*this) += steps; }
    value_type operator[](difference_type steps) const { return *(*this + steps); }
    bool operator==(const PagesAddressIterator& other) const { return page_id_ == other.page_id_; }
    auto operator<=>(const PagesAddressIterator& other) const { return page_id_ <=> other.page_id_; }

private:
    void arrive() {
        if (page_id_ < end_) {
            page_ = value_type(accessor_->get_noc_addr(page_id_, 0, noc_), page_id_, accessor_);
        } else {
            page_id_ = end_;
        }
    }

    const Accessor* accessor_;
    uint32_t page_id_;
    uint32_t end_;
    uint32_t stride_;
    uint8_t noc_;
    value_type page_;
};

template <typename Accessor>
class Pages {
public:
    using iterator = PagesAddressIterator<Accessor>;
    using const_iterator = iterator;

    Pages(const Accessor& accessor, uint32_t start_page_id, uint32_t end_page_id, uint32_t stride, uint8_t noc) :
        accessor_(accessor), start_(start_page_id), end_(end_page_id), stride_(stride), noc_(noc) {}
    iterator begin() const { return iterator(accessor_, start_, end_, stride_, noc_); }
    iterator end() const { return iterator(accessor_, end_, end_, stride_, noc_); }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }

private:
    const Accessor& accessor_;
    uint32_t start_, end_, stride_;
    uint8_t noc_;
};

}  // namespace tensor_accessor
