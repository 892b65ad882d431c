# SPDX-License-Identifier: Apache-2.0
"""Page counts as people write them (``2*Wt``, ``32 pages``, ``Wt/iter``, ``1 (once)``), made comparable."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tilewright._logs.events import Entry

_SYMBOL = r"[A-Za-z]\w*"
_PRODUCT = rf"(?:\d+|{_SYMBOL})(?:\s*[*\u00d7]\s*(?:\d+|{_SYMBOL}))*"
_SUM = rf"{_PRODUCT}(?:\s*\+\s*{_PRODUCT})*"
_CALL = re.compile(r"cb_\w+\(\s*(?:\w+\s*,\s*)?([^(),]+)\)")
_LEADING = re.compile(rf"({_SUM})(?![\w*])")
_DIMENSION = re.compile(r"[A-Z][A-Za-z]?t?")  # Wt, Ht, N; unlike Scaler in "Scaler tile"


@dataclass(frozen=True)
class Amount:
    """A sum of products, e.g. ``2*Wt + 1``: each product of symbols with its factor.

    >>> Amount.read("2*Wt") == Amount.read("Wt * 2")
    True
    """

    terms: frozenset[tuple[tuple[str, ...], int]]

    @classmethod
    def read(cls, text: str) -> Amount | None:
        """The amount that a whole text states, or None."""
        text = text.strip().strip("()~ ")
        if not re.fullmatch(_SUM, text):
            return None
        terms: dict[tuple[str, ...], int] = {}
        for product in text.split("+"):
            factor, symbols = 1, []
            for part in map(str.strip, re.split(r"[*\u00d7]", product)):
                if part.isdigit():
                    factor *= int(part)
                else:
                    symbols.append(part)
            key = tuple(sorted(symbols))
            terms[key] = terms.get(key, 0) + factor
        return cls(frozenset((key, factor) for key, factor in terms.items() if factor))

    @classmethod
    def moved(cls, text: str) -> Amount | None:
        """The pages in a cell of a synchronisation table.

        >>> Amount.moved("cb_push_back(Wt) per tile-row") == Amount.read("Wt")
        True
        """
        called, leading = _CALL.search(text), _LEADING.match(text.strip())
        if called:
            return cls.read(called.group(1))
        given = leading.group(1) if leading else ""
        return cls.read(given) if all(map(_DIMENSION.fullmatch, re.findall(_SYMBOL, given))) else None


def is_kept(text: str) -> bool:
    """Whether a text states that a circular buffer keeps its pages.

    >>> is_kept("PERSISTENT - never popped")
    True
    """
    return bool(re.search(r"persist|never pop|no pop|not popped|\bkept\b|\bkeeps\b|special", text, re.I))


def same_pages(first: str, second: str) -> bool:
    """Whether two page counts or page sizes are equal, however they are written.

    >>> same_pages("2*Wt", "Wt * 2"), same_pages("tile_size", "tile = 2048 B"), same_pages("8", "2*Wt = 8")
    (True, True, True)
    """
    here, there = (_spellings(text) for text in (first, second))
    return not here.isdisjoint(there)


def _spellings(text: str) -> set[Amount | str]:
    parts = text.split("=")  # a specification has both: 2*Wt = 8, tile = 2048 B
    names = {re.sub(r"_size$", "", re.sub(r"\s+", "_", part.strip().lower())) for part in parts}
    return names | {amount for part in parts if (amount := Amount.read(part))}


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
