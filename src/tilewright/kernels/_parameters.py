# SPDX-License-Identifier: Apache-2.0
"""Parameter annotations of kernels and the order of arguments."""

from __future__ import annotations

import dataclasses
import enum
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_args

from tilewright.kernels._signatures import KernelEnum
from tilewright.kernels._types import (
    BOOL,
    CB,
    CB_INDEX,
    FLOAT32,
    INT32,
    UINT32,
    PointerType,
    Type,
    enum_type,
    type_of_annotation,
)

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Argument = TypeVar("Argument", default=int)
else:
    from typing import TypeVar

    Argument = TypeVar("Argument")


class ParameterKind(enum.Enum):
    """Where the value of a parameter comes from."""

    COMPILE_TIME = "CompileTimeArg"
    RUNTIME = "RuntimeArg"
    COMMON_RUNTIME = "CommonRuntimeArg"
    CB = "CB"
    TENSOR = "TensorArg"
    BUFFERS = "CircularBuffers"
    VALUE = "value"


# Arguments are uint32 unless brackets say otherwise: RuntimeArg[float32], CompileTimeArg[bool].
# Fixed when the kernel is compiled. Of a kernel function: a template argument, for which callers give constants.
CompileTimeArg: TypeAlias = Annotated[Argument, ParameterKind.COMPILE_TIME]
# Given to each core at launch.
RuntimeArg: TypeAlias = Annotated[Argument, ParameterKind.RUNTIME]
# Given at launch, the same for all cores.
CommonRuntimeArg: TypeAlias = Annotated[Argument, ParameterKind.COMMON_RUNTIME]


class TensorArg:
    """A tensor in DRAM or L1: in the kernel a ``TensorAccessor``.

    It takes compile-time arguments (those of ``TensorAccessorArgs``) and one runtime argument, the address.
    """

    def get_noc_addr(self, page_id: int, offset: int = 0) -> Any:
        raise TypeError("TensorArg.get_noc_addr has a meaning inside a kernel only")

    def get_aligned_page_size(self) -> int:
        raise TypeError("TensorArg.get_aligned_page_size has a meaning inside a kernel only")


class CircularBuffers:
    """Named circular buffers::

    class Buffers(CircularBuffers):
        in_rm = 0
        in_tiled = 1

    A parameter annotated with the class (``cb: Buffers``) takes no argument: ``cb.in_rm`` is the index.
    """

    def __init_subclass__(cls) -> None:
        for name, index in circular_buffer_names(cls).items():
            if not is_circular_buffer_index(index):
                raise TypeError(f"{cls.__name__}.{name} must be the index of a circular buffer, 0 to 63, not {index!r}")


def is_circular_buffer_index(index: Any) -> bool:
    return isinstance(index, int) and not isinstance(index, bool) and 0 <= index < 64


def circular_buffer_names(buffers: type[CircularBuffers]) -> dict[str, int]:
    """Indices by name, in the order they are written."""
    names: dict[str, int] = {}
    for each in reversed(buffers.__mro__[:-1]):
        names.update({name: index for name, index in vars(each).items() if not name.startswith("_")})
    return names


@dataclasses.dataclass(frozen=True)
class KernelParameter:
    """One parameter of a kernel or kernel function.

    Attributes:
        default: what a kernel function's caller may leave out; for a kernel's CB, its fixed index.
        buffers: the class of named buffers, where the parameter stands for one.
        type: of the value; None where there is none, or where it is a tensor.
    """

    name: str
    kind: ParameterKind
    default: Any = inspect.Parameter.empty
    buffers: type[CircularBuffers] | None = None
    type: Type | None = None

    @property
    def has_default(self) -> bool:
        return self.default is not inspect.Parameter.empty


class ParameterError(Exception):
    """A parameter that a kernel cannot have."""

    def __init__(self, name: str, message: str) -> None:
        self.name = name
        super().__init__(message)


_ALLOWED_IN_KERNELS = "CompileTimeArg, RuntimeArg, CommonRuntimeArg, CB, TensorArg or a class of CircularBuffers"
_ALLOWED_IN_FUNCTIONS = (
    "uint32, int32, uint64, float32, bool, CB, l1_ptr[...], CompileTimeArg, TensorArg or a class of CircularBuffers"
)
# What fits the 32 bits of an argument the host gives.
_HOST_TYPES = (UINT32, INT32, FLOAT32, BOOL)


def read_annotations(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return inspect.get_annotations(function, eval_str=True)
    except NameError as error:
        raise ParameterError("", f"{error} in an annotation: define it at the top of the module") from None


def read_parameters(
    function: Callable[..., Any], annotations: dict[str, Any], is_kernel: bool
) -> tuple[KernelParameter, ...]:
    """The parameters of a decorated function, in order."""
    parameters = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
            raise ParameterError(name, f"{name}: a kernel's parameters are plain names, without * or /")
        allowed = _ALLOWED_IN_KERNELS if is_kernel else _ALLOWED_IN_FUNCTIONS
        if name not in annotations:
            raise ParameterError(name, f"parameter {name} has no type: annotate it with {allowed}")
        read = _parameter(name, annotations[name], parameter.default)
        if (
            read is None
            or (read.kind in _KERNEL_ONLY and not is_kernel)
            or (read.kind is ParameterKind.VALUE and is_kernel)
        ):
            shown = _shown(annotations[name])
            if read is not None and read.kind is not ParameterKind.VALUE:
                shown = read.kind.value
            raise ParameterError(name, f"parameter {name} cannot be {shown}: annotate it with {allowed}")
        _require_argument_type(read, is_kernel)
        if is_kernel and read.has_default and read.kind is not ParameterKind.CB:
            raise ParameterError(name, f"parameter {name}: only a CB may have a fixed value; give {name} from the host")
        if is_kernel and read.has_default:
            _require_index(name, read.default)
        parameters.append(read)
    return tuple(parameters)


def _require_argument_type(parameter: KernelParameter, is_kernel: bool) -> None:
    """Refuses arguments whose type does not fit an argument of the host, or a template argument."""
    if parameter.kind not in (ParameterKind.COMPILE_TIME, *_KERNEL_ONLY) or parameter.type is None:
        return
    name, kind, type_ = parameter.name, parameter.kind.value, parameter.type
    if is_kernel and type_ not in _HOST_TYPES:
        instead = "CB" if type_ == CB_INDEX else ", ".join(f"{kind}[{each}]" for each in _HOST_TYPES)
        raise ParameterError(name, f"parameter {name} cannot be {kind}[{type_}]: write {instead}")
    if not is_kernel and (type_ == FLOAT32 or isinstance(type_, PointerType)):
        raise ParameterError(name, f"parameter {name}: a template argument cannot be {type_}; write {type_} alone")


def _require_index(name: str, index: Any) -> None:
    if not is_circular_buffer_index(index):
        raise ParameterError(name, f"{name} must be the index of a circular buffer, 0 to 63, not {index!r}")


_KERNEL_ONLY = (ParameterKind.RUNTIME, ParameterKind.COMMON_RUNTIME)


def _parameter(name: str, annotation: Any, default: Any) -> KernelParameter | None:
    if annotation is CB:
        return KernelParameter(name, ParameterKind.CB, default, type=CB_INDEX)
    if annotation is TensorArg:
        return KernelParameter(name, ParameterKind.TENSOR, default)
    if isinstance(annotation, type) and issubclass(annotation, CircularBuffers):
        return KernelParameter(name, ParameterKind.BUFFERS, default, buffers=annotation)
    type_ = type_of_annotation(annotation)
    if type_ is not None:
        return KernelParameter(name, ParameterKind.VALUE, default, type=type_)
    kinds = [each for each in get_args(annotation)[1:] if isinstance(each, ParameterKind)]
    type_ = _argument_type(get_args(annotation)[0]) if kinds else None
    return KernelParameter(name, kinds[0], default, type=type_) if type_ is not None else None


def _shown(annotation: Any) -> str:
    """An annotation as it was written: ``RuntimeArg[str]`` is an ``Annotated`` to Python."""
    kinds = [each for each in get_args(annotation)[1:] if isinstance(each, ParameterKind)]
    if kinds:
        return f"{kinds[0].value}[{getattr(get_args(annotation)[0], '__name__', get_args(annotation)[0])}]"
    return str(getattr(annotation, "__name__", annotation))


def _argument_type(argument: Any) -> Type | None:
    """The type in the brackets of ``RuntimeArg[...]``; ``Argument`` itself where there are none."""
    if argument is Argument:
        return UINT32
    if isinstance(argument, type) and issubclass(argument, KernelEnum):
        return enum_type(argument.__name__)
    return type_of_annotation(argument)


@dataclasses.dataclass(frozen=True)
class ParameterLayout:
    """Order of a kernel's arguments: what the host gives and the kernel reads, from one place.

    A tensor stands for its accessor's words among the compile-time arguments, behind all single ones, and for its
    address among the runtime arguments.

    Attributes:
        types: of the arguments that are single values, by name.
    """

    scalars: tuple[str, ...]
    tensors: tuple[str, ...]
    runtime: tuple[str, ...]
    common_runtime: tuple[str, ...]
    types: dict[str, Type]

    @property
    def compile_time(self) -> tuple[str, ...]:
        return self.scalars + self.tensors


def argument_layout(parameters: tuple[KernelParameter, ...]) -> ParameterLayout:
    def named(*kinds: ParameterKind) -> tuple[str, ...]:
        return tuple(each.name for each in parameters if each.kind in kinds and not each.has_default)

    return ParameterLayout(
        scalars=named(ParameterKind.COMPILE_TIME, ParameterKind.CB),
        tensors=named(ParameterKind.TENSOR),
        runtime=named(ParameterKind.RUNTIME, ParameterKind.TENSOR),
        common_runtime=named(ParameterKind.COMMON_RUNTIME),
        types={each.name: each.type for each in parameters if each.type is not None},
    )
