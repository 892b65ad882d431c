// SPDX-License-Identifier: Apache-2.0
#include "tw_host/factories.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <map>
#include <set>

namespace ttnn::device_operation::detail {

namespace {
std::map<std::string, std::set<std::uint64_t>>& keys() {
    static auto* all = new std::map<std::string, std::set<std::uint64_t>>;
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

bool note_key(const std::string& operation, std::uint64_t key) { return keys()[operation].insert(key).second; }
void forget_key(const std::string& operation, std::uint64_t key) { keys()[operation].erase(key); }

}  // namespace ttnn::device_operation::detail
