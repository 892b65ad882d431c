// SPDX-License-Identifier: Apache-2.0
// Vectors that tt-metal keeps inside an object while they are small; here they are on the heap.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace ttsl {

template <typename T, std::size_t Room = 8>
class SmallVector : public std::vector<T> {
public:
    using std::vector<T>::vector;
    SmallVector() = default;
    explicit SmallVector(std::span<const T> span) : std::vector<T>(span.begin(), span.end()) {}
    explicit SmallVector(const std::vector<T>& vector) : std::vector<T>(vector) {}
    // Arrays too are made of the values of their elements.
    template <typename... A>
    T& emplace_back(A&&... arguments) {
        if constexpr (std::is_constructible_v<T, A...>) {
            return std::vector<T>::emplace_back(std::forward<A>(arguments)...);
        } else {
            this->push_back(T{static_cast<typename T::value_type>(arguments)...});
            return this->back();
        }
    }
    template <typename Range>
    void append(const Range& range) {
        this->insert(this->end(), range.begin(), range.end());
    }
    template <typename Iterator>
    void append(Iterator begin, Iterator end) {
        this->insert(this->end(), begin, end);
    }
    T pop_back_val() {
        T value = std::move(this->back());
        this->pop_back();
        return value;
    }
};

}  // namespace ttsl

namespace ttnn {
template <typename T, std::size_t Room = 8>
using SmallVector = ttsl::SmallVector<T, Room>;
}
