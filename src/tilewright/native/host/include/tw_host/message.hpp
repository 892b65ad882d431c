// SPDX-License-Identifier: Apache-2.0
// Values that pass between an operation's library and Python, and calls of Python from C++.
//
// The library shares no ABI with Python: a call is a message of bytes in each direction. A value is nothing, a truth
// value, a number, a text, a list, or a handle of a Python object that stays in a table on Python's side.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tw::host {

// An object on Python's side; the last copy gives it up.
class Handle {
public:
    Handle() = default;
    explicit Handle(std::int64_t id);
    std::int64_t id() const { return id_ ? *id_ : 0; }
    explicit operator bool() const { return id_ != nullptr; }
    friend bool operator==(const Handle& a, const Handle& b) { return a.id() == b.id(); }

private:
    std::shared_ptr<std::int64_t> id_;
};

class Value;
using List = std::vector<Value>;

class Value {
public:
    Value() = default;
    Value(bool value) : content_(value) {}
    Value(double value) : content_(value) {}
    Value(float value) : content_(static_cast<double>(value)) {}
    template <typename T>
        requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
    Value(T value) : content_(static_cast<std::int64_t>(value)) {}
    Value(std::string value) : content_(std::move(value)) {}
    Value(std::string_view value) : content_(std::string(value)) {}
    Value(const char* value) : content_(std::string(value)) {}
    Value(List value) : content_(std::move(value)) {}
    Value(Handle value) : content_(std::move(value)) {}

    bool is_none() const { return content_.index() == 0; }
    bool is_bool() const { return std::holds_alternative<bool>(content_); }
    bool is_int() const { return std::holds_alternative<std::int64_t>(content_); }
    bool is_float() const { return std::holds_alternative<double>(content_); }
    bool is_text() const { return std::holds_alternative<std::string>(content_); }
    bool is_list() const { return std::holds_alternative<List>(content_); }
    bool is_handle() const { return std::holds_alternative<Handle>(content_); }
    // A list that begins with the name of a kind: ["MemoryConfig", ...].
    bool is(std::string_view kind) const;

    bool as_bool() const { return get<bool>("a truth value"); }
    std::int64_t as_int() const { return get<std::int64_t>("an integer"); }
    double as_float() const { return is_int() ? static_cast<double>(as_int()) : get<double>("a number"); }
    const std::string& as_text() const { return get<std::string>("a text"); }
    const List& as_list() const { return get<List>("a list"); }
    const Handle& as_handle() const { return get<Handle>("an object"); }
    const Value& at(std::size_t index) const;
    std::size_t size() const { return as_list().size(); }
    template <typename T>
    std::vector<T> as_numbers(std::size_t first = 0) const {
        std::vector<T> numbers;
        for (std::size_t index = first; index < size(); ++index) {
            numbers.push_back(static_cast<T>(at(index).as_int()));
        }
        return numbers;
    }
    std::string text() const;  // as an error message shows it

    void write(std::string& bytes) const;
    static Value read(std::string_view& bytes);

private:
    template <typename T>
    const T& get(const char* wanted) const {
        if (const T* content = std::get_if<T>(&content_)) {
            return *content;
        }
        throw std::runtime_error(std::string("expected ") + wanted + ", got " + text());
    }
    std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Handle> content_;
};

template <typename Range>
List list_of(const Range& range) {
    List list;
    for (const auto& element : range) {
        list.emplace_back(element);
    }
    return list;
}

// Python raised; the exception waits on its side and goes on when the call into the library returns.
struct PythonError : std::runtime_error {
    PythonError() : std::runtime_error("an exception in Python") {}
};

// Calls a function of the bridge in Python.
Value call_python(std::string_view function, List arguments);

}  // namespace tw::host
