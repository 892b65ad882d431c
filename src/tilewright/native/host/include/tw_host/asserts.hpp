// SPDX-License-Identifier: Apache-2.0
// TT_FATAL, TT_THROW, TT_ASSERT and the log_* macros. A failure becomes a RuntimeError in Python with tt-metal's text.
#pragma once

#include <cassert>  // host code counts on it
#include <stdexcept>
#include <string>
#include <string_view>

#include "tw_host/format.hpp"

namespace tt {
enum LogType : unsigned char {
    LogAlways,
    LogTest,
    LogTimer,
    LogDevice,
    LogLLRuntime,
    LogLoader,
    LogBuildKernels,
    LogVerif,
    LogOp,
    LogDispatch,
    LogFabric,
    LogMetalTrace,
    LogMetal,
    LogInspector,
    LogDistributed,
    LogEmule,
    LogUMD,
    LogTTNN,
    LogData
};

namespace host_detail {
[[noreturn]] void raise(
    const char* file, int line, const char* kind, const char* condition, bool with_info, const std::string& info);
void log(const char* level, LogType type, const std::string& text);

[[noreturn]] inline void fail(const char* file, int line, const char* kind, const char* condition) {
    raise(file, line, kind, condition, false, "");
}
template <typename... T>
[[noreturn]] void fail(
    const char* file, int line, const char* kind, const char* condition, std::string_view text, const T&... arguments) {
    raise(file, line, kind, condition, true, fmt::format(text, arguments...));
}
template <typename... T>
void log(const char* level, LogType type, std::string_view text, const T&... arguments) {
    log(level, type, fmt::format(text, arguments...));
}
template <typename... T>
void log(const char* level, std::string_view text, const T&... arguments) {
    log(level, LogAlways, fmt::format(text, arguments...));
}
}  // namespace host_detail
}  // namespace tt

#define TT_FATAL(condition, ...) \
    do { \
        if (!(condition)) [[unlikely]] { \
            ::tt::host_detail::fail(__FILE__, __LINE__, "TT_FATAL", #condition __VA_OPT__(, ) __VA_ARGS__); \
        } \
    } while (0)
#define TT_THROW(...) \
    ::tt::host_detail::fail(__FILE__, __LINE__, "TT_THROW", "tt::exception" __VA_OPT__(, ) __VA_ARGS__)
// A release build of tt-metal evaluates the condition and does nothing with it.
#define TT_ASSERT(condition, ...) ((void)(condition))

#define log_trace(...) ::tt::host_detail::log("trace", __VA_ARGS__)
#define log_debug(...) ::tt::host_detail::log("debug", __VA_ARGS__)
#define log_info(...) ::tt::host_detail::log("info", __VA_ARGS__)
#define log_warning(...) ::tt::host_detail::log("warning", __VA_ARGS__)
#define log_error(...) ::tt::host_detail::log("error", __VA_ARGS__)
#define log_critical(...) ::tt::host_detail::log("critical", __VA_ARGS__)
#define log_fatal(...) ::tt::host_detail::log("critical", __VA_ARGS__)

// Profiler zones have no meaning on the host here.
#define ZoneScoped ((void)0)
#define ZoneScopedN(name) ((void)0)
