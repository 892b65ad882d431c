// SPDX-License-Identifier: Apache-2.0
// Vectors of numbers as ttnn's libraries lay them out: a pointer, two counts, room for eight. Others stay on the heap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>

#include "../../include/tw_host/small_vector.hpp"

namespace ttsl {

template <typename T>
    requires(std::is_integral_v<T> && sizeof(T) >= 4)
class SmallVector<T, 8> {
public:
    using value_type = T;
    using size_type = std::size_t;
    using iterator = T*;
    using const_iterator = const T*;
    SmallVector() { use_room(); }
    SmallVector(std::initializer_list<T> list) : SmallVector(list.begin(), list.end()) {}
    template <std::input_iterator Iterator>
    SmallVector(Iterator begin, Iterator end) : SmallVector() {
        append(begin, end);
    }
    explicit SmallVector(std::span<const T> span) : SmallVector(span.begin(), span.end()) {}
    explicit SmallVector(std::size_t count, const T& value = T()) : SmallVector() { resize(count, value); }
    SmallVector(const SmallVector& other) : SmallVector(other.begin(), other.end()) {}
    SmallVector(SmallVector&& other) noexcept : SmallVector() { take(other); }
    SmallVector& operator=(const SmallVector& other) {
        if (this != &other) {
            assign(other.begin(), other.end());
        }
        return *this;
    }
    SmallVector& operator=(SmallVector&& other) noexcept {
        if (this != &other) {
            release();
            use_room();
            take(other);
        }
        return *this;
    }
    ~SmallVector() { release(); }

    iterator begin() { return data_; }
    iterator end() { return data_ + size_; }
    const_iterator begin() const { return data_; }
    const_iterator end() const { return data_ + size_; }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T& operator[](std::size_t index) { return data_[index]; }
    const T& operator[](std::size_t index) const { return data_[index]; }
    T& front() { return data_[0]; }
    T& back() { return data_[size_ - 1]; }
    const T& front() const { return data_[0]; }
    const T& back() const { return data_[size_ - 1]; }
    void clear() { size_ = 0; }
    void reserve(std::size_t count) {
        if (count > capacity_) {
            grow(count);
        }
    }
    void push_back(T value) {
        if (size_ == capacity_) {
            grow(std::size_t{2} * capacity_ + 1);
        }
        data_[size_++] = value;
    }
    T& emplace_back(T value) {
        push_back(value);
        return back();
    }
    void pop_back() { --size_; }
    T pop_back_val() { return data_[--size_]; }
    void resize(std::size_t count, const T& value = T()) {
        reserve(count);
        for (std::size_t index = size_; index < count; ++index) {
            data_[index] = value;
        }
        size_ = static_cast<std::uint32_t>(count);
    }
    template <std::input_iterator Iterator>
    void append(Iterator begin, Iterator end) {
        for (; begin != end; ++begin) {
            push_back(static_cast<T>(*begin));
        }
    }
    template <typename Range>
    void append(const Range& range) {
        append(range.begin(), range.end());
    }
    template <std::input_iterator Iterator>
    void assign(Iterator begin, Iterator end) {
        clear();
        append(begin, end);
    }
    void assign(std::size_t count, const T& value) {
        clear();
        resize(count, value);
    }
    template <std::input_iterator Iterator>
    iterator insert(const_iterator place, Iterator begin, Iterator end) {
        const SmallVector behind(place, cend());
        const std::size_t at = place - cbegin();
        size_ = static_cast<std::uint32_t>(at);
        append(begin, end);
        append(behind);
        return data_ + at;
    }
    iterator insert(const_iterator place, T value) { return insert(place, &value, &value + 1); }
    friend bool operator==(const SmallVector& a, const SmallVector& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    T* room() { return reinterpret_cast<T*>(room_); }
    void use_room() {
        data_ = room();
        size_ = 0;
        capacity_ = 8;
    }
    void release() {
        if (data_ != room()) {
            std::free(data_);
        }
    }
    void take(SmallVector& other) {
        if (other.data_ == other.room()) {
            assign(other.begin(), other.end());
            other.clear();
        } else {
            data_ = other.data_;
            size_ = other.size_;
            capacity_ = other.capacity_;
            other.use_room();
        }
    }
    void grow(std::size_t count) {
        T* larger = static_cast<T*>(std::malloc(count * sizeof(T)));  // the libraries release it with free
        if (larger == nullptr) {
            throw std::bad_alloc();
        }
        std::memcpy(larger, data_, size_ * sizeof(T));
        release();
        data_ = larger;
        capacity_ = static_cast<std::uint32_t>(count);
    }
    T* data_;
    std::uint32_t size_;
    std::uint32_t capacity_;
    alignas(T) std::byte room_[8 * sizeof(T)];
};

}  // namespace ttsl
