# SPDX-License-Identifier: Apache-2.0
"""Operations of a prefill that chips share: tokens at places that are computed beforehand, states handed on."""

from __future__ import annotations

import torch
import ttnn

from tests.card.mesh_catalogue.chips import AXIS, Chips, numbers

EXPERTS, TOKENS, CHOSEN, WIDTH = 16, 32, 2, 64  # of each chip; experts of each token; elements of a token
ROOM = 32 * EXPERTS + 32  # tokens of a chip's buffer: each expert's begin at a multiple of 32
METADATA = 3  # of a token: its chip, its place there, the place of the expert in its choice


class _Routes:
    """Which expert gets which token, and where in its chip's buffer it lies."""

    def __init__(self, chips: Chips) -> None:
        self.experts = EXPERTS * chips.count
        self.tokens = [numbers(1, TOKENS, WIDTH) for _ in range(chips.count)]
        self.chosen = [
            torch.stack([torch.randperm(self.experts)[:CHOSEN] for _ in range(TOKENS)]) for _ in range(chips.count)
        ]
        counts = torch.stack([torch.bincount(each.flatten(), minlength=self.experts) for each in self.chosen])
        before = torch.cat([torch.zeros(1, self.experts, dtype=counts.dtype), counts.cumsum(0)[:-1]])
        self.totals = counts.sum(0)
        aligned = ((self.totals + 31) // 32 * 32).reshape(chips.count, EXPERTS)
        self.starts = (aligned.cumsum(1) - aligned).flatten()
        self.offsets = before + self.starts

    def places(self) -> list[tuple[int, int, int, int, int]]:
        """Of each token and chosen expert: chip, token, choice, and the chip and place it goes to."""
        found = []
        for chip, chosen in enumerate(self.chosen):
            following = self.offsets[chip].clone()
            for token in range(TOKENS):
                for choice in range(CHOSEN):
                    expert = int(chosen[token, choice])
                    found.append((chip, token, choice, expert // EXPERTS, int(following[expert])))
                    following[expert] += 1
        return found


def _words(chips: Chips, parts: list[torch.Tensor]) -> ttnn.Tensor:
    return chips.spread([each.int() for each in parts], layout=ttnn.ROW_MAJOR_LAYOUT, dtype=ttnn.int32)


def _dispatched(chips: Chips, routes: _Routes) -> tuple[ttnn.Tensor, ttnn.Tensor]:
    table = torch.arange(routes.experts) // EXPERTS
    buffer, metadata = ttnn.experimental.deepseek_prefill.dispatch(
        chips.spread(routes.tokens, layout=ttnn.ROW_MAJOR_LAYOUT),
        chips.spread(
            [each.reshape(1, TOKENS, CHOSEN).short() for each in routes.chosen],
            layout=ttnn.ROW_MAJOR_LAYOUT,
            dtype=ttnn.uint16,
        ),
        _words(chips, [each.reshape(1, -1) for each in routes.offsets]),
        _words(chips, [table.reshape(1, -1)] * chips.count),
        dispatch_group_size=chips.count,
        experts_per_chip=EXPERTS,
        num_routed_experts=routes.experts,
        num_experts_per_tok=CHOSEN,
        metadata_len=METADATA,
        max_dispatch_buffer_token_size=ROOM,
        cluster_axis=chips.axis,
        num_links=1,
        topology=chips.topology,
    )
    return buffer, metadata


def dispatch(chips: Chips) -> bool:
    """Each chosen expert's chip has the token and where it came from."""
    with chips.turned() as column:
        routes = _Routes(column)
        buffer, metadata = _dispatched(column, routes)
        sent, told = column.parts(buffer), column.parts(metadata)
        for row in range(column.rows):
            for chip, token, choice, there, place in routes.places():
                at = there * column.rows + row
                source = torch.tensor([chip * column.rows + row, token, choice], dtype=torch.int32)
                if not torch.equal(sent[at].reshape(-1, WIDTH)[place], routes.tokens[chip][0, token]):
                    return False
                if not torch.equal(told[at].reshape(-1, METADATA)[place].int(), source):
                    return False
    return True


def combine(chips: Chips) -> bool:
    """What was sent to experts comes back to each token, in the order of its choice."""
    with chips.turned() as column:
        routes = _Routes(column)
        buffer, metadata = _dispatched(column, routes)
        combined = ttnn.experimental.deepseek_prefill.combine(
            buffer,
            metadata,
            _words(column, [routes.totals.reshape(1, 1, -1)] * column.count),
            _words(column, [routes.starts.reshape(1, 1, -1)] * column.count),
            dispatch_group_size=column.count,
            experts_per_chip=EXPERTS,
            num_experts_per_tok=CHOSEN,
            seq_len_per_chip=TOKENS,
            cluster_axis=column.axis,
            num_links=1,
            topology=column.topology,
        )
        wanted = [each.reshape(1, 1, TOKENS, 1, WIDTH).expand(-1, -1, -1, CHOSEN, -1) for each in routes.tokens]
        found = column.parts(combined)
        return all(torch.equal(one.reshape(wanted[0].shape), wanted[column.in_row(at)]) for at, one in enumerate(found))


def select_final_carry(chips: Chips) -> bool:
    """From the chip in whose rows the sequence begins and ends, or what all have if it begins with a chip's rows."""
    heads, rows = 2, 64
    states = [torch.randn(heads, 32, 32) for _ in range(chips.count)]
    prefix = torch.randn(heads, 32, 32)
    owner = chips.count // 2
    for start, wanted in ((owner * rows + 32, states[owner]), (owner * rows, prefix)):
        found = ttnn.experimental.kda.select_final_carry(
            chips.spread(states, dtype=ttnn.float32),
            chips.everywhere(prefix, dtype=ttnn.float32),
            actual_start=_scalar(chips, start),
            local_rows=rows,
            sequence_parallel_axis=AXIS,
            num_links=1,
        )
        if not chips.equal(found, [wanted] * chips.count):
            return False
    return True


def _scalar(chips: Chips, value: int) -> ttnn.Tensor:
    return chips.everywhere(torch.tensor([value], dtype=torch.int32), layout=ttnn.ROW_MAJOR_LAYOUT, dtype=ttnn.uint32)


CASES = {
    "experimental.deepseek_prefill.dispatch": dispatch,
    "experimental.deepseek_prefill.combine": combine,
    "experimental.kda.select_final_carry": select_final_carry,
}
