# SPDX-License-Identifier: Apache-2.0
"""Convert between NumPy arrays, torch tensors and device tensors for operations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tilewright._launch.open_devices import default_device
from tilewright._tensor.device import Device
from tilewright._tensor.dtype import DataType
from tilewright._tensor.layout import Layout
from tilewright._tensor.tensor import Tensor, numpy_to_torch, torch_to_numpy
from tilewright.formula._validation import SUPPORTED_DTYPES, OperationError


class Operands:
    """The tensors of a call, and the way its result goes back.

    Args:
        values: tensors or arrays by parameter name, the input first; all of one kind.
        device: where arrays go; the open device with the lowest number, or device 0 opened for the purpose, if None.
        dtype: what arrays become; bfloat16 stays, every other float is float32, if None.
    """

    def __init__(self, values: Mapping[str, Any], device: Device | None, dtype: DataType | None) -> None:
        first_name, first = next(iter(values.items()))
        self._kind = _kind(first_name, first)
        for name, value in values.items():
            if _kind(name, value) != self._kind:
                raise TypeError(f"{name} must be a {self._kind} like {first_name}, not a {_kind(name, value)}")
        if self._kind == "ttnn.Tensor":
            self._refuse_for_tensors(device=device, dtype=dtype)
            self.tensors: dict[str, Tensor] = dict(values)
            return
        self._dtype = first.dtype
        arrays = {name: _as_numpy(value) for name, value in values.items()}
        for name, array in arrays.items():
            _refuse_array(name, array)
        chosen = _tensor_dtype(next(iter(arrays.values()))) if dtype is None else dtype
        if chosen not in SUPPORTED_DTYPES:
            raise OperationError(f"dtype must be ttnn.bfloat16 or ttnn.float32, got {chosen!r}")
        place = default_device() if device is None else device
        self.tensors = {name: Tensor(array, chosen, place, Layout.ROW_MAJOR) for name, array in arrays.items()}

    def _refuse_for_tensors(self, **given: object) -> None:
        for name, value in given.items():
            if value is not None:
                raise TypeError(f"{name} is for NumPy arrays and torch tensors; a ttnn.Tensor has its own")

    def give_back(self, output: Tensor) -> Any:
        """The result as the kind, and with the dtype, the input had."""
        if self._kind == "ttnn.Tensor":
            return output
        array = output.to_numpy()
        output.deallocate()
        if self._kind == "torch.Tensor":
            return numpy_to_torch(array).to(self._dtype)
        return array if array.dtype == self._dtype else array.astype(self._dtype)


def _kind(name: str, value: Any) -> str:
    if isinstance(value, Tensor):
        return "ttnn.Tensor"
    if isinstance(value, np.ndarray):
        return "numpy.ndarray"
    if hasattr(value, "detach"):  # without importing torch to find out
        return "torch.Tensor"
    raise TypeError(f"{name} must be a ttnn.Tensor, a numpy.ndarray or a torch.Tensor, not a {type(value).__name__}")


def _as_numpy(value: Any) -> np.ndarray[Any, Any]:
    return value if isinstance(value, np.ndarray) else torch_to_numpy(value)


def is_of_floats(array: np.ndarray[Any, Any]) -> bool:
    """Whether an array holds floats; to NumPy a bfloat16 is a record of two bytes with a name."""
    return bool(array.dtype.kind == "f" or array.dtype.name == "bfloat16")


def _refuse_array(name: str, array: np.ndarray[Any, Any]) -> None:
    if not is_of_floats(array):
        raise OperationError(f"Unsupported dtype {array.dtype} of {name}; an array must be of floats")
    if isinstance(array, np.ma.MaskedArray):
        raise OperationError(f"{name} is a masked array, and masks would be ignored; fill it first: {name}.filled(0)")


def _tensor_dtype(array: np.ndarray[Any, Any]) -> DataType:
    return DataType.BFLOAT16 if array.dtype.name == "bfloat16" else DataType.FLOAT32
