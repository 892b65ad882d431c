# SPDX-License-Identifier: Apache-2.0
"""Stage 7: every number is right, in the first call and from the program cache."""

import numpy as np
import pytest
import ttnn
from inputs import inputs, reference

# Shapes, dtypes, and twice the largest bound of an error analysis, on such data, as a share of max(1, |result|).
CASES = [
    ((2, 3, 64, 128), "bfloat16", 0.0184),
    ((2, 3, 64, 128), "float32", 0.0171),
    ((3, 47, 100), "bfloat16", 0.0186),
    ((3, 47, 100), "float32", 0.0173),
]


@pytest.mark.parametrize(("shape", "dtype", "bound"), CASES)
def test_numbers_are_right(place, read, shape, dtype, bound):
    kept = []
    for seed in (0, 1):
        args, kwargs = inputs(shape, dtype, seed)
        tensors = [place(each, dtype=getattr(ttnn, dtype)) for each in args]
        output = ttnn.variance_w_rm(*tensors, **kwargs)
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
