# SPDX-License-Identifier: Apache-2.0
"""``op.py``, ``program.py`` and ``references.py``: what the operation takes, refuses, uses and means."""

from __future__ import annotations

from tilewright.ops.plan import Buffer, PageKind
from tilewright.workshop.scaffold.kernels_text import Kernels
from tilewright.workshop.scaffold.layout import call_lines, import_lines
from tilewright.workshop.spec.model import Spec
from tilewright.workshop.spec.sense import plan_buffers

_HEAD = '# SPDX-License-Identifier: Apache-2.0\n"""{text}"""\n\nfrom __future__ import annotations\n'

_OPERATION = '''{head}
from typing import Any

{imports}

WORDING = Wording(
{wording}
)


class {class_name}(Operation):
    """{summary}.

    ``{formula}``

    Example::

        y = {name}({example})
    """

    name = "{name}"
    formula = {quoted_formula}
    torch_reference = {torch}
{traits}    buffers = BUFFERS
    kernels = KERNELS

    def __call__(
        self,
        input_tensor: Any,
{parameters}        *,
        memory_config: MemoryConfig | None = None,
        compute_kernel_config: ComputeKernelConfig | None = None,
        core_grid: CoreSelection | None = None,
        device: Device | None = None,
        dtype: DataType | None = None,
    ) -> Any:
        """{summary}.

        Args:
            input_tensor: a row-major device tensor of rank 2 or more, or a NumPy or torch array of floats.
{parameter_texts}            memory_config: where the result goes; where the input is, if None.
            compute_kernel_config: fidelity and DST; HiFi4 and 32-bit DST, if None.
            core_grid: cores to use; all, if None.
            device, dtype: for arrays, where they go and what they become there.

        Returns:
            A tensor or array {result}.
        """
        options = Options(memory_config, compute_kernel_config, core_grid)
        values = {{{values}}}
        return self.call(values, options, {epsilon}device=device, dtype=dtype)

    def validate(self, tensors: Tensors) -> None:
        check_input(tensors["input_tensor"], WORDING)
{vector_checks}{output_shape}
    def reference(self, x: Float64, *vectors: Float64, epsilon: float = {default}) -> Float64:
        return references(x, *vectors{reference_epsilon})["{last}"]


{name} = {class_name}()
'''

_OUTPUT_SHAPE = """
    def output_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return (*shape[:-1], 1)
"""

_REFERENCES = '''{head}
import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

# The circular buffer that each phase leaves its result in.
OUTPUTS = {{
{outputs}
}}


def references({parameters}) -> dict[str, Float64]:
    """Results by phase, in order; a row is the last dimension, as wide as the input or 1."""
{lines}
    return {{
{results}
    }}
'''


def class_name(name: str) -> str:
    """``VarianceWRm`` for variance_w_rm."""
    return "".join(part.capitalize() for part in name.split("_"))


def operation_text(spec: Spec) -> str:
    """``op.py``."""
    vectors = [each.name for each in spec.vectors]
    names = ["input_tensor", *vectors]
    imports = [
        *import_lines("tilewright.ops.operation", ["Float64", "Operation", "Options"]),
        *import_lines("tilewright.ops.row_program", ["Tensors"]),
        *import_lines("tilewright.ops.row_split", ["CoreSelection"]),
        *import_lines("tilewright.ops.validation", ["Wording", "check_input", *(["check_vector"] if vectors else [])]),
        *import_lines("tilewright.program.compute_kernel_config", ["ComputeKernelConfig"]),
        *import_lines("tilewright.tensor.device", ["Device"]),
        *import_lines("tilewright.tensor.dtype", ["DataType"]),
        *import_lines("tilewright.tensor.memory_config", ["MemoryConfig"]),
        "",
        *import_lines(f"{spec.name}.program", ["BUFFERS", "KERNELS"]),
        *import_lines(f"{spec.name}.references", ["references"]),
    ]
    traits = f"    vectors = {_tuple(vectors)}\n" if vectors else ""
    traits += "    has_epsilon = True\n" if spec.has_epsilon else ""
    parameters = [*(f"{each}: Any" for each in vectors)]
    parameters += [f"epsilon: float = {spec.epsilon!r}"] if spec.has_epsilon else []
    texts = [f"{each.name}: {each.rule}." for each in spec.vectors]
    texts += [f"{each.name}: {each.range}." for each in spec.parameters]
    return _OPERATION.format(
        head=_HEAD.format(text=f"{spec.name}: {spec.summary}."),
        imports="\n".join(imports),
        wording="\n".join(f"    {each.property}={_quoted(each.error)}," for each in spec.requirements),
        class_name=class_name(spec.name),
        summary=spec.summary[0].upper() + spec.summary[1:],
        formula=spec.formula,
        torch=_quoted(spec.torch),
        quoted_formula=_quoted(spec.formula),
        name=spec.name,
        example=", ".join(["x", *vectors, *(["epsilon=" + repr(spec.epsilon)] if spec.has_epsilon else [])]),
        traits=traits,
        parameters="".join(f"        {each},\n" for each in parameters),
        parameter_texts="".join(f"            {each}\n" for each in texts),
        result="of the same kind, its last dimension 1" if spec.output.is_column else "like the input",
        values=", ".join(f'"{each}": {each}' for each in names),
        epsilon="epsilon=epsilon, " if spec.has_epsilon else "",
        vector_checks="".join(
            f'        check_vector("{each.capitalize()}", tensors["{each}"], tensors["input_tensor"])\n'
            for each in vectors
        ),
        output_shape=_OUTPUT_SHAPE if spec.output.is_column else "",
        default=repr(spec.epsilon),
        reference_epsilon=", epsilon=epsilon" if spec.has_epsilon else "",
        last=spec.phases[-1].name,
    )


def program_text(kernels: Kernels) -> str:
    """``program.py``."""
    spec = kernels.spec
    buffers = plan_buffers(spec)
    names = ["Buffer", "PageCount", *(["PageKind"] if any(each.page is PageKind.STICK for each in buffers) else [])]
    imports = [*import_lines("tilewright.ops.plan", [*names, "Strategy"])]
    imports += ["from tilewright.ops.row_program import Kernels"]
    if any(each.dtype for each in buffers):
        imports.append("from tilewright.tensor.dtype import DataType")
    imports += ["", f"from {spec.name} import kernels"]
    lines = [_HEAD.format(text=f"Circular buffers and kernels of {spec.name}."), *imports, "", "BUFFERS = ("]
    for buffer in buffers:
        lines += call_lines(4, "Buffer", _buffer_arguments(buffer), ",")
    lines += [")", "KERNELS = {"]
    lines += ["    Strategy.RESIDENT: Kernels(kernels.read_rows, kernels.compute_rows, kernels.write_rows),"]
    if kernels.streaming is not None:
        reader = "kernels.read_rows_streaming" if kernels.streams_vectors else "kernels.read_rows"
        arguments = [reader, "kernels.compute_rows_streaming", "kernels.write_rows"]
        passes = f"num_passes={kernels.streaming.passes}"
        lines += call_lines(4, "Strategy.STREAMING: Kernels", [*arguments, passes], ",")
    return "\n".join([*lines, "}", ""])


def _buffer_arguments(buffer: Buffer) -> list[str]:
    count = ", ".join(f"{key}={value}" for key, value in vars(buffer.count).items() if value)
    arguments = [str(buffer.index), _quoted(buffer.name), f"PageCount({count})", _quoted(buffer.purpose)]
    arguments += [f"DataType.{buffer.dtype.name}"] if buffer.dtype else []
    arguments += ["page=PageKind.STICK"] if buffer.page is PageKind.STICK else []
    return [*arguments, *(["is_only_moved=True"] if buffer.is_only_moved else [])]


def references_text(spec: Spec, outputs: dict[str, str]) -> str:
    """``references.py``; ``outputs`` has the circular buffer of each phase's result."""
    vectors = [each.name for each in spec.vectors]
    parameters = ["x: Float64", *(f"{each}: Float64" for each in vectors)]
    parameters += [f"epsilon: float = {spec.epsilon!r}"] if spec.has_epsilon else []
    lines = [f"{each} = {each}.reshape(-1)" for each in vectors]
    lines += [f"{each.name} = {each.reference}" for each in spec.phases]
    return _REFERENCES.format(
        head=_HEAD.format(text=f"What each phase of {spec.name} leaves behind, in float64."),
        outputs="\n".join(f'    "{phase}": "{buffer}",' for phase, buffer in outputs.items()),
        parameters=", ".join(parameters),
        lines="\n".join(f"    {line}" for line in lines),
        results="\n".join(f'        "{each.name}": np.asarray({each.name}),' for each in spec.phases),
    )


def _tuple(names: list[str]) -> str:
    return f"({', '.join(map(_quoted, names))}{',' if len(names) == 1 else ''})"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
