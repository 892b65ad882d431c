# SPDX-License-Identifier: Apache-2.0
"""Kernel functions: source text, parameters and visible names."""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
from collections.abc import Callable
from typing import Any

from tilewright.kernels._comments import Comments, read_comments
from tilewright.kernels._errors import KernelLanguageError
from tilewright.kernels._parameters import KernelParameter, ParameterError, read_annotations, read_parameters
from tilewright.kernels._source_files import source_file
from tilewright.kernels._types import NOTHING, PYTHON_TYPES, Type, type_of_annotation

UNKNOWN = object()


class KernelFunction:
    """A helper that kernels call: ``@kernel_function``. It becomes a C++ function of the same name."""

    is_kernel = False

    def __init__(self, function: Callable[..., Any]) -> None:
        if not inspect.isfunction(function):
            raise TypeError(f"@kernel_function, @reader_kernel ... decorate functions, not {function!r}")
        self.function = function
        functools.update_wrapper(self, function)

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def path(self) -> str:
        """The Python file this was written in."""
        return self.function.__code__.co_filename

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        raise TypeError(f"{self.name} is a kernel function: kernels can call it, Python cannot")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} of {self.path}>"

    @functools.cached_property
    def _definition(self) -> tuple[list[str], ast.FunctionDef]:
        """The lines of the file, and the function in it."""
        code = self.function.__code__
        try:
            file = source_file(self.path, self.function.__globals__)
        except OSError:
            raise self._unreadable("write kernels in a file") from None
        except SyntaxError as error:
            raise self._unreadable(f"line {error.lineno} of its file is not Python ({error.msg})") from None
        statement = file.statement(code.co_firstlineno)
        if statement is not None and not isinstance(statement, ast.FunctionDef):
            raise self.error(statement, "a kernel is a plain def; lambdas and async functions cannot be kernels")
        if statement is None or statement.name != code.co_name:
            raise self._unreadable("its file is not the one that was imported; import it again")
        return file.lines, statement

    def _unreadable(self, reason: str) -> KernelLanguageError:
        line = self.function.__code__.co_firstlineno
        message = f"the source of {self.name} cannot be read: {reason}"
        return KernelLanguageError(message, self.path, line, f"def {self.name}(...)")

    @functools.cached_property
    def tree(self) -> ast.FunctionDef:
        """The syntax tree, with line numbers of the file."""
        return self._definition[1]

    @functools.cached_property
    def comments(self) -> Comments:
        """The author's comments, which the C++ keeps."""
        lines, definition = self._definition
        first = self.function.__code__.co_firstlineno
        return read_comments(lines[first - 1 : definition.end_lineno], first)

    @functools.cached_property
    def _annotations(self) -> dict[str, Any]:
        return read_annotations(self.function)

    @functools.cached_property
    def parameters(self) -> tuple[KernelParameter, ...]:
        try:
            return read_parameters(self.function, self._annotations, self.is_kernel)
        except ParameterError as error:
            named = [each for each in self.tree.args.args if each.arg == error.name]
            raise self.error(named[0] if named else self.tree, str(error)) from None

    @functools.cached_property
    def returns(self) -> Type:
        """Type of the result, from the annotation; None without one."""
        try:
            annotation = self._annotations.get("return")
        except ParameterError as error:
            raise self.error(self.tree, str(error)) from None
        if annotation is None or annotation is type(None):
            return NOTHING
        type_ = type_of_annotation(annotation)
        if type_ is None:
            allowed = ", ".join(str(each) for each in PYTHON_TYPES.values())
            raise self.error(self.tree.returns or self.tree, f"{self.name} must return None, {allowed}, l1_ptr[...]")
        return type_

    def look_up(self, name: str) -> Any:
        """The value of a name outside the function's own variables; ``UNKNOWN`` if it has none."""
        code = self.function.__code__
        if name in code.co_freevars and self.function.__closure__ is not None:
            try:
                return self.function.__closure__[code.co_freevars.index(name)].cell_contents
            except ValueError:
                return UNKNOWN
        return self.function.__globals__.get(name, getattr(builtins, name, UNKNOWN))

    def line_of(self, node: ast.AST) -> int:
        return getattr(node, "lineno", self.function.__code__.co_firstlineno)

    def error(self, node: ast.AST, message: str) -> KernelLanguageError:
        """The error that says what is wrong at ``node``."""
        try:
            shown = ast.unparse(node).split("\n")
            code = next((row for row in shown if not row.startswith("@")), shown[0])
        except (AttributeError, ValueError):
            code = self.name
        return KernelLanguageError(message, self.path, self.line_of(node), code)
