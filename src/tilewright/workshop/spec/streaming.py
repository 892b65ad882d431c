# SPDX-License-Identifier: Apache-2.0
"""The same phases for rows too wide for L1: a tile-row comes once per pass, block by block.

Every row sum is a pass of its own: its blocks are made again from the input, and the packer adds up what they give. A
result as wide as the row is one more pass. Vectors come again, block by block, in the passes that need them.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping, Sequence

from tilewright.workshop.spec.calls import COMPUTE_LIBRARY, Call
from tilewright.workshop.spec.expressions import evaluate, names_in, parse_expression
from tilewright.workshop.spec.model import PERSISTENT, BufferSpec, Spec
from tilewright.workshop.spec.schedule import SAMPLE, BlockLoop, Release, Schedule, Step, pops

_FLOAT32_ONE = "0x3F800000"
_SUMS = ("reduce_row_mean", "reduce_row_sum", "accumulate_row_mean")


class NotStreamableError(ValueError):
    """Phases that cannot be run block by block as they are; the message says which.

    Attributes:
        cure: what to write instead.
    """

    def __init__(self, cause: str, cure: str = "leave `passes` out") -> None:
        super().__init__(cause)
        self.cure = cure


@dataclasses.dataclass(frozen=True)
class Streaming:
    """A schedule for rows that stream.

    Attributes:
        vectors: for each pass, the vectors whose blocks come with it.
    """

    schedule: Schedule
    vectors: tuple[tuple[str, ...], ...]

    @property
    def passes(self) -> int:
        """How often the reader delivers each tile-row."""
        return len(self.vectors)


def streaming_schedule(spec: Spec, calls: Sequence[Call]) -> Streaming:
    """The schedule for streamed rows.

    Raises:
        NotStreamableError: a phase needs a whole row at once.
    """
    return _Deriver(spec, calls).derive()


class _Deriver:
    def __init__(self, spec: Spec, calls: Sequence[Call]) -> None:
        self._spec = spec
        self._calls = list(calls)
        self._inputs = {each.name for each in spec.buffers if each.holds == "input"}
        self._vectors = {each.name: each.holds for each in spec.buffers if _is_vector(spec, each)}
        self._wide = {*self._inputs, *self._vectors}
        self._wide |= {name for call in calls if _is_wide(call) and not _is_sum(call) for name in call.writes}
        self._result = next((each.name for each in spec.buffers if each.consumer == "writer"), "")

    def derive(self) -> Streaming:
        steps: list[Step] = []
        vectors = []
        for call in self._calls:
            if call.phase.once and not _is_wide(call):
                raise NotStreamableError(f"{call.phase.name} runs once and makes no vector's tiles")
            if call.phase.once:
                continue
            if call.library is None and _is_wide(call) and call.phase.each != "block":
                raise NotStreamableError(f"{call.function}, which is to be written, takes a whole row")
            is_result = self._result in call.writes
            if _is_sum(call) or (is_result and _is_wide(call)):
                body = self._needed(call)
                steps.append(BlockLoop(tuple(self._block_steps([*body, call]))))
                vectors.append(self._vectors_of(body))
            elif not _is_wide(call):
                steps.append(call)
        return Streaming(Schedule((), tuple(self._released(steps))), tuple(vectors))

    def _needed(self, target: Call) -> list[Call]:
        """Everything that makes a block of what the target reads, in order."""
        needed: list[Call] = []
        wanted = [name for name in target.reads if name in self._wide]
        while wanted:
            name = wanted.pop()
            makers = [each for each in self._calls if name in each.writes]
            if len(makers) > 1:
                raise NotStreamableError(f"{name} is made by more than one phase")
            for maker in makers:
                if maker not in needed:
                    needed.append(maker)
                    wanted += [each for each in maker.reads if each in self._wide]
        read = {name for each in (*needed, target) for name in each.reads}
        if not read & self._inputs:
            raise NotStreamableError(f"{target.phase.name} does not depend on the input")
        return sorted(needed, key=self._calls.index)

    def _vectors_of(self, body: Sequence[Call]) -> tuple[str, ...]:
        read = {name for each in body for name in each.reads}
        return tuple(vector for name, vector in self._vectors.items() if name in read)

    def _block_steps(self, body: list[Call]) -> list[Call | Release]:
        """The phases of one block; the last reader of a buffer takes its pages, the others leave them."""
        steps: list[Call | Release] = []
        releases: list[Call | Release] = []
        for position, call in enumerate(body):
            block = _blockwise(self._spec, call)
            for name in dict.fromkeys(call.reads):
                if name not in self._wide:
                    block = block if self._is_constant(name) else _keeping(block, name, True)
                    continue
                is_last = not any(name in later.reads for later in body[position + 1 :])
                block = _keeping(block, name, not is_last)
                if is_last and not pops(block, name):
                    releases.append(Release(name, "B"))
            steps.append(block)
        return [*steps, *releases]

    def _is_constant(self, name: str) -> bool:
        return self._spec.buffer(name).lifetime == PERSISTENT

    def _released(self, steps: list[Step]) -> list[Step]:
        """Steps with pops of what is kept over several of them: means and the like, one page each."""
        names = {name for call in self._calls for name in call.writes} - self._wide
        last = {name: position for position, step in enumerate(steps) for name in _reads(step) if name in names}
        result: list[Step] = []
        for position, step in enumerate(steps):
            gone = [name for name, place in last.items() if place == position]
            if isinstance(step, Call):
                for name in dict.fromkeys(step.reads):
                    if name in names:
                        step = _keeping(step, name, name not in gone)
            result.append(step)
            for name in gone:
                if isinstance(step, BlockLoop) or (isinstance(step, Call) and not pops(step, name)):
                    result.append(Release(name, "1"))
        return result


def _is_vector(spec: Spec, buffer: BufferSpec) -> bool:
    return not buffer.is_staging and any(each.name == buffer.holds for each in spec.vectors)


def _reads(step: Step) -> set[str]:
    body = step.body if isinstance(step, BlockLoop) else (step,)
    return {name for each in body if isinstance(each, Call) for name in each.reads}


def _tiles(call: Call) -> int:
    """Tiles a call goes over in the sample row."""
    if "num_tiles" not in call.arguments:
        return 0
    blocks = range(SAMPLE["num_blocks"]) if call.phase.each == "block" else range(1)
    return sum(evaluate(call.arguments["num_tiles"], {**SAMPLE, "block": block}) for block in blocks)


def _is_wide(call: Call) -> bool:
    return _tiles(call) == SAMPLE["Wt"]


def _is_sum(call: Call) -> bool:
    """Whether a whole row becomes one tile."""
    if not _is_wide(call) or call.is_layout:
        return False
    last = {**SAMPLE, "block": SAMPLE["num_blocks"] - 1}
    if list(call.traffic(last).pushes.values()) != [1]:
        return False
    if call.function not in _SUMS:
        raise NotStreamableError(f"{call.phase.name} makes one tile of a row, and {call.function} takes it whole")
    return True


def _blockwise(spec: Spec, call: Call) -> Call:
    """The call for one block instead of a row, beginning at the front of its buffers."""
    if call.function in _SUMS:
        return _accumulating(spec, call)
    arguments = {name: _with_blocks(tree) for name, tree in call.arguments.items()}
    if "block" in names_in(arguments.get("first", ast.Constant(0))):
        del arguments["first"]
    return dataclasses.replace(call, arguments=arguments)


def _accumulating(spec: Spec, call: Call) -> Call:
    out = spec.buffer(call.buffers["cb_out"])
    if out.format != "float32":
        cure = f'write format = "float32" in buffer {out.name}, or leave `passes` out'
        raise NotStreamableError(f"{out.name} adds up blocks, so it must be float32", cure)
    given = call.arguments
    arguments: dict[str, ast.expr] = {
        "num_tiles": parse_expression("B"),
        "num_summed": parse_expression("last_block_tiles if block == num_blocks - 1 else B"),
        "factor_bits": given.get("factor_bits", parse_expression(_FLOAT32_ONE)),
        "is_first": parse_expression("block == 0"),
        "is_last": parse_expression("block == num_blocks - 1"),
    }
    if "partial" in given:
        arguments["partial"] = given["partial"]
    library = COMPUTE_LIBRARY["accumulate_row_mean"]
    phase = call.phase
    if call.function != library.name:
        phase = dataclasses.replace(phase, name=f"{phase.name}_by_blocks")
    return dataclasses.replace(
        call, phase=phase, function=library.name, contract=library.contract, library=library, arguments=arguments
    )


def _with_blocks(tree: ast.expr) -> ast.expr:
    class Narrow(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.Name:
            return ast.Name("B" if node.id == "Wt" else node.id)

    narrowed: ast.expr = Narrow().visit(ast.parse(ast.unparse(tree), mode="eval").body)
    return narrowed


def _keeping(call: Call, buffer: str, keep: bool) -> Call:
    """The call with the flag that keeps a buffer's pages, or without it."""
    arguments: Mapping[str, ast.expr] = call.arguments
    for parameter in call.parameters_of(buffer):
        if parameter not in call.contract.pops:
            continue
        count = ast.parse(call.contract.pops[parameter], mode="eval").body
        if isinstance(count, ast.IfExp) and isinstance(count.test, ast.Name):
            others = {name: tree for name, tree in arguments.items() if name != count.test.id}
            arguments = {**others, count.test.id: ast.Constant(True)} if keep else others
        elif keep and not (isinstance(count, ast.Constant) and count.value == 0):
            raise NotStreamableError(f"{call.phase.name} pops {buffer}, which a later pass reads again")
    return dataclasses.replace(call, arguments=arguments)
