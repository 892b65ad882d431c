// SPDX-License-Identifier: Apache-2.0
// Conversion of attributes to JSON, for ttnn's graph reports: declared for types that describe theirs, called by none.
#pragma once

namespace nlohmann {
class json {
public:
    json operator[](const char* key) const;
};
}  // namespace nlohmann

namespace ttsl::json {
template <typename T>
struct to_json_t;
template <typename T>
struct from_json_t;
template <typename T>
nlohmann::json to_json(const T& object);
template <typename T>
T from_json(const nlohmann::json& json);
}  // namespace ttsl::json
