// SPDX-License-Identifier: Apache-2.0
// An operation of ttnn called in Python: its positional arguments, and the keyword arguments that were given.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "tw_host/values.hpp"

namespace tw::host {

class Keywords {
public:
    template <typename T>
    Keywords& with(const char* name, const std::optional<T>& value) {
        if (value) {
            list_.push_back(List{name, to_value(*value)});
        }
        return *this;
    }
    Keywords& with(
        const char* name, const std::optional<std::reference_wrapper<tt::tt_metal::distributed::MeshDevice>>& device) {
        if (device) {
            list_.push_back(List{name, to_value(&device->get())});
        }
        return *this;
    }
    const List& list() const { return list_; }

private:
    List list_;
};

// `name` is a path below `ttnn`: "typecast", "experimental.view".
inline ttnn::Tensor called(const char* name, List arguments, const Keywords& keywords = {}) {
    return from_value<ttnn::Tensor>(call_python("operation", {name, std::move(arguments), keywords.list()}));
}

}  // namespace tw::host
