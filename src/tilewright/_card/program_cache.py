# SPDX-License-Identifier: Apache-2.0
"""``tilewright check --program-cache`` on the real ttnn: operations again, from the program cache and anew.

ttnn keeps the program of an operation's first call under a hash of the call, and later calls with the hash patch its
arguments. What is not patched is the first call's. So after a call of the script, the operation is called again on
copies of its inputs as they were: at other addresses, with other scalars, and with more rows and then as many as
before. Each result from the cache must be the result of the same call with an empty cache, bit by bit. A call that
ttnn refuses, and an operation that gives other results each time, are not judged.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tilewright._build.cache import write_atomically
from tilewright._card.host import tensors_in
from tilewright._card.script_line import script_line

# A directory for what was found, one file for each call.
PROGRAM_CACHE_VARIABLE = "TILEWRIGHT_CARD_PROGRAM_CACHE"
RESULT_SUFFIX = ".cache.json"
# Not calls that a program of the cache runs, or calls whose meaning depends on addresses.
_LEFT_OUT = ("generic_op", "deallocate", "synchronize", "from_torch", "to_torch", "to_device", "from_device")
_MOST_CALLS = 4  # of one operation, with different arguments
_busy = threading.local()


@dataclasses.dataclass
class CacheResult:
    """Results of the repeated calls of one operation.

    Attributes:
        judged: variants that were compared, such as ``other addresses``.
        not_judged: variant, and why.
        wrong: variant, and how the results differ.
    """

    operation: str
    path: str
    line: int
    judged: list[str] = dataclasses.field(default_factory=list)
    not_judged: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    wrong: list[tuple[str, str]] = dataclasses.field(default_factory=list)


def check_program_caches() -> str:
    """Puts the further calls around ttnn's operations, once, where the environment asks for them; why it cannot."""
    directory = os.environ.get(PROGRAM_CACHE_VARIABLE)
    if not directory or "ttnn" not in sys.modules:
        return ""
    if importlib.util.find_spec("torch") is None:
        return "--program-cache needs torch, which is not installed: pip install torch"
    decorators = sys.modules["ttnn"].decorators
    if not hasattr(decorators, "tilewright_checks_caches"):
        decorators.tilewright_checks_caches = True
        seen: dict[str, set[str]] = {}
        for kind in (decorators.FastOperation, decorators.Operation):
            kind.__call__ = _repeated(kind.__call__, Path(directory), seen)
    return ""


def _repeated(call: Callable[..., Any], directory: Path, seen: dict[str, set[str]]) -> Callable[..., Any]:
    @functools.wraps(call)
    def repeated_call(self: Any, *arguments: Any, **named: Any) -> Any:
        name = self.python_fully_qualified_name
        is_new = not getattr(_busy, "on", False) and _is_new(name, (arguments, named), seen)
        device = _device_of((arguments, named)) if is_new else None
        if device is None:
            return call(self, *arguments, **named)
        _busy.on = True
        try:
            given = _Given(arguments, named)
            result = call(self, *arguments, **named)
            found = CacheResult(name, *script_line())
            _Calls(functools.partial(call, self), given, device, found).examine()
            _write(directory, found)
        finally:
            _busy.on = False
        return result

    return repeated_call


def _write(directory: Path, found: CacheResult) -> None:
    path = directory / f"{time.time_ns():020}-{os.getpid()}{RESULT_SUFFIX}"
    write_atomically(path, json.dumps(dataclasses.asdict(found)).encode())


def _is_new(name: str, given: Any, seen: dict[str, set[str]]) -> bool:
    """Whether the operation was not called like this before, and not often yet."""
    if name.rpartition(".")[2] in _LEFT_OUT:
        return False
    kinds = seen.setdefault(name, set())
    kind = repr(_map(given, lambda tensor: (str(tensor.shape), str(tensor.dtype), str(tensor.memory_config()))))
    if kind in kinds or len(kinds) == _MOST_CALLS:
        return False
    kinds.add(kind)
    return True


def _map(value: Any, change: Callable[[Any], Any], number: Callable[[float], float] | None = None) -> Any:
    """A copy of arguments with changed tensors and, where ``number`` is given, changed floats."""
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(_map(each, change, number) for each in value)
    if isinstance(value, dict):
        return {key: _map(each, change, number) for key, each in value.items()}
    if isinstance(value, sys.modules["ttnn"].Tensor):
        return change(value)
    return number(value) if number is not None and isinstance(value, float) else value


def _device_of(given: Any) -> Any:
    """The device of the call's tensors; None where one of them is not on it, or there is none."""
    ttnn = sys.modules["ttnn"]
    tensors = list(tensors_in(given))
    if not tensors or not all(each.is_allocated() and ttnn.is_tensor_storage_on_device(each) for each in tensors):
        return None
    return tensors[0].device()


class _Given:
    """The arguments of a call with the values that their tensors had."""

    def __init__(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        ttnn = sys.modules["ttnn"]
        self._given = (arguments, named)
        # By identity: one tensor may be given twice.
        self._kept = {
            id(each): (each, ttnn.from_device(each), each.memory_config()) for each in tensors_in(self._given)
        }

    def has_floats(self) -> bool:
        found: list[float] = []

        def note(number: float) -> float:
            found.append(number)
            return number

        _map(self._given, lambda tensor: tensor, note)
        return bool(found)

    def copies(self, device: Any, number: Callable[[float], float] | None = None) -> tuple[Any, Any]:
        """The arguments with new tensors of the same values, and floats changed by ``number``."""
        ttnn = sys.modules["ttnn"]
        made: dict[int, Any] = {}

        def copy(tensor: Any) -> Any:
            if id(tensor) not in made:
                _, host, place = self._kept[id(tensor)]
                made[id(tensor)] = ttnn.to_device(host, device, memory_config=place)
            return made[id(tensor)]

        changed: tuple[Any, Any] = _map(self._given, copy, number)
        return changed

    def with_more_rows(self, device: Any) -> tuple[Any, Any] | None:
        """The arguments with twice the rows in each tensor of the first one's shape; None where that cannot be."""
        ttnn = sys.modules["ttnn"]
        import torch

        first = next(tensors_in(self._given))
        shape = list(first.shape)
        if len(shape) < 2 or any(place.is_sharded() for _, _, place in self._kept.values()):
            return None

        def larger(tensor: Any) -> Any:
            _, host, place = self._kept[id(tensor)]
            if list(tensor.shape) != shape:
                return ttnn.to_device(host, device, memory_config=place)
            values = ttnn.to_torch(host)
            return ttnn.from_torch(
                torch.cat([values, values.flip(-2)], -2),
                dtype=tensor.dtype,
                layout=tensor.layout,
                device=device,
                memory_config=place,
            )

        changed: tuple[Any, Any] = _map(self._given, larger)
        return changed


class _Calls:
    """Further calls of one operation."""

    def __init__(self, call: Callable[..., Any], given: _Given, device: Any, found: CacheResult) -> None:
        self._call = call
        self._given = given
        self._device = device
        self._found = found
        self._held: list[Any] = []  # results and inputs, so that later ones lie elsewhere

    def examine(self) -> None:
        """Compare the variants, up to the first that is wrong: those behind it would show the same mistake again."""
        copies = functools.partial(self._given.copies, self._device)
        large = functools.partial(self._given.with_more_rows, self._device)
        self._compare("other addresses", copies)
        if self._given.has_floats() and not self._found.wrong:
            self._compare("other scalars", functools.partial(copies, lambda number: number * 1.5 + 0.25))
        if not self._found.wrong and self._compare("twice the rows", large) and not self._found.wrong:
            self._compare("as many rows as before", copies)

    def _compare(self, variant: str, make: Callable[[], tuple[Any, Any] | None]) -> bool:
        """Whether a call from the cache was compared with the same call anew."""
        try:
            given = make()
            if given is None:
                return False
            cached = self._run(given)
        except Exception as error:
            return self._refused(variant, make, error)
        try:
            fresh = self._run_fresh(make)
        except Exception as error:
            self._found.not_judged.append((variant, f"a call with an empty cache raises {_short(error)}"))
            return False
        difference = _difference(cached, fresh)
        if difference and _difference(fresh, self._run_fresh(make)):
            self._found.not_judged.append((variant, "two calls with an empty cache give different results"))
            return False
        if difference:
            self._found.wrong.append((variant, difference))
        self._found.judged.append(variant)
        return True

    def _refused(self, variant: str, make: Callable[[], tuple[Any, Any] | None], error: Exception) -> bool:
        """A call that fails from the cache: a finding if it does not fail anew."""
        try:
            self._run_fresh(make)
        except Exception:
            self._found.not_judged.append((variant, f"ttnn refuses the call: {_short(error)}"))
            return False
        self._found.wrong.append((variant, f"the call fails from the cache and not anew: {_short(error)}"))
        self._found.judged.append(variant)
        return True

    def _run_fresh(self, make: Callable[[], tuple[Any, Any] | None]) -> list[Any]:
        self._device.clear_program_cache()
        return self._run(make())

    def _run(self, given: Any) -> list[Any]:
        """Values of the results, and of the inputs afterwards: some operations write to these."""
        ttnn = sys.modules["ttnn"]
        arguments, named = given
        result = self._call(*arguments, **named)
        self._held.append((given, result))
        tensors = [each for each in (*tensors_in(result), *tensors_in(given)) if each.is_allocated()]
        return [ttnn.to_torch(each) for each in tensors]


def _difference(one: list[Any], other: list[Any]) -> str:
    """How two lists of tensors differ, in words; empty where they do not."""
    import torch

    if [each.shape for each in one] != [each.shape for each in other]:
        return f"shapes {[tuple(each.shape) for each in one]}, anew {[tuple(each.shape) for each in other]}"
    for number, (first, second) in enumerate(zip(one, other, strict=True)):
        alike = first == second
        if first.is_floating_point():
            alike = alike | (torch.isnan(first) & torch.isnan(second))
        if not bool(alike.all()):
            at = torch.nonzero(~alike)[0].tolist()
            count = int((~alike).sum())
            place = tuple(at)
            return (
                f"{count} of {alike.numel()} elements of tensor {number} differ; at {at} {first[place].item():.6g}, "
                f"anew {second[place].item():.6g}"
            )
    return ""


def _short(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:160] if lines else ''}"
