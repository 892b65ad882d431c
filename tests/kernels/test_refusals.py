# SPDX-License-Identifier: Apache-2.0
"""Refusals of the kernel language: place and message."""

from __future__ import annotations

import textwrap

import pytest

from tilewright.kernels import KernelLanguageError

# The body of a kernel, and what the message about it must contain.
REFUSALS = [
    # names
    ("y = undefined_name", "undefined_name is not defined"),
    ("cb_wait_frnt(cb.input, 1)", "unknown function cb_wait_frnt; did you mean cb_wait_front?"),
    ("y = cb_wait_frnt", "did you mean cb_wait_front?"),
    ("y = LABLE", "LABLE is not defined; did you mean LABEL?"),
    ("y = undefined_name", "assign it, take it as a parameter, or make it a number of the module"),
    # expressions and statements of Python that C++ kernels have no use for
    ("yield n", "kernels cannot yield; push pages to a circular buffer instead"),
    ("(y := 3)", "assign on a line of its own"),
    ("async def inner():\n    pass", "write the function outside the kernel, without async, with @kernel_function"),
    ("try:\n    pass\nexcept ValueError:\n    pass", "test the condition with if, or write `assert condition`"),
    ("class Inner:\n    pass", "write a function with @kernel_function"),
    ("y = l1_ptr[uint16](n)\nz = y[0:2]", "one element at a time: write p[i]"),
    ("y = {i for i in range(3)}", "kernels have no comprehensions"),
    # comparisons that mean something else in C++
    ("if n - 5 < 0:\n    pass", "a uint32 is never below 0: compare before subtracting, or use int32(n - 5)"),
    ("while n >= 0:\n    n -= 1", "a uint32 is never below 0"),
    ("if 0 > n - 5:\n    pass", "a uint32 is never below 0: compare before subtracting, or use int32(n - 5)"),
    ("while 0 <= n:\n    n -= 1", "a uint32 is never below 0"),
    ("y = cb_wait_front", "cb_wait_front is a function: call it"),
    ("cb_wait_front(cb.inptu, 1)", "Buffers has no inptu; it has input, out"),
    ("cb_wait_front(cb, 1)", "cb stands for several circular buffers: write cb.<name>"),
    ("y = LABEL", "LABEL is a str: kernels see numbers and bools of the module only"),
    ("if n > 1:\n    y = 1\nz = y", "y may have no value here"),
    ("while n > 1:\n    y = 1\nz = y", "y may have no value here"),
    ("for i in range(n):\n    pass\ny = i", "i is known inside its loop only"),
    ("template = 1", "template is a word of C++"),
    ("NAN = 1", "NAN is a word of C++"),
    ("y = default", "default has a meaning in C++ kernels: give the constant another name"),
    ("y = VALID", "VALID has a meaning in C++ kernels: give the constant another name"),
    ("y = x_args", "the accessor of x is called x_args in C++: rename the variable or constant"),
    ("cb_input = 1\ncb_wait_front(cb.input, cb_input)", "cb_input would be both a constant and a variable in C++"),
    # calls
    ("cb_wait_front(cb.input)", "cb_wait_front does not take 1 argument; it is cb_wait_front(operand, num_pages)"),
    ("cb_wait_front(cb.input, 1, 2)", "cb_wait_front does not take 3 arguments"),
    ("cb_wait_front(cb.input, pages=1)", "cb_wait_front does not take pages; it is cb_wait_front(operand, num_pages)"),
    (
        "cb_wait_front(1, n)",
        "operand of cb_wait_front must be CB, this is the number 1; name a circular buffer, or write CB(1)",
    ),
    ("cb_wait_front(cb.input, cb.out)", "num_pages of cb_wait_front must be uint32, this is CB"),
    ("cb_wait_front(cb.input, 1.5)", "num_pages of cb_wait_front must be uint32, this is the number 1.5f"),
    ("cb_wait_front(cb.input, int32(n))", "this is int32: write uint32(int32(n))"),
    ("noc_async_read_page(n, n, n)", "addrgen of noc_async_read_page must be TensorArg, this is uint32"),
    ("noc_async_read_page(0, addrgen=x)", "does not take 2 arguments"),
    ("noc_async_read_page(0, x, offset=3)", "dst_local_l1_addr is missing before a later argument"),
    (
        "noc_semaphore_wait(n, 1)",
        "sem_addr of noc_semaphore_wait must be l1_ptr[uint32], this is uint32: write l1_ptr[uint32](n)",
    ),
    ("tile_regs_acquire()", "tile_regs_acquire is for compute kernels; kernel is a data movement kernel"),
    ("cb_wait_front[3](cb.input, n)", "the brackets have 1 argument; it is cb_wait_front(operand, num_pages)"),
    ("x.close()", "TensorArg has no method close; a tensor has get_aligned_page_size, get_noc_addr"),
    ("x.get_noc_addr()", "get_noc_addr is get_noc_addr(page_id, offset, noc)"),
    ("cb_wait_front(*n)", "write the arguments one by one, without * and **"),
    ("cb_wait_front(**n)", "write the arguments one by one, without * and **"),
    ("y = sorted(n)", "sorted cannot be called in a kernel; kernels call functions of tilewright.kernels.api"),
    ("y = unheard_of(n)", "compute other values on the host and pass them as arguments"),
    ("y = get_arg_val(0)", "take the value as a parameter, `name: RuntimeArg`"),
    ("helper(n)", "helper is a Python function: decorate it with @kernel_function"),
    ("kernel(n)", "kernel is a kernel; kernels cannot call kernels"),
    ("loop(n)", "loop calls itself; kernels have no recursion"),
    ("y = add_one()", "x is missing: add_one(x)"),
    ("y = add_one(1, 2)", "add_one takes 1 argument (x), not 2"),
    ("y = add_one(z=1)", "add_one has no argument z; it has x"),
    ("y = add_one(1.0)", "x of add_one must be uint32, this is the number 1.0f"),
    ("y = nothing()", "nothing() gives no value: call it on a line of its own"),
    ("fixed(n)", "this must be known when the kernel is compiled"),
    ("print(n)", 'print cannot be called in a kernel: use dprint("text", value)'),
    ("y = int(n)", "int cannot be called in a kernel: use uint32(x) or int32(x)"),
    ("y = len(n)", "len cannot be called in a kernel"),
    ('dprint("{} {}", n)', "the text has 2 places {} for 1 values"),
    ("dprint(n)", "dprint takes a text and values"),
    ('dprint("{0}", n)', "{0} is no place for a value: write {}, or {:x}"),
    ('dprint("{:q}", n)', "{:q} is no place for a value"),
    ('dprint("{", n)', "write {} for a value, {{ and }} for the signs themselves"),
    ("y = l1_ptr(n)", "write l1_ptr[type](address)"),
    ("y = min(n, 1.0)", "min of uint32 and float32: cast one of them"),
    # types
    ("y = 0\ny = 1.5", "y is uint32 since its first assignment and cannot become the number 1.5f"),
    ("y = 0\ny = -1", "start with `y: int32 = ...`"),
    ("y = 0\ny: float32 = 1.0", "y is uint32 already"),
    ("y = 0\ny += 0.5", "`+` between uint32 and the number 0.5f"),
    ("y = n + int32(n)", "`+` between uint32 and int32: cast one of them"),
    ("y = n + cb.input", "the index of a circular buffer is not a number to compute with"),
    ("y = n / 2", "`/` is for float32; for integers write `//`"),
    ("y = float32(n) // 2.0", "this operator is for integers, not for float32"),
    ("y = int32(n) % 3", "cast to uint32 first"),
    ("y = n ** 2", "kernels do not have this operator; multiply instead"),
    ("y = -n", "a uint32 has no negative: write -int32(n)"),
    ("y = 1 // 0", "division by zero"),
    ("y = n < 3 < 4", "one comparison at a time"),
    ("y = n in 3", "kernels compare with"),
    ("if n:\n    pass", "a condition must be a bool, this is uint32: write `n != 0`"),
    ("while n and True:\n    pass", "a condition must be a bool"),
    ("y = not n", "a condition must be a bool"),
    ("y = 'text'", "'text' is no value of a kernel"),
    ("y = n[0]", "[...] needs an l1_ptr, this is uint32"),
    ("y = 1e39", "1e+39 is no float32"),
    (
        "p = l1_ptr[uint16](n)\np[0] = 0x3f800000",
        "an element p[0] is uint16 and holds 0 to 65535, not 1065353216: write 1065353216 & 0xffff if",
    ),
    ("p = l1_ptr[uint16](n)\np[0] = 1 << 16", "holds 0 to 65535, not 65536"),
    ("p = l1_ptr[uint16](n)\ntoo_large = 65536\np[0] = too_large", "holds 0 to 65535, not 65536"),
    ("p = l1_ptr[uint8](n)\np[0] = 256", "an element p[0] is uint8 and holds 0 to 255, not 256"),
    ("y = 1 << 64", "uint32 values shift by 0 to 31, not by 64"),
    ("y = n >> FORTY", "uint32 values shift by 0 to 31, not by 40"),
    ("y = n >> 32", "uint32 values shift by 0 to 31, not by 32"),
    ("y = 1 << -1", "values shift by 0 to 31, not by -1"),
    ("y = 18446744073709551616", "18446744073709551616 fits neither int32 nor uint64"),
    ("y = uint32(-1)", "-1 does not fit uint32"),
    ("y = uint32(-1.5)", "-1.5f does not fit uint32"),
    ("y = int32(3e9)", "3000000000.0f does not fit int32"),
    ("y = uint32(BELOW_ZERO)", "BELOW_ZERO does not fit uint32"),
    ("y = BELOW_ZERO * 2000000000", "the result, -10000000000, does not fit int32"),
    ("y = 1e38 * 10.0", "does not fit float32"),
    ("cb_wait_front(cb.input, -1)", "num_pages of cb_wait_front must be uint32, this is the number -1\n"),
    ("y: SIZES = 3", "write `name: type = value` with one of uint32"),
    ("y = n // 0", "division by zero"),
    ("y = n % 0", "division by zero"),
    ("y = n // ZERO", "division by zero"),
    ("cb_wait_front(CB(64), 1)", "circular buffers have the indices 0 to 63, not 64"),
    # what Python has and kernels have not
    ("y = [1, 2]", "kernels have no lists"),
    ("y = {1: 2}", "kernels have no dictionaries"),
    ("a, b = 1, 2", "assign one variable on each line"),
    ("a = b = 1", "assign one variable on each line"),
    ("y = [i for i in range(3)]", "kernels have no comprehensions; write a for loop"),
    ("y = lambda: 1", "kernels have no lambdas"),
    ("try:\n    pass\nexcept Exception:\n    pass", "kernels have no exceptions"),
    ("raise ValueError", "kernels have no exceptions; write `assert condition`"),
    ("with n:\n    pass", "kernels have no with blocks"),
    ("import os", "import at the top of the module"),
    ("def inner():\n    pass", "write the function outside the kernel, with @kernel_function"),
    ("return 3", "a kernel returns nothing"),
    ("n + 1", "this does nothing"),
    ("uint32(n)", "this does nothing: assign the value"),
    ("min(n, 3)", "this does nothing: assign the value"),
    ("l1_ptr[uint32](n)", "this does nothing: assign the value"),
    ("return\nn = 3", "this never runs"),
    ("while True:\n    break\n    n = 3", "this never runs"),
    ("x_args = 3", "the accessor of x is called x_args"),
    ("for i in cb:\n    pass", "loops of kernels go over range(...)"),
    ("for i in range():\n    pass", "range takes stop"),
    ("for i in range(0, n, 0):\n    pass", "must be a whole number that is not 0"),
    ("for i in range(0, n, 1.5):\n    pass", "the step of a range must be a whole number that is not 0, or a uint32"),
    (
        "for i in range(0, n, int32(n)):\n    pass",
        "the step of a range must be a whole number that is not 0, or a uint32",
    ),
    ("for i in range(0, n, True):\n    pass", "the step of a range must be a whole number"),
    ("for i in range(0, n, ZERO):\n    pass", "the step of a range must be a whole number"),
    ("for i in range(n, -1, -1):\n    pass", "counts down needs int32"),
    ("for i in range(n):\n    i = 3", "i is assigned inside its own loop"),
    ("i = 0\nfor i in range(n):\n    pass", "i is in use already"),
    ("for i in range(n):\n    pass\nelse:\n    pass", "without else"),
    ("wt = 3", "wt is a CompileTimeArg and cannot be assigned"),
    ("x = 3", "x is a tensor and cannot be assigned"),
    ("cb.input = 3", "only variables and elements of an l1_ptr can be assigned"),
]

HELPERS = """
ZERO, FORTY, BELOW_ZERO, SIZES = 0, 40, -5, [1, 2]
default = VALID = x_args = 3

def helper(x):
    pass

@kernel_function
def add_one(x: uint32) -> uint32:
    return x + 1

@kernel_function
def nothing() -> None:
    pass

@kernel_function
def fixed(count: CompileTimeArg) -> None:
    pass

@kernel_function
def loop(n: uint32) -> None:
    loop(n)

@reader_kernel
def kernel(n: RuntimeArg, wt: CompileTimeArg, x: TensorArg, cb: Buffers) -> None:
"""


@pytest.mark.parametrize(("body", "message"), REFUSALS, ids=[body.split("\n")[-1] for body, _ in REFUSALS])
def test_is_refused(written, body: str, message: str) -> None:
    module = written(HELPERS + textwrap.indent(body, "    "))
    with pytest.raises(KernelLanguageError) as caught:
        module.kernel.cpp_source()
    error = caught.value
    assert message in str(error)
    assert error.path == module.__file__
    if "loop" not in error.code and "accessor" not in message:
        first = written.first_line + HELPERS.count("\n")
        assert first <= error.line < first + len(body.splitlines())
        assert str(error).startswith(f"{error.path}:{error.line}: ")
        assert error.code in str(error)


PARAMETERS = [
    ("n", "parameter n has no type: annotate it with CompileTimeArg, RuntimeArg"),
    ("n: int", "parameter n cannot be int: annotate it with"),
    ("n: uint32", "parameter n cannot be uint32"),
    ("n: RuntimeArg = 3", "only a CB may have a fixed value"),
    ("cb: CB = 99", "cb must be the index of a circular buffer, 0 to 63, not 99"),
    ("*n: RuntimeArg", "plain names, without * or /"),
    ("n: Missing", "name 'Missing' is not defined in an annotation"),
]


@pytest.mark.parametrize(("parameters", "message"), PARAMETERS)
def test_parameters_that_are_refused(written, parameters: str, message: str) -> None:
    module = written(f"@reader_kernel\ndef kernel({parameters}) -> None:\n    pass\n")
    with pytest.raises(KernelLanguageError) as caught:
        module.kernel.cpp_source()
    assert message in str(caught.value)
    assert caught.value.line == written.first_line + 1
    assert not caught.value.code.startswith("@")


FUNCTIONS = [
    ("def f(n: RuntimeArg) -> None:\n    pass", "parameter n cannot be RuntimeArg: annotate it with uint32"),
    ("def f(n: uint32) -> int:\n    return n", "f must return None, uint32"),
    ("def f(n: uint32):\n    return n", "say what it returns"),
    ("def f(n: uint32) -> uint32:\n    return", "f must return uint32"),
    ("def f(n: uint32) -> uint32:\n    if n > 1:\n        return n", "f can end without returning a value"),
    ("def f(n: uint32) -> uint32:\n    return 1.5", "the result must be uint32"),
    ("def f(n: uint32) -> None:\n    pass\nf.function.__name__ = 'typename'", "typename has a meaning in C++"),
    ("def f(n: uint32) -> None:\n    exp_tile(n)", "exp_tile is for compute kernels"),
    ("def f(n: uint32) -> None:\n    pass\nf.function.__name__ = 'div'", "div has a meaning in C++ kernels"),
]


@pytest.mark.parametrize(("function", "message"), FUNCTIONS)
def test_functions_that_are_refused(written, function: str, message: str) -> None:
    module = written(f"@kernel_function\n{function}\n@reader_kernel\ndef kernel(n: RuntimeArg) -> None:\n    f(n)\n")
    with pytest.raises(KernelLanguageError) as caught:
        module.kernel.cpp_source()
    assert message in str(caught.value)


def test_a_kernel_with_a_result(written) -> None:
    module = written("@reader_kernel\ndef kernel() -> uint32:\n    return 1\n")
    with pytest.raises(KernelLanguageError, match="a kernel returns nothing: write `-> None`"):
        module.kernel.cpp_source()


def test_kernels_and_their_functions_cannot_be_called_from_python(written) -> None:
    module = written("@kernel_function\ndef f() -> None:\n    cb_wait_front(0, 1)\n")
    with pytest.raises(TypeError, match="kernels can call it, Python cannot"):
        module.f()
    with pytest.raises(TypeError, match="cb_wait_front can be called inside a kernel only"):
        module.cb_wait_front(0, 1)


def test_an_api_function_that_is_not_imported(written) -> None:
    module = written("del cb_wait_front\n@reader_kernel\ndef kernel(cb: CB) -> None:\n    cb_wait_front(cb, 1)\n")
    with pytest.raises(
        KernelLanguageError, match=r"is not imported: from tilewright\.kernels\.api import cb_wait_front"
    ):
        module.kernel.cpp_source()


def test_indices_of_circular_buffers(written) -> None:
    with pytest.raises(TypeError, match=r"Wrong\.a must be the index of a circular buffer, 0 to 63, not 64"):
        written("class Wrong(CircularBuffers):\n    a = 64\n")
