// SPDX-License-Identifier: Apache-2.0
// Enums bound with the names of their values, on either route.
#pragma once

#include <string>

#include "tw_host/enum_names.hpp"

template <typename E, typename... Extra>
nanobind::enum_<E> export_enum(nanobind::module_& scope, const std::string& name = "", const Extra&... extra) {
    const std::string scoped = tw::host::scoped_enum_name(E{});
    nanobind::enum_<E> exported(
        scope, name.empty() ? scoped.substr(0, scoped.find("::")).c_str() : name.c_str(), extra...);
    for (std::size_t index = 0; index < tw::host::printed_count<E>(); ++index) {
        const std::string value = tw::host::enum_name(static_cast<E>(index));
        if (value != std::to_string(index)) {
            exported.value(value.c_str(), static_cast<E>(index));
        }
    }
    return exported;
}
