// SPDX-License-Identifier: Apache-2.0
// Objects of the classes that a folder binds (`nb::class_`): they stay in the library, Python has their numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "tw_host/message.hpp"

namespace tw::host {

// "Config" for ns::Config.
std::string short_type_name(const std::type_info& type);

// Functions give and take objects of a class from here on; Python calls it `name`.
void bind_class(const std::type_info& type, const std::string& name);
// Gives an object a number; throws where its class is not bound.
Value kept_object(const std::type_info& type, std::shared_ptr<void> object);
// The object of a value; throws CastError where it is of another class.
std::shared_ptr<void> object_of(const std::type_info& type, const Value& value);
void forget_object(std::int64_t number);

template <typename T>
std::shared_ptr<T> shared_object(const Value& value) {
    return std::static_pointer_cast<T>(object_of(typeid(T), value));
}

}  // namespace tw::host
