// SPDX-License-Identifier: Apache-2.0
#include "tw_host/binding.hpp"

#include <map>

namespace nanobind {
namespace {

// Arguments that a function does not take.
struct Mismatch : std::runtime_error {
    using std::runtime_error::runtime_error;
};

using tw::host::List;

std::vector<Function>& functions() {
    static auto* all = new std::vector<Function>;
    return *all;
}
struct Enum {
    std::string type;
    List values;
};
std::map<std::string, Enum>& enums() {
    static auto* all = new std::map<std::string, Enum>;
    return *all;
}
thread_local std::string result;

// A default value as Python would write it, where it has a short form.
std::string shown(const Value& value) {
    if (value.is("enum")) {
        return value.at(1).as_text();
    }
    return value.is_list() && !value.as_list().empty() && value.at(0).is_text() ? "..." : value.text();
}

// "Config" for "Config.__init__", "Config.width" for "Config.set width"; others as they are.
std::string shown_name(const std::string& name) {
    const auto point = name.find('.'), word = name.find(' ', point);
    if (point == std::string::npos || name.ends_with(".__init__")) {
        return name.substr(0, point);
    }
    return name.substr(0, point + 1) + name.substr(word == std::string::npos ? point + 1 : word + 1);
}

std::string signature(const Function& function) {
    std::string text = shown_name(function.name) + "(";
    bool keyword_only = false, first = true;
    for (const auto& parameter : function.parameters) {
        if (parameter.keyword_only && !keyword_only) {
            text += first ? "*" : ", *";
            keyword_only = true;
            first = false;
        }
        text += (first ? "" : ", ") + parameter.name + ": " + parameter.type;
        text += parameter.default_to ? " = " + shown(*parameter.default_to) : "";
        first = false;
    }
    return text + ")";
}

// The values of a call by parameter, or why they do not fit.
std::vector<Value> matched(const Function& function, const List& positional, const Value& keywords) {
    std::map<std::string, Value> named;
    for (const Value& pair : keywords.as_list()) {
        named[pair.at(0).as_text()] = pair.at(1);
    }
    std::vector<Value> values;
    for (const auto& parameter : function.parameters) {
        const auto given = named.find(parameter.name);
        if (values.size() < positional.size() && !parameter.keyword_only) {
            if (given != named.end()) {
                throw Mismatch("got '" + parameter.name + "' twice");
            }
            values.push_back(positional[values.size()]);
        } else if (given != named.end()) {
            values.push_back(given->second);
            named.erase(given);
        } else if (parameter.default_to) {
            values.push_back(*parameter.default_to);
        } else {
            throw Mismatch("argument '" + parameter.name + "' is missing");
        }
    }
    if (!named.empty()) {
        throw Mismatch("no argument is named '" + named.begin()->first + "'");
    }
    std::size_t most = 0;
    for (const auto& parameter : function.parameters) {
        most += parameter.keyword_only ? 0 : 1;
    }
    if (positional.size() > most) {
        throw Mismatch(
            "takes " + std::to_string(most) + " positional arguments, got " + std::to_string(positional.size()));
    }
    return values;
}

// Conversion happens before the call, so a function that runs is the one that was meant.
Value called(const std::string& name, const List& positional, const Value& keywords) {
    std::string reasons;
    for (const Function& function : functions()) {
        if (function.name != name) {
            continue;
        }
        try {
            return function.call(matched(function, positional, keywords));
        } catch (const Mismatch& error) {
            reasons += "\n  " + signature(function) + ": " + error.what();
        } catch (const tw::host::CastError& error) {
            reasons += "\n  " + signature(function) + ": " + error.what();
        }
    }
    throw Mismatch(shown_name(name) + "(): incompatible function arguments." + reasons);
}

int kept(int status, const std::string& text) {
    result = text;
    return status;
}

template <typename F>
int guarded(const F& f) {
    try {
        std::string bytes;
        f().write(bytes);
        return kept(0, bytes);
    } catch (const tw::host::PythonError&) {
        return kept(1, "");
    } catch (const Mismatch& error) {
        return kept(2, error.what());
    } catch (const std::invalid_argument& error) {  // nanobind's translation of these two
        return kept(4, error.what());
    } catch (const std::out_of_range& error) {
        return kept(5, error.what());
    } catch (const std::exception& error) {
        return kept(3, error.what());
    } catch (...) {
        return kept(3, "the operation threw something that is no std::exception");
    }
}

}  // namespace

void module_::keep(Function function) {
    for (const Function& other : functions()) {
        if (other.name == function.name && signature(other) == signature(function)) {
            return;  // bound by a parent module too
        }
    }
    functions().push_back(std::move(function));
}

void note_enum(const std::string& name, const std::string& type) { enums()[name] = {type, {}}; }
void note_enum_value(const std::string& name, const std::string& value_name, std::int64_t value) {
    enums()[name].values.emplace_back(List{value_name, value});
}

}  // namespace nanobind

#define TW_EXPORT extern "C" __attribute__((visibility("default")))

TW_EXPORT const char* tw_host_result(std::uint64_t* size) {
    *size = nanobind::result.size();
    return nanobind::result.data();
}

// Binds everything and answers with what there is: [[name, owner, signature, doc], ...] and the enums,
// [[name, type, [[name, value], ...]], ...].
TW_EXPORT int tw_host_bind() {
    return nanobind::guarded([] {
        if (nanobind::functions().empty()) {
            nanobind::module_ module;
            tw_bind_all(module);
        }
        tw::host::List list;
        for (const auto& function : nanobind::functions()) {
            list.push_back(tw::host::List{function.name, function.owner, nanobind::signature(function), function.doc});
        }
        tw::host::List enums;
        for (const auto& [name, each] : nanobind::enums()) {
            enums.push_back(tw::host::List{name, each.type, each.values});
        }
        return tw::host::Value(tw::host::List{list, enums});
    });
}

// Calls a bound function: [name, positional, [[name, value], ...]].
TW_EXPORT int tw_host_call(const char* bytes, std::uint64_t size) {
    return nanobind::guarded([&] {
        std::string_view rest(bytes, size);
        const auto message = tw::host::Value::read(rest);
        return nanobind::called(message.at(0).as_text(), message.at(1).as_list(), message.at(2));
    });
}
