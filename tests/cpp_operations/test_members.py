# SPDX-License-Identifier: Apache-2.0
"""The key of the program cache: every member of an operation's structs is in it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tilewright._build.compiler import find_compiler
from tilewright._cpp_ops.headers import INCLUDE, headers_directory
from tilewright._cpp_ops.host_build import host_library

PROGRAM = r"""
#include "tw_host/ttnn_types.hpp"
#include "tw_host/compute_kernel_config.hpp"
#include "tw_host/binding.hpp"
using namespace tt::tt_metal;
extern "C" void tw_bind_all(nanobind::module_&) {}

struct References { const Tensor& a; const Tensor& b; const std::optional<Tensor>& c; };
struct Mixed {
    const float p; std::optional<uint32_t> n; std::vector<int> list; std::array<uint32_t, 4> sides;
    std::variant<int, float> either; std::string text; MemoryConfig config; ttnn::ComputeKernelConfig compute;
    std::vector<std::optional<Tensor>> tensors; bool flag;
};

Tensor tensor(std::initializer_list<uint32_t> shape, DataType dtype = DataType::BFLOAT16) {
    return Tensor(std::make_shared<TensorState>(tw::host::Handle(), TensorSpec(Shape(shape),
        TensorLayout(dtype, PageConfig(Layout::TILE), MemoryConfig())), nullptr, true, 0));
}
template <typename T> auto key(const T& object) { return ttsl::hash::hash_objects_with_default_seed(object); }
Mixed mixed() { return {1.5f, 3, {1, 2}, {1, 2, 3, 4}, 5, "t", MemoryConfig(), {}, {tensor({32, 32})}, true}; }

int failures = 0;
void differ(const char* what, std::uint64_t a, std::uint64_t b) {
    if (a == b) { ++failures; std::puts(what); }
}

int main() {
    const Tensor x = tensor({32, 64}), y = tensor({32, 96}), f = tensor({32, 64}, DataType::FLOAT32);
    const std::optional<Tensor> some = x, other = y, none;
    const auto base = key(References{x, x, some});
    differ("first reference", base, key(References{y, x, some}));
    differ("second reference", base, key(References{x, y, some}));
    differ("dtype", base, key(References{x, f, some}));
    differ("optional tensor", base, key(References{x, x, other}));
    differ("missing tensor", base, key(References{x, x, none}));
    if (base != key(References{x, x, some})) { ++failures; std::puts("the same call has another key"); }
    static_assert(tw::host::member_count<References>() == 3 && tw::host::member_count<Mixed>() == 10);
    const auto all = key(mixed());
    auto n = mixed(); n.n = 4; differ("optional number", all, key(n));
    auto l = mixed(); l.list = {1, 3}; differ("vector", all, key(l));
    auto s = mixed(); s.sides[3] = 5; differ("array", all, key(s));
    auto e = mixed(); e.either = 5.0f; differ("variant", all, key(e));
    auto t = mixed(); t.text = "u"; differ("text", all, key(t));
    auto c = mixed(); c.config = MemoryConfig(BufferType::L1); differ("memory config", all, key(c));
    auto k = mixed(); k.compute.fp32_dest_acc_en = true; differ("compute config", all, key(k));
    auto v = mixed(); v.tensors = {tensor({32, 64})}; differ("tensor in a vector", all, key(v));
    auto b = mixed(); b.flag = false; differ("flag", all, key(b));
    int count = 0;
    const References references{x, y, some};
    const Mixed several = mixed();
    tw::host::for_each_of_type<Tensor>(references, [&](const Tensor&) { ++count; });
    tw::host::for_each_of_type<Tensor>(several, [&](const Tensor&) { ++count; });
    if (count != 4) { ++failures; std::puts("tensors of a call"); }
    return failures;
}
"""


def test_every_member_is_in_the_key(tmp_path: Path) -> None:
    source, program = tmp_path / "members.cpp", tmp_path / "members"
    source.write_text(PROGRAM)
    include = [f"-I{place}" for place in (headers_directory(), INCLUDE)]
    result = find_compiler().run(["-std=c++20", *include, str(source), str(host_library().object), "-o", str(program)])
    assert result.returncode == 0, result.stderr
    ran = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "")
