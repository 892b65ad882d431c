// SPDX-License-Identifier: Apache-2.0
#include "tw_host/factories.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <map>
#include <utility>

namespace ttnn::device_operation::detail {

namespace {
using Key = std::pair<std::string, std::uint64_t>;
std::map<Key, std::size_t>& factories() {
    static auto* all = new std::map<Key, std::size_t>;
    return *all;
}
}  // namespace

std::string type_name(const std::type_info& type) {
    int status = 0;
    char* name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
    std::string text = status == 0 ? name : type.name();
    std::free(name);
    return text;
}

std::optional<std::size_t> kept_factory(const std::string& operation, std::uint64_t key) {
    const auto found = factories().find({operation, key});
    return found == factories().end() ? std::nullopt : std::optional(found->second);
}
void keep_factory(const std::string& operation, std::uint64_t key, std::size_t factory) {
    factories()[{operation, key}] = factory;
}
void forget_factory(const std::string& operation, std::uint64_t key) { factories().erase({operation, key}); }

}  // namespace ttnn::device_operation::detail
