# SPDX-License-Identifier: Apache-2.0
"""Mixtures of experts: tokens sent to the chips of their experts, and back."""

from __future__ import annotations

import torch
import ttnn

from tests.card.mesh_catalogue.chips import AXIS, Chips, numbers

TOKENS, CHOSEN, WIDTH = 2, 2, 64  # of each chip; experts of each token; elements of a token


def _choice(chips: Chips) -> tuple[list[torch.Tensor], list[torch.Tensor], torch.Tensor]:
    """Tokens and experts of each chip, and the chip of each expert: expert e is on chip e // 2."""
    experts = 2 * chips.count * chips.rows
    tokens = [numbers(TOKENS, 1, 1, WIDTH) for _ in range(chips.count)]
    chosen = [torch.stack([torch.randperm(experts)[:CHOSEN] for _ in range(TOKENS)]) for _ in range(chips.count)]
    mapping = torch.zeros(1, 1, experts, experts // 2, dtype=torch.int16)
    for expert in range(experts):
        mapping[0, 0, expert, expert // 2] = 1
    return tokens, [each.reshape(TOKENS, 1, 1, CHOSEN).to(torch.int16) for each in chosen], mapping


def _whole(chips: Chips, parts: list[torch.Tensor], dtype: ttnn.DataType) -> ttnn.Tensor:
    return chips.spread(parts, layout=ttnn.ROW_MAJOR_LAYOUT, dtype=dtype)


def all_to_all_dispatch(chips: Chips) -> bool:
    """Every chip has the tokens of its row that chose one of its experts, and what every token chose."""
    tokens, chosen, mapping = _choice(chips)
    sent, told = ttnn.all_to_all_dispatch(
        _whole(chips, tokens, ttnn.bfloat16),
        _whole(chips, chosen, ttnn.uint16),
        _whole(chips, [mapping] * chips.count, ttnn.uint16),
        cluster_axis=AXIS,
        num_links=1,
        topology=chips.fabric_topology,
    )
    every, choices = torch.cat(tokens)[:, 0], torch.cat(chosen)[:, 0, 0]
    expected = choices.reshape(1, -1, 1, CHOSEN)
    if not all(torch.equal(one.to(torch.int16), expected) for one in chips.parts(told)):
        return False
    for chip, found in enumerate(chips.parts(sent)):
        wanted = ((choices // 2) == chip).any(dim=1)
        if not torch.equal(found[0][wanted], every[wanted]):
            return False
    return True


def all_to_all_combine(chips: Chips) -> bool:
    """Each chip has, of its own tokens, the result of every chosen expert on its row."""
    _, chosen, mapping = _choice(chips)
    choices = torch.cat(chosen)[:, 0, 0]
    results = [numbers(2, TOKENS * chips.count, 1, WIDTH) for _ in range(chips.count)]
    combined = ttnn.all_to_all_combine(
        _whole(chips, results, ttnn.bfloat16),
        _whole(chips, [choices.reshape(1, -1, 1, CHOSEN)] * chips.count, ttnn.uint16),
        _whole(chips, [mapping] * chips.count, ttnn.uint16),
        cluster_axis=AXIS,
        num_links=1,
        topology=chips.fabric_topology,
    )
    for place, found in enumerate(chips.parts(combined)):
        row, column = divmod(place, chips.count)
        for token in range(TOKENS):
            for choice in range(CHOSEN):
                expert = int(choices[column * TOKENS + token, choice])
                chip_row, chip = divmod(expert // 2, chips.count)
                result = results[chip][expert % 2, column * TOKENS + token, 0]
                if chip_row == row and not torch.equal(found[choice, token].flatten(), result):
                    return False
    return True


def offset_cumsum(chips: Chips) -> bool:
    experts = 16 * chips.count
    counts = [torch.randint(0, 50, (experts,), dtype=torch.int32) for _ in range(chips.count)]
    tensor = _whole(chips, counts, ttnn.uint32)
    offsets, totals, regions, every = ttnn.experimental.deepseek_prefill.offset_cumsum(
        tensor, AXIS, 1, 16, ttnn.DRAM_MEMORY_CONFIG
    )
    table = torch.stack(counts)
    before = torch.cat([torch.zeros(1, experts, dtype=torch.int32), table.cumsum(0)[:-1].int()])
    total = table.sum(0)
    aligned = ((total + 31) // 32 * 32).reshape(chips.count, 16)
    starts = (aligned.cumsum(1) - aligned).flatten()
    whole = before + starts
    return (
        all(torch.equal(one.flatten().int(), total.int()) for one in chips.parts(totals))
        and all(torch.equal(one.flatten().int(), starts.int()) for one in chips.parts(regions))
        and all(torch.equal(one.reshape(chips.count, -1).int(), whole.int()) for one in chips.parts(every))
        and all(
            torch.equal(one.flatten().int(), whole[place % chips.count].int())
            for place, one in enumerate(chips.parts(offsets))
        )
    )


CASES = {
    "all_to_all_dispatch": all_to_all_dispatch,
    "all_to_all_combine": all_to_all_combine,
    "experimental.deepseek_prefill.offset_cumsum": offset_cumsum,
}
