# SPDX-License-Identifier: Apache-2.0
"""A call of an operation's golden function, with copies of its inputs as they were before the operation ran."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Arguments that say where and how a result is computed, and nothing about its values.
_PLACEMENT = frozenset(
    ("memory_config", "compute_kernel_config", "program_config", "core_grid", "queue_id", "cq_id", "sub_core_grids")
)
_SAMPLES = 3
# The largest of many errors is above that of a few samples.
_ABOVE_SAMPLES = 3.0
_LOGIT_ERROR = 2.0**-9  # of a logit that is stored in bfloat16 before its exponential


class GoldenCall:
    """A golden function with the arguments of one call.

    What the call's arguments do not allow is raised by ``result``, so that the operation runs first.
    """

    def __init__(self, operation: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        self._function = operation.golden_function
        self._error: Exception | None = None
        prepare = operation.preprocess_golden_function_inputs
        prepare = prepare or sys.modules["ttnn"].decorators.default_preprocess_golden_function_inputs
        differentiates = operation.python_fully_qualified_name.endswith("_bw")
        try:
            given = prepare(arguments, _of_values(self._function, named))
            self._given, self._named = _map_tensors(given, lambda tensor: _widened(tensor, differentiates))
        except Exception as error:  # whatever a preparation does not know of the call
            self._error = error

    def result(self, change: Callable[[Any], Any] | None = None) -> Any:
        """The golden function's answer, for the inputs or for changed ones."""
        import torch

        if self._error is not None:
            raise self._error
        given, named = self._given, self._named
        if change is not None:
            given, named = _map_tensors((given, named), change)
        state = torch.get_rng_state()
        try:
            return self._function(*given, **named)
        finally:
            torch.set_rng_state(state)  # the script's random numbers stay its own

    def spread(self, wanted: NDArray[np.float64], error: float) -> NDArray[np.float64]:
        """How far elements may be off because their softmax magnifies the error of its logits.

        The exponential of a logit of 300 changes by half if the logit is stored in bfloat16. So the golden function is
        called with inputs whose elements are off by the relative ``error`` of the products and whose rows are off by
        the rounding of a logit: a row of the result may be off by what the largest of its elements moves.
        """
        import torch

        generator = torch.Generator().manual_seed(0)

        def changed(tensor: Any) -> Any:
            if not tensor.is_floating_point() or tensor.ndim < 2:
                return tensor
            elements = torch.randn(tensor.shape, generator=generator, dtype=tensor.dtype)
            rows = torch.randn((*tensor.shape[:-1], 1), generator=generator, dtype=tensor.dtype)
            return tensor * (1 + error * elements + _LOGIT_ERROR * rows)

        moved = np.zeros_like(wanted)
        for _ in range(_SAMPLES):
            again = self.result(changed).detach().to(torch.float64).numpy().reshape(wanted.shape)
            moved = np.fmax(moved, np.abs(again - wanted))
        return np.broadcast_to(_ABOVE_SAMPLES * moved.max(axis=-1, keepdims=True, initial=0.0), wanted.shape)


def magnifies_logits(operation: str) -> bool:
    """Whether an operation takes exponentials of products it has computed itself."""
    name = operation.rpartition(".")[2]
    return "attention" in name and "softmax" not in name


def _of_values(function: Any, named: Mapping[str, Any]) -> dict[str, Any]:
    """The named arguments without those of placement that the function does not take."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return dict(named)
    takes_all = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
    dropped = {"queue_id", "cq_id"} if takes_all else _PLACEMENT - parameters.keys()
    return {name: value for name, value in named.items() if name not in dropped}


def _widened(tensor: Any, differentiates: bool) -> Any:
    """A copy, with room for more digits than the card's formats have."""
    import torch

    if not tensor.is_floating_point():
        return tensor.clone()
    wide = tensor.detach().to(torch.promote_types(tensor.dtype, torch.float32), copy=True)
    return wide.requires_grad_() if differentiates else wide


def _map_tensors(value: Any, change: Callable[[Any], Any]) -> Any:
    import torch

    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(_map_tensors(each, change) for each in value)
    if isinstance(value, dict):
        return {key: _map_tensors(each, change) for key, each in value.items()}
    return value
