// SPDX-License-Identifier: Apache-2.0
#include "tw_host/bound_objects.hpp"

#include <map>
#include <typeindex>

#include "tw_host/factories.hpp"
#include "tw_host/values.hpp"

namespace tw::host {
namespace {

struct Kept {
    std::type_index type;
    std::shared_ptr<void> object;
};
std::map<std::type_index, std::string>& names() {
    static auto* all = new std::map<std::type_index, std::string>;
    return *all;
}
std::map<std::int64_t, Kept>& objects() {
    static auto* all = new std::map<std::int64_t, Kept>;
    return *all;
}

}  // namespace

std::string short_type_name(const std::type_info& type) {
    const std::string name = ttnn::device_operation::detail::type_name(type);
    const auto scope = name.rfind("::", name.find('<'));
    return scope == std::string::npos ? name : name.substr(scope + 2);
}

void bind_class(const std::type_info& type, const std::string& name) { names()[type] = name; }

Value kept_object(const std::type_info& type, std::shared_ptr<void> object) {
    const auto name = names().find(type);
    if (name == names().end()) {
        throw std::runtime_error(
            "a " + ttnn::device_operation::detail::type_name(type) +
            " goes to Python, and its class is not bound (nb::class_)");
    }
    static std::int64_t last = 0;
    objects().emplace(++last, Kept{type, std::move(object)});
    return List{"object", name->second, last};
}

std::shared_ptr<void> object_of(const std::type_info& type, const Value& value) {
    if (value.is("object")) {
        const auto kept = objects().find(value.at(2).as_int());
        if (kept != objects().end() && kept->second.type == type) {
            return kept->second.object;
        }
    }
    throw CastError(short_type_name(type), value);
}

void forget_object(std::int64_t number) { objects().erase(number); }

}  // namespace tw::host

extern "C" __attribute__((visibility("default"))) void tw_host_forget(std::int64_t number) {
    tw::host::forget_object(number);
}
