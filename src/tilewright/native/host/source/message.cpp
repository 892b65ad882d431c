// SPDX-License-Identifier: Apache-2.0
#include "tw_host/message.hpp"

#include <cstring>

#include "tw_host/asserts.hpp"

namespace tw::host {
namespace {

using Callback = int (*)(const char* bytes, std::uint64_t size);
using Release = void (*)(std::int64_t id);
Callback python = nullptr;
Release release_object = nullptr;
thread_local std::string reply;

template <typename T>
void write_plain(std::string& bytes, T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
T read_plain(std::string_view& bytes) {
    if (bytes.size() < sizeof(T)) {
        throw std::runtime_error("a message from Python ends too early");
    }
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes.remove_prefix(sizeof value);
    return value;
}

}  // namespace

Handle::Handle(std::int64_t id) :
    id_(new std::int64_t(id), [](std::int64_t* number) {
        if (release_object != nullptr) {
            release_object(*number);
        }
        delete number;
    }) {}

bool Value::is(std::string_view kind) const {
    return is_list() && !as_list().empty() && as_list().front().is_text() && as_list().front().as_text() == kind;
}

const Value& Value::at(std::size_t index) const {
    const List& list = as_list();
    if (index >= list.size()) {
        throw std::runtime_error("a list from Python has " + std::to_string(list.size()) + " items: " + text());
    }
    return list[index];
}

std::string Value::text() const {
    if (is_none()) {
        return "None";
    }
    if (is_bool()) {
        return as_bool() ? "True" : "False";
    }
    if (is_int()) {
        return std::to_string(as_int());
    }
    if (is_float()) {
        return std::to_string(as_float());
    }
    if (is_text()) {
        return "'" + as_text() + "'";
    }
    if (is_handle()) {
        return "an object";
    }
    std::string text = "[";
    for (const Value& each : as_list()) {
        text += (text.size() > 1 ? ", " : "") + each.text();
    }
    return text + "]";
}

void Value::write(std::string& bytes) const {
    if (is_none()) {
        bytes += 'N';
    } else if (is_bool()) {
        bytes += as_bool() ? 'T' : 'F';
    } else if (is_int()) {
        bytes += 'i';
        write_plain(bytes, as_int());
    } else if (is_float()) {
        bytes += 'd';
        write_plain(bytes, as_float());
    } else if (is_text()) {
        bytes += 's';
        write_plain<std::uint32_t>(bytes, as_text().size());
        bytes += as_text();
    } else if (is_handle()) {
        bytes += 'o';
        write_plain(bytes, as_handle().id());
    } else {
        bytes += 'l';
        write_plain<std::uint32_t>(bytes, as_list().size());
        for (const Value& each : as_list()) {
            each.write(bytes);
        }
    }
}

Value Value::read(std::string_view& bytes) {
    switch (read_plain<char>(bytes)) {
        case 'N': return {};
        case 'T': return true;
        case 'F': return false;
        case 'i': return read_plain<std::int64_t>(bytes);
        case 'd': return read_plain<double>(bytes);
        case 'o': return Handle(read_plain<std::int64_t>(bytes));
        case 's': {
            const auto size = read_plain<std::uint32_t>(bytes);
            Value value{bytes.substr(0, size)};
            bytes.remove_prefix(size);
            return value;
        }
        case 'l': {
            List list(read_plain<std::uint32_t>(bytes));
            for (Value& each : list) {
                each = read(bytes);
            }
            return list;
        }
        default: throw std::runtime_error("a message from Python has an unknown kind of value");
    }
}

Value call_python(std::string_view function, List arguments) {
    if (python == nullptr) {
        throw std::runtime_error("the operation's library is not connected to Python");
    }
    arguments.insert(arguments.begin(), Value(function));
    std::string bytes;
    Value(std::move(arguments)).write(bytes);
    if (python(bytes.data(), bytes.size()) != 0) {
        throw PythonError();
    }
    const std::string answer = std::move(reply);
    std::string_view rest = answer;
    return Value::read(rest);
}

}  // namespace tw::host

#define TW_EXPORT extern "C" __attribute__((visibility("default")))

// Python gives the functions it is called with, once, before anything else.
TW_EXPORT void tw_host_connect(tw::host::Callback callback, tw::host::Release release) {
    tw::host::python = callback;
    tw::host::release_object = release;
}

// Called from within the callback: what it answers.
TW_EXPORT void tw_host_reply(const char* bytes, std::uint64_t size) { tw::host::reply.assign(bytes, size); }

namespace tt::host_detail {
void log(const char* level, LogType type, const std::string& text) {
    tw::host::call_python("log", {level, tw::host::enum_name(type), text});
}
}  // namespace tt::host_detail
