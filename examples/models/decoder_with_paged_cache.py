# SPDX-License-Identifier: Apache-2.0
"""A decoder layer with grouped heads and a paged cache of keys and values: eight tokens of two users, one by one.

    tilewright exec examples/models/decoder_with_paged_cache.py

Blocks of the cache lie in a shuffled order; the users are at different positions. Each token is compared with float64.
"""

import torch
import ttnn
from float64_reference import assert_close

USERS, HEADS, KEY_HEADS, HEAD, HIDDEN = 2, 4, 2, 64, 256
BLOCK, BLOCKS_OF_A_USER = 32, 2
FIRST_POSITIONS = [30, 3]  # of each user: the first one's tokens go on in its second block
TOKENS = 4
ROUNDINGS = 12  # results stored in bfloat16 on the longest way through the layer


def random(generator: torch.Generator, *shape: int, scale: float = 1.0) -> torch.Tensor:
    """Random numbers in the values that bfloat16 has."""
    return (torch.randn(shape, generator=generator) * scale).bfloat16()


class Decoder:
    """The layer on the device, with its cache."""

    def __init__(self, device: ttnn.Device, weights: dict[str, torch.Tensor], caches: list[torch.Tensor]) -> None:
        self.device = device
        self.weights = {name: self.to_device(weight) for name, weight in weights.items()}
        order = torch.randperm(USERS * BLOCKS_OF_A_USER, generator=torch.Generator().manual_seed(3))
        self.page_table = self.indices(order.reshape(USERS, BLOCKS_OF_A_USER))
        self.keys, self.values = (self.to_device(paged(cache, order)) for cache in caches)

    def to_device(self, values: torch.Tensor) -> ttnn.Tensor:
        return ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=self.device)

    def indices(self, values: torch.Tensor) -> ttnn.Tensor:
        return ttnn.from_torch(values.int(), dtype=ttnn.int32, device=self.device)

    def update(self, cache: ttnn.Tensor, new: ttnn.Tensor, positions: ttnn.Tensor) -> None:
        """Puts the heads of each user's token into the cache; a core holds one user."""
        shard = ttnn.create_sharded_memory_config(
            (32, HEAD),
            ttnn.CoreGrid(y=1, x=USERS),
            ttnn.ShardStrategy.HEIGHT,
            use_height_and_width_as_shard_shape=True,
        )
        heads = ttnn.to_memory_config(ttnn.reshape(new, (1, USERS, KEY_HEADS, HEAD)), shard)
        ttnn.experimental.paged_update_cache(cache, heads, update_idxs_tensor=positions, page_table=self.page_table)

    def __call__(self, x: ttnn.Tensor, positions: ttnn.Tensor) -> ttnn.Tensor:
        normed = ttnn.rms_norm(x, weight=self.weights["gamma"], epsilon=1e-5)
        query = ttnn.reshape(ttnn.linear(normed, self.weights["query"]), (1, USERS, HEADS, HEAD))
        self.update(self.keys, ttnn.linear(normed, self.weights["key"]), positions)
        self.update(self.values, ttnn.linear(normed, self.weights["value"]), positions)
        context = ttnn.transformer.paged_scaled_dot_product_attention_decode(
            query,
            self.keys,
            self.values,
            cur_pos_tensor=positions,
            page_table_tensor=self.page_table,
            scale=HEAD**-0.5,
        )
        context = ttnn.reshape(context, (1, 1, USERS, HEADS * HEAD))
        x = x + ttnn.linear(context, self.weights["out"])
        gate, up = (ttnn.linear(x, self.weights[name]) for name in ("gate", "up"))
        return x + ttnn.linear(ttnn.silu(gate) * up, self.weights["down"])


def paged(cache: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
    """The blocks of every user at the places that the page table names."""
    blocks = cache.reshape(USERS, KEY_HEADS, BLOCKS_OF_A_USER, BLOCK, HEAD).transpose(1, 2)
    made = torch.empty(USERS * BLOCKS_OF_A_USER, KEY_HEADS, BLOCK, HEAD, dtype=cache.dtype)
    made[order] = blocks.reshape(-1, KEY_HEADS, BLOCK, HEAD)
    return made


def reference(
    x: torch.Tensor, weights: dict[str, torch.Tensor], caches: list[torch.Tensor], positions: list[int]
) -> torch.Tensor:
    """One token of each user in float64; the token's keys and values are put into the caches."""
    w = {name: weight.double() for name, weight in weights.items()}
    normed = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * w["gamma"][0]
    keys, values = caches
    rows = []
    for user, position in enumerate(positions):
        keys[user, :, position] = (normed[user] @ w["key"]).reshape(KEY_HEADS, HEAD)
        values[user, :, position] = (normed[user] @ w["value"]).reshape(KEY_HEADS, HEAD)
        query = (normed[user] @ w["query"]).reshape(KEY_HEADS, HEADS // KEY_HEADS, HEAD)
        seen = slice(0, position + 1)
        scores = torch.softmax(query @ keys[user, :, seen].transpose(-1, -2) * HEAD**-0.5, dim=-1)
        rows.append((scores @ values[user, :, seen]).reshape(HEADS * HEAD))
    x = x + torch.stack(rows) @ w["out"]
    return x + (torch.nn.functional.silu(x @ w["gate"]) * (x @ w["up"])) @ w["down"]


def main() -> None:
    generator = torch.Generator().manual_seed(1)
    widths = {"query": HEADS * HEAD, "key": KEY_HEADS * HEAD, "value": KEY_HEADS * HEAD, "gate": 512, "up": 512}
    weights = {name: random(generator, HIDDEN, width, scale=HIDDEN**-0.5) for name, width in widths.items()}
    weights["out"] = random(generator, HEADS * HEAD, HIDDEN, scale=(HEADS * HEAD) ** -0.5)
    weights["down"] = random(generator, 512, HIDDEN, scale=512**-0.5)
    weights["gamma"] = torch.ones(1, HIDDEN).bfloat16()
    caches = [random(generator, USERS, KEY_HEADS, BLOCKS_OF_A_USER * BLOCK, HEAD) for _ in range(2)]

    device = ttnn.open_device(device_id=0)
    decoder = Decoder(device, weights, caches)
    exact = [cache.double() for cache in caches]
    for number in range(TOKENS):
        positions = [first + number for first in FIRST_POSITIONS]
        x = random(generator, USERS, HIDDEN)
        output = decoder(decoder.to_device(x.reshape(1, 1, USERS, HIDDEN)), decoder.indices(torch.tensor(positions)))
        expected = reference(x.double(), weights, exact, positions)
        assert_close(f"positions {positions}", ttnn.to_torch(output)[0, 0], expected, ROUNDINGS)
    ttnn.close_device(device)


if __name__ == "__main__":
    main()
