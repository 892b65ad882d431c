# SPDX-License-Identifier: Apache-2.0
"""What functions of the vector unit cost, in cycles; names are those of ``native/abi/sfpu.h``.

Blackhole: the cost table of tt-lang (measured; one face of 16x16, 16-bit DST, then 32-bit DST where it differs).
Wormhole: pull requests of tt-llk and tt-metal that name cycles of a tile (measured; a quarter of a tile here). Where
one chip has no figure the other's is taken: the units are alike, the programs mostly the same.
"""

from __future__ import annotations

# A face; 16-bit DST, 32-bit DST.
_BLACKHOLE_UNARY: dict[str, tuple[float, float]] = {
    "Exp": (151.95, 330.9), "ExpScaled": (151.95, 330.9), "ExpApproximate": (112.0, 113.5), "Exp2": (218.6, 233.6),
    "Expm1": (314.2, 465.8), "Log": (154.2, 154.2), "LogWithBase": (160.0, 160.0), "Log1p": (274.4, 369.7),
    "Reciprocal": (76.1, 58.2), "Sqrt": (226.3, 217.1), "Rsqrt": (258.3, 249.4), "Tanh": (136.2, 361.6),
    "Sigmoid": (314.4, 425.5), "Silu": (347.2, 345.7), "Gelu": (714.4, 753.9), "GeluTanh": (714.4, 753.9),
    "Hardsigmoid": (121.8, 121.8), "Softsign": (139.3, 139.3), "Selu": (410.3, 410.3), "Clamp": (123.3, 123.3),
    "ReluMin": (37.0, 37.0), "ReluMax": (45.0, 45.0), "Threshold": (50.0, 50.0), "Square": (43.3, 50.3),
    "Abs": (42.2, 41.2), "Negative": (42.2, 41.2), "Sign": (90.3, 90.3), "Signbit": (19.8, 19.8),
    "Identity": (31.0, 31.0), "Floor": (122.9, 122.9), "Ceil": (122.9, 122.9), "Trunc": (98.8, 98.8),
    "Frac": (108.2, 108.2), "Fill": (27.3, 27.3), "FillWord": (27.3, 27.3), "Sin": (240.4, 240.4),
    "Cos": (280.3, 280.3), "Tan": (322.3, 322.3), "Asin": (578.3, 578.3), "Acos": (586.2, 586.2),
    "Atan": (426.5, 426.5), "Erf": (387.4, 387.4), "Erfc": (651.0, 651.0), "AddScalar": (37.0, 37.0),
    "SubScalar": (37.0, 37.0), "MulScalar": (37.0, 37.0), "DivScalar": (37.0, 37.0), "RsubScalar": (37.0, 37.0),
    "Power": (761.8, 1239.0), "MaxScalar": (50.0, 50.0), "MinScalar": (50.0, 50.0), "EqualZero": (58.3, 58.3),
    "NotEqualZero": (58.3, 58.3), "LessZero": (75.6, 75.6), "GreaterZero": (75.6, 75.6), "LessEqualZero": (91.6, 91.6),
    "GreaterEqualZero": (91.6, 91.6),
}  # fmt: skip
_WORMHOLE_UNARY: dict[str, tuple[float, float]] = {
    "Exp": (290.3, 389.8), "ExpScaled": (290.3, 389.8), "ExpApproximate": (47.3, 47.3), "Exp2": (222.5, 222.5),
    "Log": (179.5, 179.5), "Reciprocal": (227.5, 227.5), "Sqrt": (224.0, 216.0), "Rsqrt": (256.0, 248.0),
    "Tanh": (202.0, 202.0), "Sigmoid": (325.0, 325.0), "Silu": (358.0, 358.0), "Gelu": (712.5, 712.5),
    "ReluMin": (75.0, 75.0), "ReluMax": (97.5, 97.5), "Square": (50.0, 50.0), "Abs": (41.0, 41.0),
    "Negative": (41.0, 41.0), "Floor": (130.0, 130.0), "Ceil": (130.0, 130.0), "Trunc": (110.0, 110.0),
    "Frac": (126.0, 126.0), "Sin": (223.5, 223.5), "Cos": (255.5, 255.5), "AddScalar": (50.0, 50.0),
    "SubScalar": (50.0, 50.0), "MulScalar": (50.0, 50.0), "DivScalar": (50.0, 50.0), "RsubScalar": (50.0, 50.0),
}  # fmt: skip

# A whole tile.
_BINARY: dict[str, float] = {
    "Add": 180.6, "Sub": 180.6, "Rsub": 180.6, "AddRounded": 180.6, "SubRounded": 180.6, "RsubRounded": 180.6,
    "Mul": 180.6, "Div": 1072.7, "Power": 3216.7, "Max": 123.2, "Min": 123.2, "Atan2": 1265.0, "Equal": 469.8,
    "NotEqual": 469.8, "GreaterEqual": 437.8, "LessEqual": 437.8, "Greater": 373.5, "Less": 373.5, "AddInt": 370.9,
    "SubInt": 370.9, "MulInt": 287.4,
}  # fmt: skip

# From, to (DataFormat values): bfloat16 to uint32. Fitted to one calibration row, as nothing was published.
TYPECAST: dict[tuple[int, int], float] = {(5, 24): 1380.0}


def unary_costs(arch: str) -> dict[str, tuple[float, float]]:
    """Cycles of a face by function: with 16-bit DST and with 32-bit DST."""
    if arch == "blackhole":
        return {**_WORMHOLE_UNARY, **_BLACKHOLE_UNARY}
    return {**_BLACKHOLE_UNARY, **_WORMHOLE_UNARY}


def binary_costs() -> dict[str, float]:
    """Cycles of a tile by function of two tiles, on either chip."""
    return dict(_BINARY)
