# SPDX-License-Identifier: Apache-2.0
"""Page counts as people write them (``2*Wt``, ``32 pages``, ``Wt/iter``, ``1 (once)``), made comparable."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from tilewright._logs.events import Entry

_SYMBOL = r"[A-Za-z]\w*"
_PRODUCT = rf"(?:\d+|{_SYMBOL})(?:\s*[*\u00d7]\s*(?:\d+|{_SYMBOL}))*"
_SUM = re.compile(rf"{_PRODUCT}(?:\s*\+\s*{_PRODUCT})*")


def amount(text: str) -> str | None:
    """A sum of products in one spelling, or None if the text is not one.

    >>> amount("Wt * 2 + 1"), amount("2*Wt"), amount("one tile")
    ('1 + 2*Wt', '2*Wt', None)
    """
    text = text.strip().strip("()~ ")
    if not _SUM.fullmatch(text):
        return None
    terms: Counter[tuple[str, ...]] = Counter()
    for product in text.split("+"):
        parts = [part.strip() for part in re.split(r"[*\u00d7]", product)]
        symbols = tuple(sorted(part for part in parts if not part.isdigit()))
        terms[symbols] += math.prod(int(part) for part in parts if part.isdigit())
    return " + ".join("*".join((str(factor), *symbols)) for symbols, factor in sorted(terms.items()))


def same_pages(first: str, second: str) -> bool:
    """Whether two page counts or page sizes are equal, however they are written.

    >>> same_pages("2*Wt", "Wt * 2"), same_pages("tile_size", "tile = 2048 B"), same_pages("8", "2*Wt = 8")
    (True, True, True)
    """
    return not _spellings(first).isdisjoint(_spellings(second))


def _spellings(text: str) -> set[str]:
    parts = text.split("=")  # a specification has both: 2*Wt = 8, tile = 2048 B
    names = {re.sub(r"_size$", "", re.sub(r"\s+", "_", part.strip().lower())) for part in parts}
    return names | {found for part in parts if (found := amount(part))}


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
