# SPDX-License-Identifier: Apache-2.0
"""Circular buffers of a log compared with their requirements and with the pages pushed into them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tilewright._logs.amounts import Amount, is_once, same_pages
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


def overflow(buffer: Entry, row: Entry) -> str:
    """A sentence if more pages are pushed at a time than the buffer has, else ''."""
    pages, pushed = Amount.read(buffer.text("num_pages")), Amount.moved(row.text("push"))
    index, has, told = buffer.text("index"), buffer.text("num_pages"), row.text("push")
    is_larger = pages and pushed and pushed.may_exceed(pages)
    return f"{index} has {has} pages, and {told} are pushed: it blocks" if is_larger else ""


def unused_pages(buffer: Entry, row: Entry) -> str:
    """A sentence if the buffer has more pages than are ever pushed, else ''."""
    pages, pushed = Amount.read(buffer.text("num_pages")), Amount.moved(row.text("push"))
    index, has, told = buffer.text("index"), buffer.text("num_pages"), row.text("push")
    is_larger = pages and pushed and is_once(told) and pages.may_exceed(pushed)
    return f"{index} has {has} pages, but is pushed only {told}: the rest is never used" if is_larger else ""
