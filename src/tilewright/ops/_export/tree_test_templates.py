# SPDX-License-Identifier: Apache-2.0
"""Stage tests of an operation's folder; ``tree_code`` fills in ``$names``."""

from string import Template

INPUTS = Template('''\
"""Arguments for calls of $name: arrays in the place of tensors."""

${imports}import numpy as np


def inputs(shape, dtype, seed):
    random = np.random.default_rng(seed)
    # Of a float32 the matrix unit takes 10 mantissa bits; numbers of bfloat16 it takes whole.
    def normal(sides):
        words = random.standard_normal(sides).astype(np.float32).view(np.uint32) & 0xFFFF0000
        return words.view(np.float32)

    return [$arrays], {$numbers}


${helpers}def reference($reference_parameters):
    """In float64."""
$reference


# Twice the largest bound of an error analysis, on such data, as a share of max(1, |result|), by width.
BOUNDS = $bounds


def tolerance(shape, dtype):
    """The bound of the next larger width; None where no bound was derived."""
    return next((bound for width, bound in BOUNDS.get(dtype, {}).items() if width >= shape[-1]), None)
''')

CONFTEST = Template('''\
"""Tensors for the stage tests, with torch on a card's machine and without it elsewhere."""

import sys
from pathlib import Path

import numpy as np
import pytest
import ttnn

HERE = str(Path(__file__).parent)


def pytest_collectstart():
    """Tests of this folder import its inputs.py, also where another operation's was imported before."""
    sys.path[:] = [HERE, *(each for each in sys.path if each != HERE)]
    sys.modules.pop("inputs", None)


@pytest.fixture
def place(device):
    """Puts an array on the device, row-major."""

    def put(values, dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, on=device):
        if not isinstance(values, np.ndarray):
            return values
        if hasattr(ttnn, "from_numpy"):
            return ttnn.from_numpy(values, dtype=dtype, layout=layout, device=on)
        import torch

        return ttnn.from_torch(torch.from_numpy(values), dtype=dtype, layout=layout, device=on)

    return put


@pytest.fixture
def read():
    """The values of a tensor as float64."""

    def get(tensor):
        if hasattr(ttnn, "to_numpy"):
            return ttnn.to_numpy(tensor).astype(np.float64)
        return ttnn.to_torch(tensor).double().numpy()

    return get
''')

STAGE_1 = Template('''\
"""Stage 1: the API exists."""

import ttnn


def test_operation_can_be_called():
    assert callable(ttnn.$name)
''')

STAGE_2 = Template('''\
"""Stage 2: wrong inputs are refused, in the specification's words."""

import re

import numpy as np
import pytest
import ttnn
from inputs import inputs


def call(place, **changed):
    args, kwargs = inputs((64, 64), "bfloat16", 0)
    tensors = [place(each, **(changed if index == 0 else {})) for index, each in enumerate(args)]
    return ttnn.$name(*tensors, **kwargs)


def test_tiles_are_refused(place):
    with pytest.raises(RuntimeError, match=re.escape("$row_major")):
        call(place, layout=ttnn.TILE_LAYOUT)


def test_host_tensor_is_refused(place):
    with pytest.raises(RuntimeError, match=re.escape("$on_device")):
        call(place, on=None)


def test_one_dimension_is_refused(place):
    args, kwargs = inputs((64, 64), "bfloat16", 0)
    with pytest.raises(RuntimeError, match=re.escape("$rank")):
        ttnn.$name(place(np.zeros(64, np.float32)), *map(place, args[1:]), **kwargs)


def test_integers_are_refused(place):
    args, kwargs = inputs((64, 64), "bfloat16", 0)
    with pytest.raises(RuntimeError, match=re.escape("$dtype")):
        ttnn.$name(place(np.zeros((64, 64), np.uint32), dtype=ttnn.uint32), *map(place, args[1:]), **kwargs)
''')

STAGE_3 = Template('''\
"""Stage 3: ttnn has the operation, with its arguments by name."""

import pytest
import ttnn


def test_missing_arguments_are_a_type_error():
    with pytest.raises(TypeError):
        ttnn.$name()


def test_wrong_type_is_a_type_error():
    with pytest.raises(TypeError):
        ttnn.$name("no tensor")
''')

STAGE_4 = Template('''\
"""Stage 4: the device operation gives the output's shape, dtype and place."""

import pytest
import ttnn
from inputs import inputs, reference


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_output_is_as_specified(place, dtype):
    args, kwargs = inputs((2, 64, 96), dtype, 0)
    tensors = [place(each, dtype=getattr(ttnn, dtype)) for each in args]
    output = ttnn.$name(*tensors, **kwargs, memory_config=ttnn.L1_MEMORY_CONFIG)
    assert list(output.shape) == list(reference(*args, **kwargs).shape)
    assert output.dtype == $output_dtype
    assert output.layout == ttnn.ROW_MAJOR_LAYOUT
    assert output.memory_config().buffer_type == ttnn.BufferType.L1
''')

STAGE_5 = Template('''\
"""Stage 5: the program factory makes the program of the design: its circular buffers and kernels."""

import pytest
import ttnn
from inputs import inputs

# Circular buffers of a call on 2x3x64x128 bfloat16: index, pages, bytes of a page.
CIRCULAR_BUFFERS = $circular_buffers
KERNELS = $kernels


def test_program_is_as_designed(place, monkeypatch):
    programs = []
    run = ttnn.generic_op

    def record(tensors, program, **kwargs):
        programs.append(program)
        return run(tensors, program, **kwargs)

    monkeypatch.setattr(ttnn, "generic_op", record)
    args, kwargs = inputs((2, 3, 64, 128), "bfloat16", 0)
    ttnn.$name(*map(place, args), **kwargs)
    if not programs:
        pytest.skip("a build of tt-metal runs the program itself, and shows it to no test")
    (program,) = programs
    found = {}
    for cb in program.cbs:
        (form,) = cb.format_descriptors
        found[form.buffer_index] = (cb.total_size // form.page_size, form.page_size)
    assert found == CIRCULAR_BUFFERS
    assert [kernel.kernel_source.rpartition("/")[2] for kernel in program.kernels] == KERNELS
''')

STAGE_6 = Template('''\
"""Stage 6: the kernels compile and end, on one core and on many."""

import pytest
import ttnn
from inputs import inputs


@pytest.mark.parametrize("shape", [(32, 32), (2, 3, 64, 128), (3, 47, 100)])
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_kernels_end(place, shape, dtype):
    args, kwargs = inputs(shape, dtype, 0)
    ttnn.$name(*[place(each, dtype=getattr(ttnn, dtype)) for each in args], **kwargs)
''')

STAGE_7 = Template('''\
"""Stage 7: every number is right, in the first call and from the program cache."""

import numpy as np
import pytest
import ttnn
from inputs import inputs, reference

# Shapes, dtypes, and twice the largest bound of an error analysis, on such data, as a share of max(1, |result|).
CASES = [
$cases
]


@pytest.mark.parametrize(("shape", "dtype", "bound"), CASES)
def test_numbers_are_right(place, read, shape, dtype, bound):
    kept = []
    for seed in (0, 1):
        args, kwargs = inputs(shape, dtype, seed)
        tensors = [place(each, dtype=getattr(ttnn, dtype)) for each in args]
        output = ttnn.$name(*tensors, **kwargs)
        kept.append((tensors, output))  # the second call's tensors lie elsewhere
        wanted = reference(*[each.astype(np.float64) for each in args], **kwargs)
        got = read(output)
        wrong = ~(np.abs(got - wanted) <= bound * np.maximum(1.0, np.abs(wanted)))
        if wrong.any():
            first = tuple(int(each) for each in np.argwhere(wrong)[0])
            which = "first call" if seed == 0 else "second call"
            pytest.fail(
                f"{which}: {wrong.sum()} of {wrong.size} numbers are wrong; the first is {first}: "
                f"got {got[first]}, expected {wanted[first]}",
                pytrace=False,
            )
        assert np.abs(wanted).max() > bound  # zeros would not pass
''')
