# SPDX-License-Identifier: Apache-2.0
"""Writes an operation's package: all of it, or nothing."""

from __future__ import annotations

import dataclasses
import keyword
import re
import shutil
import sys
import tempfile
from pathlib import Path

from tilewright.device.errors import TilewrightError
from tilewright.workshop.scaffold.kernels_text import Kernels, kernels_text
from tilewright.workshop.scaffold.operation_text import operation_text, program_text, references_text
from tilewright.workshop.scaffold.tests_text import stage_tests
from tilewright.workshop.spec import SpecRefusedError, check_spec, parse_spec, read_spec, spec_text
from tilewright.workshop.spec.calls import resolve_calls
from tilewright.workshop.spec.model import Spec
from tilewright.workshop.spec.schedule import resident_schedule
from tilewright.workshop.spec.streaming import NotStreamableError, Streaming, streaming_schedule

_TEMPLATE = Path(__file__).with_name("template.toml")
_OPERATIONS = Path(__file__).parents[2] / "ops"


class ScaffoldError(TilewrightError):
    """A package cannot be made as it was asked for."""

    exit_status = 2


@dataclasses.dataclass(frozen=True)
class Created:
    """What was written.

    Attributes:
        files: all of them.
        notes: what a person should know about it, one line each.
    """

    directory: Path
    spec: Spec
    files: tuple[Path, ...]
    notes: tuple[str, ...]


def template_spec(name: str) -> Spec:
    """The commented spec of a simple operation."""
    text = _TEMPLATE.read_text(encoding="utf-8").replace('name = "NAME"', f'name = "{name}"')
    return parse_spec(text)


def derived_spec(name: str, like: str) -> tuple[Spec, tuple[str, ...]]:
    """The spec of an existing operation under another name, and what it kept of it, one line each.

    Args:
        like: an operation of tilewright, or a directory with a spec.toml.
    """
    built_in = sorted(path.parent.name for path in _OPERATIONS.glob("*/spec.toml"))
    path = _OPERATIONS / like / "spec.toml" if like in built_in else Path(like)
    if not path.exists():
        raise ScaffoldError(f"--like {like}: no operation and no directory; operations are {', '.join(built_in)}")
    origin = read_spec(path)
    kept = [f"formula: {origin.formula}"]
    kept += [f"parameter {each.name} = {each.default}, {each.range}" for each in origin.parameters]
    kept += [f"{len(origin.requirements)} requirements with their error texts"]
    kept += [f"output shape: {origin.output.shape}"]
    kept += [f"vector {each.name}" for each in origin.vectors]
    kept += ["buffers: " + ", ".join(f"c_{each.index} {each.name}" for each in origin.buffers)]
    kept += ["phases: " + ", ".join(each.name for each in origin.phases)]
    kept += [f"{len(origin.tests)} test cases with their tolerances"]
    kept += [f"rows too wide for L1 are read {origin.work.passes} times"] if origin.work.passes else []
    renamed = dataclasses.replace(origin, name=name, like=origin.name)
    return parse_spec(spec_text(renamed)), tuple(kept)


def create_operation(spec: Spec, directory: Path | str = ".", *, stubs: bool = True) -> Created:
    """Writes ``directory/NAME`` from a spec and returns what it wrote.

    Args:
        stubs: phases move pages and compute nothing at first; False calls the phases themselves.

    Example::

        created = create_operation(read_spec("spec.toml"), "my_project")

    Raises:
        SpecRefusedError: the spec makes no sense.
        ScaffoldError: there is such a directory already, or the name cannot be one.
    """
    check_name(spec.name)
    if not spec.text:
        spec = parse_spec(spec_text(spec))
    findings = check_spec(spec)
    if findings:
        raise SpecRefusedError(str(spec.path), findings, spec.text.splitlines())
    target = Path(directory) / spec.name
    if target.exists():
        raise ScaffoldError(f"{target} exists; nothing was written. Name another operation, or another --dir")
    files, notes = _files(spec, stubs)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{spec.name}-") as work:
            made = Path(work) / spec.name
            for name, text in files.items():
                path = made / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            shutil.move(made, target)
    except OSError as error:
        raise ScaffoldError(f"{target} cannot be written: {error.strerror or error}") from None
    return Created(target, spec, tuple(target / name for name in files), tuple(notes))


def check_name(name: str) -> None:
    """Refuses what cannot be the name of an operation and of its package."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise ScaffoldError(
            f"{name!r} cannot be the name of an operation: write lower-case letters, digits and underscores, "
            "beginning with a letter, such as variance_w_rm"
        )
    if name in sys.stdlib_module_names or name in ("tilewright", "ttnn", "torch", "numpy", "pytest"):
        raise ScaffoldError(f"{name} is the name of a Python module already; name the operation otherwise")


def _files(spec: Spec, stubs: bool) -> tuple[dict[str, str], list[str]]:
    """Texts by path, and what to tell about them."""
    calls, _ = resolve_calls(spec)
    notes = []
    streaming: Streaming | None = None
    if spec.work.passes:
        try:
            streaming = streaming_schedule(spec, calls)
        except NotStreamableError as error:
            changed = _without_passes(spec)
            dropped = [each.name for each in spec.tests if each not in changed.tests]
            tests = f" Left out with it: test {', '.join(dropped)}." if dropped else ""
            notes.append(
                f"[work] passes is left out: {error}. Rows must fit L1 until you write streaming kernels.{tests}"
            )
            spec = changed
    own = sorted({each.function for each in calls if each.library is None})
    if own:
        notes.append(f"to be written in kernels.py, stubs until then: {', '.join(own)}")
    kernels = Kernels(spec, resident_schedule(spec, calls), streaming, stubs)
    outputs = {each.phase.name: each.writes[-1] for each in calls}
    files = {
        "spec.toml": spec.text,
        "__init__.py": f'# SPDX-License-Identifier: Apache-2.0\n"""{spec.summary[0].upper() + spec.summary[1:]}."""\n',
        "op.py": operation_text(spec),
        "program.py": program_text(kernels),
        "kernels.py": kernels_text(kernels),
        "references.py": references_text(spec, outputs),
    }
    files |= {f"tests/{name}": text for name, text in stage_tests(spec).items()}
    return files, notes


def _without_passes(spec: Spec) -> Spec:
    """The spec without streaming, and without the tests that need it; what else stands in the file stays."""
    resident = dataclasses.replace(spec, work=dataclasses.replace(spec.work, passes=0))
    too_wide = {each.line for each in check_spec(resident) if each.rule == "fits-l1"}
    lines = spec.text.splitlines()
    gone = {spec.work.place.of("passes")}
    for test in spec.tests:
        if test.place.of("shape") in too_wide:
            first = test.place.line
            following = (number for number in range(first + 1, len(lines) + 1) if lines[number - 1].startswith("["))
            gone.update(range(first, next(following, len(lines) + 1)))
    kept = [line for number, line in enumerate(lines, 1) if number not in gone]
    return parse_spec("\n".join(kept).rstrip() + "\n", spec.path)
