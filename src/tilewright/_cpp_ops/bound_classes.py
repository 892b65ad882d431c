# SPDX-License-Identifier: Apache-2.0
"""Classes and enums that an operation's library binds (``nb::class_``, ``nb::enum_``), as classes of Python."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Sequence
from typing import Any

CallBound = Callable[[str, Sequence[Any], dict[str, Any]], Any]


class BoundObject:
    """An object that lies in a library; this has its number, and gives it up at its end."""

    _call: CallBound
    _forget: Callable[[int], None]
    _number: int | None = None

    @classmethod
    def _of(cls, number: int) -> BoundObject:
        made = cls.__new__(cls)
        made._number = number
        return made

    def _description(self) -> list[Any]:
        """The object in the form that ``object_of`` reads."""
        return ["object", type(self).__name__, self._number]

    def __del__(self) -> None:
        if self._number is not None:
            self._forget(self._number)


class BoundEnum(enum.Enum):
    """An enum of a library: its values are those of C++."""


def bound_classes(names: Iterable[str], call: CallBound, forget: Callable[[int], None]) -> dict[str, type[BoundObject]]:
    """Classes of the functions that are named ``Class.member``, with a word in front of the member's name for its kind.

    Args:
        names: of all functions of a library.
        call: calls one of them by its name.
        forget: gives up the object of a number.
    """
    members: dict[str, dict[str, Any]] = {}
    properties: dict[tuple[str, str], dict[str, Any]] = {}
    for name in names:
        owner, point, member = name.partition(".")
        if not point:
            continue
        space = members.setdefault(owner, {})
        kind, _, last = member.rpartition(" ")
        function = _member(name, call)
        if kind == "static":
            space[last] = staticmethod(function)
        elif kind:
            properties.setdefault((owner, last), {})[f"f{kind}"] = function
        else:
            space[last] = _constructor(name, call) if last == "__init__" else function
    for (owner, last), accessors in properties.items():
        members[owner][last] = property(**accessors)
    shared = {"_call": staticmethod(call), "_forget": staticmethod(forget), "__module__": "ttnn"}
    return {owner: type(owner, (BoundObject,), {**shared, **space}) for owner, space in members.items()}


def bound_enum(name: str, values: Iterable[tuple[str, int]]) -> type[BoundEnum]:
    """An enum with these names and values.

    >>> bound_enum("Mode", [("ADD", 0), ("KEEP", 2)]).KEEP.value
    2
    """
    make: Any = BoundEnum  # called with a name, an enum makes an enum
    made: type[BoundEnum] = make(name, list(values), module="ttnn")
    return made


def _member(name: str, call: CallBound) -> Callable[..., Any]:
    return lambda *args, **kwargs: call(name, args, kwargs)


def _constructor(name: str, call: CallBound) -> Callable[..., None]:
    def construct(self: BoundObject, *args: Any, **kwargs: Any) -> None:
        made = call(name, args, kwargs)
        self._number, made._number = made._number, None

    return construct
