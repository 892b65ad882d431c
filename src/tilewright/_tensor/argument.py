# SPDX-License-Identifier: Apache-2.0
"""Argument checks: one per kind of value, with one form of message.

A value of a wrong kind is a ``TypeError``, a wrong value of the right kind a ``ValueError``. Either says which
argument, what is allowed, and what was given. Kinds that belong to a room have their check there (``require_tensor``,
``require_supported`` for dtypes, ``uint32`` for words of a program ...), made of these.

>>> whole_number("threads", "many", least=1)
Traceback (most recent call last):
TypeError: threads must be a whole number of at least 1, not 'many'
"""

from __future__ import annotations

import itertools
import json
import math
import operator
import os
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Kind = TypeVar("Kind")
Built = TypeVar("Built")

_LONGEST_SHOWN = 200
_MOST_ITEMS = 1_000_000


def shown(value: object) -> str:
    """A value for a message: as Python writes it, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def require(name: str, value: object, kind: type[Kind], allowed: str) -> Kind:
    """``value``, if it is of a kind; ``allowed`` says in words what that is."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be {allowed}, not {shown(value)}")
    return value


def whole_number(name: str, value: object, least: int = 0, most: int | None = None) -> int:
    """``value`` as an int from ``least`` to ``most``."""
    allowed = f"a whole number of at least {least}" if most is None else f"a whole number from {least} to {most}"
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} must be {allowed}, not {shown(value)}") from None
    if number < least or (most is not None and number > most):
        raise ValueError(f"{name} must be {allowed}, not {shown(number)}")
    return number


def real_number(name: str, value: object) -> float:
    """``value`` as a float; NaN and infinities are numbers."""
    try:
        if isinstance(value, str | bytes | bytearray):
            raise TypeError
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} must be a number that fits a float, not {shown(value)}") from None


def seconds(name: str, value: object) -> float:
    """``value`` as a positive time that ends."""
    time = real_number(name, value)
    if not 0 < time < math.inf:
        raise ValueError(f"{name} must be a positive number of seconds, not {shown(value)}")
    return time


def flag(name: str, value: object) -> bool:
    """``value`` as True or False; NumPy's are taken too."""
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    raise TypeError(f"{name} must be True or False, not {shown(value)}")


def text(name: str, value: object) -> str:
    return require(name, value, str, "a str")


def path_text(name: str, value: object) -> str:
    """A path as text."""
    if not isinstance(value, str | os.PathLike):
        raise TypeError(f"{name} must be a path (a str or a pathlib.Path), not {shown(value)}")
    path = os.fspath(value)
    if not isinstance(path, str):
        raise TypeError(f"{name} must be a path of text, not {shown(path)}")
    if "\0" in path:
        raise ValueError(f"{name} must be a path, which has no zero byte, not {shown(path)}")
    return path


def items(name: str, value: object, allowed: str, most: int = _MOST_ITEMS) -> list[Any]:
    """Elements of a list or another iterable."""
    if isinstance(value, list | tuple) and len(value) <= most:
        return list(value)
    if isinstance(value, str | bytes | dict) or not isinstance(value, Iterable):
        raise TypeError(f"{name} must be {allowed}, not {shown(value)}")
    if isinstance(value, range) and value.stop - value.start > most * abs(value.step):
        raise ValueError(f"{name} must be {allowed}, with at most {most} entries, not {shown(value)}")
    try:
        found = list(itertools.islice(value, most + 1))
    except TypeError:  # a NumPy array without sides says that it can be gone through
        raise TypeError(f"{name} must be {allowed}, not {shown(value)}") from None
    if len(found) > most:
        raise ValueError(f"{name} must be {allowed}, with at most {most} entries, not {shown(value)}")
    return found


def from_json(name: str, given: object, allowed: str, build: Callable[[Any], Built]) -> Built:
    """The object that ``build`` makes of JSON text."""
    try:
        return build(json.loads(text(name, given)))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{name} must be {allowed} as JSON, not {shown(given)} ({error})") from None
