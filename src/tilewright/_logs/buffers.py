# SPDX-License-Identifier: Apache-2.0
"""Circular buffers of a log compared with their requirements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tilewright._logs.amounts import same_pages
from tilewright._logs.events import Entry


def differences(required: Mapping[str, Entry], configured: Mapping[str, Entry]) -> Iterator[tuple[str, str]]:
    """The buffers whose configuration differs from the requirement: index and sentence. Empty sides say nothing."""
    for index in dict.fromkeys((*required, *configured)) if required and configured else ():
        want, have = required.get(index), configured.get(index)
        if want is None or have is None:
            yield index, f"{index} is " + ("required and not configured" if want else "configured and not required")
            continue
        found = [
            what.format(have.text(name), want.text(name))
            for name, what in (("num_pages", "{} pages instead of {}"), ("page_size", "pages of {} instead of {}"))
            if have.text(name) and want.text(name) and not same_pages(have.text(name), want.text(name))
        ]
        if found:
            yield index, f"{index} has {' and '.join(found)}"
