# SPDX-License-Identifier: Apache-2.0
"""A decoder layer on several chips: heads and hidden units divided among them, or sequences.

    tilewright exec --system 1x8 examples/models/parallel_decoder_layer.py tensor 8
    tilewright exec --system n300 examples/models/parallel_decoder_layer.py data 2

Tensor parallel: each chip has some heads and some hidden units, and all_reduce adds what the chips computed. Data
parallel: each chip has all weights and one sequence. Both are compared with one chip and with float64.
"""

import sys

import torch
import ttnn
from float64_reference import assert_close

HEADS, HEAD, HIDDEN, INNER, TOKENS = 8, 32, 256, 512, 32
# Results stored in bfloat16 on the longest way through the layer on one chip. In all_reduce each addition of two chips'
# parts is stored once more.
ROUNDINGS = 11
REDUCTIONS = 2
COLUMNS = ("query", "key", "value", "gate", "up")  # of these weights each chip has some columns, of the others rows


def random(generator: torch.Generator, *shape: int, scale: float = 1.0) -> torch.Tensor:
    """Random numbers in the values that bfloat16 has."""
    return (torch.randn(shape, generator=generator) * scale).bfloat16()


class DecoderLayer:
    """The layer on a mesh; ``shares``: among how many chips its weights are divided."""

    def __init__(self, mesh: ttnn.MeshDevice, weights: dict[str, torch.Tensor], shares: int) -> None:
        self.mesh = mesh
        self.shares = shares
        # Sums of a matmul stay in float32 until they are stored; by default they are rounded at each tile.
        self.config = ttnn.init_device_compute_kernel_config(
            mesh.arch(), math_fidelity=ttnn.MathFidelity.HiFi4, fp32_dest_acc_en=True, packer_l1_acc=True
        )
        self.weights = {name: self.to_mesh(weight, self._dimension(name)) for name, weight in weights.items()}

    def _dimension(self, name: str) -> int | None:
        return None if self.shares == 1 else int(name in COLUMNS)

    def to_mesh(self, values: torch.Tensor, dim: int | None) -> ttnn.Tensor:
        """Divide a tensor among the chips along ``dim``; None: each chip has all of it."""
        mapper = ttnn.ReplicateTensorToMesh(self.mesh) if dim is None else ttnn.ShardTensorToMesh(self.mesh, dim=dim)
        return ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=self.mesh, mesh_mapper=mapper)

    def linear(self, x: ttnn.Tensor, name: str) -> ttnn.Tensor:
        return ttnn.linear(x, self.weights[name], compute_kernel_config=self.config)

    def reduced(self, parts: ttnn.Tensor) -> ttnn.Tensor:
        return parts if self.shares == 1 else ttnn.all_reduce(parts, topology=ttnn.Topology.Linear)

    def heads(self, x: ttnn.Tensor, name: str) -> ttnn.Tensor:
        projected = self.linear(x, name)
        split = ttnn.reshape(projected, (x.shape[0], TOKENS, HEADS // self.shares, HEAD))
        return ttnn.permute(split, (0, 2, 1, 3))

    def __call__(self, x: ttnn.Tensor) -> ttnn.Tensor:
        normed = ttnn.rms_norm(x, epsilon=1e-5)
        query, key, value = (self.heads(normed, name) for name in ("query", "key", "value"))
        context = ttnn.transformer.scaled_dot_product_attention(query, key, value, is_causal=True, scale=HEAD**-0.5)
        joined = ttnn.reshape(ttnn.permute(context, (0, 2, 1, 3)), (x.shape[0], 1, TOKENS, -1))
        x = x + self.reduced(self.linear(joined, "out"))
        gate, up = (self.linear(x, name) for name in ("gate", "up"))
        return x + self.reduced(self.linear(ttnn.silu(gate) * up, "down"))


def reference(x: torch.Tensor, weights: dict[str, torch.Tensor]) -> torch.Tensor:
    """The layer in float64."""
    w = {name: weight.double() for name, weight in weights.items()}
    x = x.double()
    normed = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)

    def heads(name: str) -> torch.Tensor:
        return (normed @ w[name]).reshape(-1, TOKENS, HEADS, HEAD).transpose(1, 2)

    scores = heads("query") @ heads("key").transpose(-1, -2) * HEAD**-0.5
    later = torch.ones(TOKENS, TOKENS, dtype=torch.bool).triu(1)
    context = torch.softmax(scores.masked_fill(later, -torch.inf), dim=-1) @ heads("value")
    x = x + context.transpose(1, 2).reshape(-1, 1, TOKENS, HEADS * HEAD) @ w["out"]
    return x + (torch.nn.functional.silu(x @ w["gate"]) * (x @ w["up"])) @ w["down"]


def main(kind: str, chips: int) -> None:
    generator = torch.Generator().manual_seed(1)
    shapes = {
        **dict.fromkeys(("query", "key", "value"), (HIDDEN, HEADS * HEAD)),
        "out": (HEADS * HEAD, HIDDEN),
        **dict.fromkeys(("gate", "up"), (HIDDEN, INNER)),
        "down": (INNER, HIDDEN),
    }
    weights = {name: random(generator, *shape, scale=shape[0] ** -0.5) for name, shape in shapes.items()}
    is_divided = kind == "tensor"
    x = random(generator, 1 if is_divided else chips, 1, TOKENS, HIDDEN)
    expected = reference(x, weights)

    if is_divided:
        ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_1D)
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, chips))
    layer = DecoderLayer(mesh, weights, chips if is_divided else 1)
    output = layer(layer.to_mesh(x, None if is_divided else 0))
    results = [ttnn.to_torch(each) for each in ttnn.get_device_tensors(output)]
    roundings = ROUNDINGS + (REDUCTIONS * (chips - 1) if is_divided else 0)
    for chip, result in enumerate(results):
        wanted = expected if is_divided else expected[chip : chip + 1]
        assert_close(f"chip {chip} of {chips}, {kind} parallel", result, wanted, roundings)

    ttnn.close_mesh_device(mesh)
    ttnn.set_fabric_config(ttnn.FabricConfig.DISABLED)

    one_chip = ttnn.open_mesh_device(ttnn.MeshShape(1, 1))
    alone = DecoderLayer(one_chip, weights, 1)
    single = torch.cat([ttnn.to_torch(alone(alone.to_mesh(row, None))) for row in x.split(1)])
    together = results[0] if is_divided else torch.cat(results)
    if is_divided:
        assert_close(f"{chips} chips against one", together, single.double(), roundings + ROUNDINGS)
    else:
        print(f"{chips} chips against one: {'the same bits' if torch.equal(together, single) else 'different bits'}")
        assert torch.equal(together, single)
    ttnn.close_mesh_device(one_chip)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
