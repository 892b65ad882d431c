# SPDX-License-Identifier: Apache-2.0
"""Translate statements of a kernel to C++."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tilewright.kernels import _values as values
from tilewright.kernels._api_table import ASSERT, ASSERT_HEADER
from tilewright.kernels._calls import is_pure
from tilewright.kernels._cpp_text import CPP_WORDS, INDENT, LINE_LENGTH, Line
from tilewright.kernels._expressions import Expressions, Variable
from tilewright.kernels._kernel_function import KernelFunction
from tilewright.kernels._scopes import assigned_names, local_uses, mentioned_names
from tilewright.kernels._types import (
    FLOAT32,
    INT32,
    NOTHING,
    PYTHON_TYPES,
    TENSOR,
    UINT8,
    UINT16,
    UINT32,
    PointerType,
    Type,
    type_of_annotation,
)
from tilewright.kernels._values import Expression

if TYPE_CHECKING:
    from tilewright.kernels._translate import Unit

# Elements that are smaller than the numbers kernels compute with: C++ would cut a larger one without a word.
_LARGEST_ELEMENT = {UINT8: 0xFF, UINT16: 0xFFFF}

_INSTEAD: dict[type[ast.AST], str] = {
    ast.Try: "kernels have no exceptions; test the condition with if, or write `assert condition` to stop",
    ast.Raise: "kernels have no exceptions; write `assert condition` to stop",
    ast.With: "kernels have no with blocks; call the functions one after the other",
    ast.AsyncWith: "kernels have no with blocks; call the functions one after the other",
    ast.AsyncFor: "kernels are not asynchronous; write for",
    ast.FunctionDef: "write the function outside the kernel, with @kernel_function",
    ast.AsyncFunctionDef: "write the function outside the kernel, without async, with @kernel_function",
    ast.ClassDef: "kernels have no classes; write a function with @kernel_function",
    ast.Import: "import at the top of the module",
    ast.ImportFrom: "import at the top of the module",
    ast.Global: "kernels have no globals; pass values as arguments",
    ast.Nonlocal: "kernels have no nonlocal variables; pass values as arguments",
    ast.Delete: "variables need no del",
    ast.Match: "write if and elif",
}


class Statements:
    """Translates the body of one function; ``lines`` is what came out."""

    def __init__(self, function: KernelFunction, unit: Unit) -> None:
        self.function = function
        self.scope = Expressions(function, unit)
        self.lines: list[Line] = []
        self._depth = 1
        self._loops = 0
        self._undeclared: dict[str, Line] = {}
        self._blank_loop_names: list[str] = []
        body = function.tree.body
        has_text = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
        # mypy does not follow that has_text has looked at the kind of the first statement.
        self.body = body[1:] if has_text and isinstance(body[0].value.value, str) else body  # type: ignore[attr-defined]
        self._uses = local_uses(self.body)
        self._mentioned = mentioned_names(self.body)

    def is_changed(self, name: str) -> bool:
        """Whether the body assigns a parameter."""
        return name in self._uses and self._uses[name].stores > 0

    def is_taken(self, name: str) -> bool:
        """Whether a name the translation makes up would hide a variable, or a constant that the body uses."""
        return name in self.scope.local_names or name in self._mentioned

    def define(self, node: ast.AST, variable: Variable) -> None:
        """Makes a parameter, or a variable that gets its first value, known."""
        if variable.name in CPP_WORDS:
            raise self.scope.error(node, f"{variable.name} is a word of C++: choose another name")
        self.scope.variables[variable.name] = variable
        self.scope.assigned.add(variable.name)

    def add(self, node: ast.AST, text: str) -> Line:
        row = self.function.line_of(node)
        comment = self.function.comments.beside.get(row) if text.endswith((";", "{")) else None
        if comment and len(INDENT) * self._depth + len(text) + len(comment) + len("  // ") > LINE_LENGTH:
            self.lines.append(Line(f"// {comment}", self._depth))
            comment = None
        line = Line(f"{text}  // {comment}" if comment else text, self._depth, self.function.path, row)
        self.lines.append(line)
        return line

    def translate(self) -> None:
        falls_through = self._block(self.body)
        if self.function.returns != NOTHING and falls_through:
            name = self.function.name
            raise self.scope.error(
                self.function.tree, f"{name} can end without returning a value: end it with a return"
            )

    def _block(self, body: list[ast.stmt]) -> bool:
        """Translates statements in order; whether control can come out at the end."""
        falls_through = True
        for statement in body:
            if not falls_through:
                raise self.scope.error(statement, "this never runs: it stands behind a return, break or continue")
            self._lead_in(statement)
            self._declare_before(statement)
            falls_through = self._statement(statement)
        return falls_through

    def _lead_in(self, statement: ast.stmt) -> None:
        """Blank lines and comments the author put before a statement."""
        row = self.function.line_of(statement)
        if self.lines and self.lines[-1].text and not self.lines[-1].text.endswith("{"):
            comments_begin = row - len(self.function.comments.before(row))
            if self.function.comments.is_blank(comments_begin - 1):
                self.lines.append(Line(""))
        for comment in self.function.comments.before(row):
            self.lines.append(Line(f"// {comment}", self._depth))

    def _inner_block(self, body: list[ast.stmt]) -> bool:
        self._depth += 1
        falls_through = self._block(body)
        self._depth -= 1
        return falls_through

    def _declare_before(self, statement: ast.stmt) -> None:
        """Makes room for the declarations of variables that get their first value inside ``statement``."""
        for name, use in self._uses.items():
            known = name in self.scope.variables or name in self._undeclared
            if use.first is statement and not known and _assigned_by(statement) != name and name != "_":
                self._undeclared[name] = self.add(statement, "")

    def _statement(self, statement: ast.stmt) -> bool:
        match statement:
            case ast.Expr():
                self._expression(statement)
            case ast.Assign():
                self._assignment(statement)
            case ast.AnnAssign():
                self._annotated_assignment(statement)
            case ast.AugAssign():
                self._augmented_assignment(statement)
            case ast.If():
                return self._if(statement)
            case ast.For():
                self._for(statement)
            case ast.While():
                self._while(statement)
            case ast.Assert():
                self._assert(statement)
            case ast.Return():
                self._return(statement)
                return False
            case ast.Break() | ast.Continue():
                self.add(statement, "break;" if isinstance(statement, ast.Break) else "continue;")
                return False
            case ast.Pass():
                pass
            case _:
                reason = _INSTEAD.get(type(statement), f"{type(statement).__name__} is not part of the kernel language")
                raise self.scope.error(statement, reason)
        return True

    def _expression(self, statement: ast.Expr) -> None:
        if isinstance(statement.value, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)):
            raise self.scope.error(statement, self.scope.refusal(statement.value))
        if not isinstance(statement.value, ast.Call) or is_pure(self.scope, statement.value):
            raise self.scope.error(statement, "this does nothing: assign the value, or remove the line")
        self.add(statement, self.scope.value(statement.value).text + ";")

    def _assignment(self, statement: ast.Assign) -> None:
        target = statement.targets[0]
        if len(statement.targets) > 1 or isinstance(target, (ast.Tuple, ast.List)):
            raise self.scope.error(statement, "assign one variable on each line")
        if isinstance(target, ast.Subscript):
            self._element_assignment(statement, target)
        elif isinstance(target, ast.Name):
            self._assign(statement, target, self.scope.value(statement.value), statement.value)
        else:
            raise self.scope.error(statement, "only variables and elements of an l1_ptr can be assigned")

    def _annotated_assignment(self, statement: ast.AnnAssign) -> None:
        type_ = type_of_annotation(self.scope.static(statement.annotation))
        if type_ is None or not isinstance(statement.target, ast.Name) or statement.value is None:
            allowed = ", ".join(str(each) for each in PYTHON_TYPES.values())
            raise self.scope.error(statement, f"write `name: type = value` with one of {allowed}")
        known = self.scope.variables.get(statement.target.id)
        if known is not None and known.type != type_:
            raise self.scope.error(statement, f"{known.name} is {known.type} already")
        value = self.scope.wanted(statement.value, self.scope.value(statement.value), type_, statement.target.id)
        self._assign(statement, statement.target, value, statement.value)

    def _assign(self, statement: ast.stmt, target: ast.Name, value: Expression, node: ast.expr) -> None:
        name = target.id
        known = self.scope.variables.get(name)
        if known is not None:
            self._require_assignable(statement, known)
            if values.converted(value, known.type) is None:
                raise self.scope.error(statement, _type_conflict(known, value))
            fitting = values.converted(value, known.type) or value
            self.scope.assigned.add(name)
            self.add(statement, f"{name} = {fitting.text};")
            return
        if value.type == NOTHING:
            raise self.scope.error(statement, f"{ast.unparse(node)} gives no value: call it on a line of its own")
        if value.type == TENSOR:
            raise self.scope.error(statement, "a tensor has one name: use the parameter itself")
        is_fixed = self._uses[name].stores == 1 and not isinstance(value.type, PointerType)
        is_constant = is_fixed and value.is_constant and name not in self._undeclared
        self.define(target, Variable(name, value.type, is_constant, number=value.known_number if is_constant else None))
        if name in self._undeclared:
            self._undeclared.pop(name).text = f"{value.type.cpp} {name};"
            self.add(statement, f"{name} = {value.text};")
            return
        qualifier = "constexpr " if is_constant else "const " if is_fixed else ""
        self.add(statement, f"{qualifier}{value.type.cpp} {name} = {value.text};")

    def _require_assignable(self, statement: ast.stmt, variable: Variable) -> None:
        if variable.fixed == "loop":
            raise self.scope.error(
                statement, f"{variable.name} counts a loop: use another variable, or write a while loop"
            )
        if variable.fixed:
            raise self.scope.error(statement, f"{variable.name} is {variable.fixed} and cannot be assigned")

    def _element_assignment(self, statement: ast.Assign, target: ast.Subscript) -> None:
        place, element = self.scope.element_place(target)
        wanted = UINT32 if element in _LARGEST_ELEMENT else element
        value = self.scope.wanted(statement.value, self.scope.value(statement.value), wanted, f"an element {place}")
        number, largest = value.known_number, _LARGEST_ELEMENT.get(element)
        if number is not None and largest is not None and number > largest:
            raise self.scope.error(
                statement.value,
                f"an element {place} is {element} and holds 0 to {largest}, not {number}: "
                f"write {ast.unparse(statement.value)} & {largest:#x} if the rest is to be lost",
            )
        self.add(statement, f"{place} = {value.text};")

    def _augmented_assignment(self, statement: ast.AugAssign) -> None:
        if not isinstance(statement.target, ast.Name):
            raise self.scope.error(statement, "write the assignment in full: a[i] = a[i] + x")
        load = ast.copy_location(ast.Name(statement.target.id, ast.Load()), statement.target)
        current = self.scope.value(load)
        variable = self.scope.variables[statement.target.id]
        self._require_assignable(statement, variable)
        value = self.scope.value(statement.value)
        result = self.scope.arithmetic(statement, statement.op, current, value)
        if result.type != variable.type:
            raise self.scope.error(statement, _type_conflict(variable, result))
        fitting = values.converted(value, result.type) or value
        symbol = result.text[len(current.text) + 1 :].split(" ", 1)[0]
        self.add(statement, f"{current.text} {symbol}= {fitting.text};")

    def _if(self, statement: ast.If, before: str = "") -> bool:
        test = self.scope.condition(statement.test)
        keyword = "if constexpr" if test.is_constant else "if"
        self.add(statement.test if before else statement, f"{before}{keyword} ({test.text}) {{")
        start = set(self.scope.assigned)
        body_ends = self._inner_block(statement.body)
        after_body = self.scope.assigned
        self.scope.assigned = set(start)
        orelse_ends = True
        if len(statement.orelse) == 1 and isinstance(statement.orelse[0], ast.If):
            orelse_ends = self._if(statement.orelse[0], "} else ")
        else:
            if statement.orelse:
                self._end_of_block("} else {")
                orelse_ends = self._inner_block(statement.orelse)
            self._end_of_block("}")
        if body_ends:
            self.scope.assigned = self.scope.assigned & after_body if orelse_ends else after_body
        return body_ends or orelse_ends

    def _end_of_block(self, text: str) -> None:
        self.lines.append(Line(text, self._depth))

    def _while(self, statement: ast.While) -> None:
        if statement.orelse:
            raise self.scope.error(statement, "loops of kernels have no else")
        self.add(statement, f"while ({self.scope.condition(statement.test).text}) {{")
        self._loop_body(statement.body)

    def _loop_body(self, body: list[ast.stmt]) -> None:
        start = set(self.scope.assigned)
        self._inner_block(body)
        self.scope.assigned = start
        self._end_of_block("}")

    def _for(self, statement: ast.For) -> None:
        call = statement.iter
        if not isinstance(call, ast.Call) or self.scope.static(call.func) is not range:
            raise self.scope.error(statement, "loops of kernels go over range(...): for i in range(n)")
        if statement.orelse or not isinstance(statement.target, ast.Name):
            raise self.scope.error(statement, "write `for i in range(...)` with one variable and without else")
        if not 1 <= len(call.args) <= 3 or call.keywords:
            raise self.scope.error(call, "range takes stop, or start and stop, or start, stop and step")
        name = self._loop_variable(statement, statement.target)
        start, stop, step, type_ = self._range(call)
        stop = self._stable(statement, f"{name}_end", stop, call.args[0] if len(call.args) == 1 else call.args[1])
        step = self._stable(statement, f"{name}_step", step, call.args[-1])
        is_down = isinstance(step.literal, int) and step.literal < 0
        test = values.binary(">" if is_down else "<", Expression(name, type_), stop, type_)
        self.add(statement, f"for ({type_.cpp} {name} = {start.text}; {test.text}; {_increment(name, step)}) {{")
        self.scope.variables[name] = Variable(name, type_, fixed="loop")
        self.scope.assigned.add(name)
        self._loop_body(statement.body)
        self.scope.assigned.discard(name)
        if statement.target.id == "_":
            self._blank_loop_names.remove(name)

    def _loop_variable(self, statement: ast.For, target: ast.Name) -> str:
        name = target.id
        if name == "_":
            choice = ("i", "j", "k", *(f"i{n}" for n in range(99)))
            name = next(each for each in choice if not self.is_taken(each) and each not in self._blank_loop_names)
            self._blank_loop_names.append(name)
            return name
        known = self.scope.variables.get(name)
        if known is not None and (known.fixed != "loop" or name in self.scope.assigned):
            raise self.scope.error(statement, f"{name} is in use already: give the loop a variable of its own")
        if name in assigned_names(statement.body):
            raise self.scope.error(statement, f"{name} is assigned inside its own loop: write a while loop instead")
        if name in CPP_WORDS:
            raise self.scope.error(statement, f"{name} is a word of C++: choose another name")
        return name

    def _range(self, call: ast.Call) -> tuple[Expression, Expression, Expression, Type]:
        given = [self.scope.value(each) for each in call.args]
        start = given[0] if len(given) > 1 else values.integer(0)
        stop = given[1] if len(given) > 1 else given[0]
        step = given[2] if len(given) > 2 else values.integer(1)
        fixed = [each for each in (start, stop, step) if not each.is_flexible]
        is_signed = any(isinstance(each.literal, int) and each.literal < 0 for each in (start, stop, step))
        type_ = fixed[0].type if fixed else INT32 if is_signed else UINT32
        if type_ not in (UINT32, INT32):
            raise self.scope.error(call, f"range counts in uint32 or int32, this is {type_}")
        if not self._is_step(step, type_):
            raise self.scope.error(call, "the step of a range must be a whole number that is not 0, or a uint32")
        nodes = {0: call.args[0], 1: call.args[-1]}
        parts = [
            self.scope.wanted(nodes[index], part, type_, "a loop that counts down needs int32: the range")
            if is_signed
            else self.scope.wanted(nodes[index], part, type_, "the range")
            for index, part in enumerate((start, stop))
        ]
        if is_signed and type_ == UINT32:
            raise self.scope.error(
                call, "a range with a negative number counts in int32: write int32(...) around the others"
            )
        return parts[0], parts[1], step, type_

    @staticmethod
    def _is_step(step: Expression, counted: Type) -> bool:
        if step.is_flexible:
            return isinstance(step.literal, int) and step.literal != 0
        return step.type == counted == UINT32 and step.number != 0

    def _stable(self, statement: ast.For, name: str, value: Expression, node: ast.expr) -> Expression:
        """Python looks at a range's end and step once, C++ every time round. Keeps them where that could differ."""
        used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        has_call = any(isinstance(each, (ast.Call, ast.Subscript)) for each in ast.walk(node))
        if value.is_constant or not (has_call or used & assigned_names(statement.body)):
            return value
        while self.is_taken(name):
            name += "_"
        self.add(statement, f"const {value.type.cpp} {name} = {value.text};")
        self.scope.local_names.add(name)
        return Expression(name, value.type)

    def _assert(self, statement: ast.Assert) -> None:
        self.scope.unit.include(ASSERT_HEADER)
        self.add(statement, f"{ASSERT}({self.scope.condition(statement.test).text});")

    def _return(self, statement: ast.Return) -> None:
        if statement.value is None or self.function.returns == NOTHING:
            if statement.value is not None:
                what = "a kernel returns nothing" if self.function.is_kernel else "say what it returns: `-> uint32`"
                raise self.scope.error(statement, what)
            if self.function.returns != NOTHING:
                raise self.scope.error(statement, f"{self.function.name} must return {self.function.returns}")
            self.add(statement, "return;")
            return
        value = self.scope.value(statement.value)
        fitting = self.scope.wanted(statement.value, value, self.function.returns, "the result")
        self.add(statement, f"return {fitting.text};")


def _assigned_by(statement: ast.stmt) -> str | None:
    """The variable a plain assignment sets."""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    if isinstance(statement, (ast.AnnAssign, ast.AugAssign)) and isinstance(statement.target, ast.Name):
        return statement.target.id
    return None


def _increment(name: str, step: Expression) -> str:
    if step.literal == 1:
        return f"{name}++"
    if isinstance(step.literal, int) and step.literal < 0:
        return f"{name}--" if step.literal == -1 else f"{name} -= {-step.literal}"
    return f"{name} += {step.text}"


def _type_conflict(variable: Variable, value: Expression) -> str:
    shown = f"the number {value.text}" if value.is_flexible else str(value.type)
    text = f"{variable.name} is {variable.type} since its first assignment and cannot become {shown}"
    if variable.type in (UINT32, INT32, FLOAT32) and value.type in (INT32, FLOAT32, UINT32):
        text += f": write {variable.type}(...), or start with `{variable.name}: {value.type} = ...`"
    return text
