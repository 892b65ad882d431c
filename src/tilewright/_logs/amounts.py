# SPDX-License-Identifier: Apache-2.0
"""Page counts as people write them (``2*Wt``, ``32 pages``, ``Wt/iter``, ``1 (once)``), made comparable."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SYMBOL = r"[A-Za-z]\w*"
_PRODUCT = rf"(?:\d+|{_SYMBOL})(?:\s*[*\u00d7]\s*(?:\d+|{_SYMBOL}))*"
_SUM = rf"{_PRODUCT}(?:\s*\+\s*{_PRODUCT})*"


@dataclass(frozen=True)
class Amount:
    """A sum of products, e.g. ``2*Wt + 1``: each product of symbols with its factor.

    >>> Amount.read("2*Wt") == Amount.read("Wt * 2")
    True
    """

    terms: frozenset[tuple[tuple[str, ...], int]]

    @classmethod
    def read(cls, text: str) -> Amount | None:
        """The amount a whole text is, or None if it is not one."""
        text = text.strip().strip("()~ ")
        if not re.fullmatch(_SUM, text):
            return None
        terms: dict[tuple[str, ...], int] = {}
        for product in text.split("+"):
            factor, symbols = 1, []
            for part in re.split(r"[*\u00d7]", product):
                if part.strip().isdigit():
                    factor *= int(part)
                else:
                    symbols.append(part.strip())
            key = tuple(sorted(symbols))
            terms[key] = terms.get(key, 0) + factor
        return cls(frozenset((key, factor) for key, factor in terms.items() if factor))

    def doubled(self) -> Amount:
        return Amount(frozenset((key, 2 * factor) for key, factor in self.terms))

    def at(self, size: int) -> int:
        """The amount when every symbol has this size."""
        return sum(int(factor * size ** len(key)) for key, factor in self.terms)

    def may_exceed(self, other: Amount) -> bool:
        """Whether some size makes this larger than ``other``; symbols are taken to be equal, whatever they mean."""
        return any(self.at(size) > other.at(size) for size in (1, 2, 64))

    def symbols(self) -> frozenset[str]:
        return frozenset(symbol for key, _ in self.terms for symbol in key)


_CALL = re.compile(r"cb_\w+\(\s*(?:\w+\s*,\s*)?([^(),]+)\)")
_LEADING = re.compile(rf"({_SUM})(?![\w*])")
_PER = re.compile(r"/\s*(?:iter|row|tile|block|core)|\bper\s+\S+|\beach\b|[\u00d7x]\s*\w+\s+rows|\bevery\b", re.I)
_ONCE = re.compile(r"\bonce\b|\bone time\b", re.I)
_KEPT = re.compile(r"persist|never pop|no pop|not popped|\bkept\b|\bkeeps\b|special", re.I)


@dataclass(frozen=True)
class PageFlow:
    """How much is pushed or popped and how often: ``once``, ``repeated`` (per row, per tile ...), or unsaid."""

    amount: Amount | None
    once: bool
    repeated: bool
    kept: bool

    @classmethod
    def read(cls, text: str) -> PageFlow:
        """What a cell of a synchronisation table says.

        >>> PageFlow.read("cb_push_back(Wt) per tile-row").repeated
        True
        """
        called = _CALL.search(text)
        leading = _LEADING.match(text.strip())
        given = called.group(1) if called else leading.group(1) if leading else ""
        amount = Amount.read(given) if called or _is_countable(given) else None
        return cls(amount, bool(_ONCE.search(text)), bool(_PER.search(text)), says_kept(text))


def says_kept(text: str) -> bool:
    """Whether a text says that a circular buffer keeps its pages.

    >>> says_kept("PERSISTENT - never popped")
    True
    """
    return bool(_KEPT.search(text))


def _is_countable(text: str) -> bool:
    """Whether it is made of numbers and dimensions (``Wt``, ``Ht``, ``N``), unlike ``Scaler`` in ``Scaler tile``."""
    return all(re.fullmatch(r"[A-Z][A-Za-z]?t?", symbol) for symbol in re.findall(_SYMBOL, text))


def same_pages(first: str, second: str) -> bool:
    """Whether two page counts are the same number, however they are written.

    >>> same_pages("2*Wt", "Wt * 2")
    True
    """
    amounts = Amount.read(first), Amount.read(second)
    return amounts[0] == amounts[1] if all(amounts) else first.strip() == second.strip()
