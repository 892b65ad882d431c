# SPDX-License-Identifier: Apache-2.0
"""``tilewright exec --compare``: each result of a ttnn operation against its golden function.

ttnn attaches to most operations a function of torch that says what they mean. The card's library calls
``compare_operations`` in the host's process when the card is opened; from then on each call of an operation first takes
its inputs as they are on the card, then runs, then its result is compared with the golden function of those inputs.
So an operation is judged by itself, whatever was wrong before it.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib.util
import json
import os
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright._build.cache import write_atomically
from tilewright._card.golden.accumulation import accumulated_products
from tilewright._card.golden.drift import Comparisons, Drift, Values, measure_drift, share_of_allowed
from tilewright._card.golden.golden_call import GoldenCall, magnifies_logits
from tilewright._card.golden.golden_functions import attach_golden_functions
from tilewright._card.golden.precision import LaunchPrecision, PrecisionReader
from tilewright._card.host import tensors_in
from tilewright._card.script_line import script_line
from tilewright._card.traces import is_capturing
from tilewright._display.error_map import error_map

# A directory for a map of the errors of every result, one file each in their order.
MAPS_VARIABLE = "TILEWRIGHT_CARD_ERROR_MAPS"
_COMPARED = Comparisons()
_precision: PrecisionReader | None = None
_busy = threading.local()  # while we ourselves call operations, to get at tensors


def compare_operations() -> str:
    """Puts the comparison around ttnn's operations, once; "ready", or why it cannot."""
    if "ttnn" not in sys.modules:
        return ""
    if importlib.util.find_spec("torch") is None:
        return "golden functions need torch, which is not installed: pip install torch"
    decorators = sys.modules["ttnn"].decorators
    if not hasattr(decorators, "tilewright_compares"):
        decorators.tilewright_compares = True
        _follow_precision()
        attach_golden_functions()
        for kind in (decorators.FastOperation, decorators.Operation):
            kind.__call__ = _compared(kind.__call__)
        atexit.register(_report)
    return "ready"


def _follow_precision() -> None:
    global _precision
    _precision = PrecisionReader()
    atexit.register(_precision.close)


def _report() -> None:
    sys.stdout.flush()
    sys.stderr.write(_COMPARED.text())


def _compared(call: Callable[..., Any]) -> Callable[..., Any]:
    """A call of an operation, followed by a look at what it gave."""

    @functools.wraps(call)
    def compared_call(self: Any, *arguments: Any, **named: Any) -> Any:
        name = self.python_fully_qualified_name
        # In slow mode an operation hands its call on to another object of the same name.
        if getattr(_busy, "name", None) in ("", name):
            return call(self, *arguments, **named)
        if self.golden_function is None:
            result = call(self, *arguments, **named)
            if any(True for _ in tensors_in(result)):
                _COMPARED.leave_out(name, "it has no golden function")
            return result
        if is_capturing():
            _COMPARED.leave_out(name, "tensors cannot be read while a trace is captured")
            return call(self, *arguments, **named)
        if not all(map(_has_values, tensors_in((arguments, named)))):
            _COMPARED.leave_out(name, "an input was deallocated before the call")
            return call(self, *arguments, **named)
        products = accumulated_products(name, arguments, named)
        with _while_busy(""):
            golden = GoldenCall(self, arguments, named)
        _take_precision()
        with _while_busy(name):
            result = call(self, *arguments, **named)
        with _while_busy(""):
            _compare(name, result, golden, products)
        return result

    return compared_call


@contextlib.contextmanager
def _while_busy(name: str) -> Iterator[None]:
    """Calls inside are not compared: those of this operation, or, without a name, any."""
    before = getattr(_busy, "name", None)
    _busy.name = name
    try:
        yield
    finally:
        _busy.name = before


def _take_precision() -> LaunchPrecision:
    """That of launches since the last call."""
    return LaunchPrecision() if _precision is None else _precision.take()


def _has_values(tensor: Any) -> bool:
    """Whether a tensor can be read: one that was deallocated ends the process when it is."""
    return bool(tensor.is_allocated())


def _compare(name: str, result: Any, golden: GoldenCall, products: int) -> None:
    if not all(map(_has_values, tensors_in(result))):
        _COMPARED.leave_out(name, "its result was deallocated")
        return
    try:
        pairs = [(output, wanted, _values(output)) for output, wanted in _pairs(result, golden.result())]
    except Exception as error:  # whatever a golden function does not know of the call
        words = textwrap.shorten(str(error), 100, placeholder=" ...")
        _COMPARED.leave_out(name, f"its golden function raised {type(error).__name__}: {words}")
        return
    inexact = _take_precision().error(products)  # the values have been read, so the launches are done
    slack = golden.spread(_values(pairs[0][1]), inexact) if len(pairs) == 1 and magnifies_logits(name) else None
    found = (_drift(name, output, wanted, got, inexact, slack) for output, wanted, got in pairs)
    drifts = [drift for drift in found if drift is not None]
    if drifts:
        first_drift = _COMPARED.add(name, _caller(), drifts)
        if first_drift:
            sys.stdout.flush()
            print(f"tilewright compare: the first operation that drifts is {first_drift}", file=sys.stderr, flush=True)


def _pairs(result: Any, wanted: Any) -> Iterator[tuple[Any, Any]]:
    """Tensors of a result with those of its golden function, which may have put a single one into a list.

    That of ``conv2d`` does so if the call also returns sizes or prepared weights, and gives none of these.
    """
    if isinstance(result, (list, tuple)) and isinstance(wanted, (list, tuple)):
        given = result[:1] if len(wanted) == 1 else result
        for output, reference in zip(given, wanted, strict=True):
            yield from _pairs(output, reference)
    elif isinstance(wanted, (list, tuple)) and len(wanted) == 1:
        yield from _pairs(result, wanted[0])
    elif isinstance(result, (list, tuple)) and len(result) == 1:
        yield from _pairs(result[0], wanted)
    elif hasattr(result, "dtype") and hasattr(wanted, "dtype"):
        yield result, wanted


def _drift(name: str, output: Any, wanted: Any, got: Values, error: float, slack: Values | None = None) -> Drift | None:
    config = getattr(wanted, "_ttnn_comparison_config", None)  # what the golden function says about itself
    if config is not None and config.method == "skip":
        _COMPARED.leave_out(name, "its golden function says that values mean nothing")
        return None
    reference = _values(wanted)
    if got.squeeze().shape != reference.squeeze().shape:
        _COMPARED.leave_out(name, f"it gave shape {got.shape}, its golden function {reference.shape}")
        return None
    mask = getattr(config, "mask", None)
    counts = None
    if mask is not None:
        lined_up = mask.numpy().reshape(mask.shape + (1,) * (reference.ndim - mask.ndim))
        counts = np.broadcast_to(lined_up, reference.shape).reshape(got.shape).astype(bool)
    dtype = getattr(output.dtype, "name", str(output.dtype).removeprefix("torch.").upper())
    slack = None if slack is None else slack.reshape(got.shape)
    _keep_map(name, got, reference.reshape(got.shape), dtype, counts, error, slack)
    return measure_drift(got, reference.reshape(got.shape), dtype, counts, error, slack)


def _keep_map(
    name: str,
    got: Values,
    wanted: Values,
    dtype: str,
    counts: NDArray[np.bool_] | None,
    error: float,
    slack: Values | None,
) -> None:
    """Writes down where a result is off, for `tilewright report --compare`."""
    directory = os.environ.get(MAPS_VARIABLE)
    if directory and got.size:
        share = share_of_allowed(got, wanted, dtype, counts, error, slack)
        found = {"operation": name, "map": error_map(share, got, wanted, f"the golden function of {name}")}
        path = Path(directory) / f"{time.time_ns():020}-map.json"
        write_atomically(path, json.dumps(found, allow_nan=False).encode())


def _values(tensor: Any) -> Values:
    import torch

    ttnn = sys.modules["ttnn"]
    host = tensor if isinstance(tensor, torch.Tensor) else ttnn.to_torch(tensor)
    return np.asarray(host.detach().to(torch.float64).numpy())


def _caller() -> str:
    """The line that called the operation."""
    path, line = script_line()
    return f" at {path}:{line}" if path else ""
