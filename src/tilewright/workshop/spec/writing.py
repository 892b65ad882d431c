# SPDX-License-Identifier: Apache-2.0
"""A spec as the text of its file; reading it again gives the same spec."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from tilewright.workshop.spec.model import Spec

_HEAD = "# SPDX-License-Identifier: Apache-2.0"


def spec_text(spec: Spec) -> str:
    """The file, its tables in the usual order."""
    return "\n".join(_lines(spec)) + "\n"


def _lines(spec: Spec) -> Iterator[str]:
    yield _HEAD
    yield from _table(
        "[operation]", name=spec.name, formula=spec.formula, summary=spec.summary, torch=spec.torch, like=spec.like
    )
    for parameter in spec.parameters:
        yield from _table(
            f"[parameters.{parameter.name}]",
            default=parameter.default,
            range=parameter.range,
            error=parameter.error,
        )
    for row in spec.requirements:
        yield from _table("[[requirement]]", property=row.property, rule=row.rule, error=row.error)
    yield from _table("[output]", shape=spec.output.shape, dtype=spec.output.dtype)
    for vector in spec.vectors:
        yield from _table("[[vector]]", name=vector.name, rule=vector.rule)
    for buffer in spec.buffers:
        yield from _table(
            "[[buffer]]",
            index=buffer.index,
            name=buffer.name,
            pages=buffer.pages,
            page=buffer.page,
            format=buffer.format,
            producer=buffer.producer,
            consumer=buffer.consumer,
            lifetime=buffer.lifetime,
            holds=buffer.holds,
            purpose=buffer.purpose,
        )
    for phase in spec.phases:
        yield from _table(
            "[[phase]]",
            name=phase.name,
            summary=phase.summary,
            once=True if phase.once else None,
            each=phase.each if phase.each != "row" else None,
            call=phase.call,
            reference=phase.reference,
            waits=phase.waits,
            pops=phase.pops,
            pushes=phase.pushes,
            needs=phase.needs,
            gives=phase.gives,
        )
    yield from _table("[work]", unit=spec.work.unit, count=spec.work.count, passes=spec.work.passes or None)
    for test in spec.tests:
        yield from _table(
            "[[test]]",
            name=test.name,
            shape=list(test.shape),
            dtype=test.dtype,
            data=test.data,
            bound=test.bound,
            rtol=test.rtol,
            atol=test.atol,
            why=test.why,
        )


def _table(head: str, **entries: object) -> Iterator[str]:
    """Entries that say nothing are left out."""
    yield ""
    yield head
    for key, value in entries.items():
        if value is not None and value != "":
            yield f"{key} = {_value(value)}"


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key} = {_value(each)}" for key, each in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False)  # strings, numbers, lists and booleans look alike in both
