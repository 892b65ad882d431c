# SPDX-License-Identifier: Apache-2.0
"""Every rule about specs finds its mistake, with line and cure, and is silent on the specs that ship."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.workshop.spec import Finding, SpecRefusedError, check_spec, checked_spec, parse_spec, read_spec

OPERATIONS = Path(__file__).parents[2] / "src" / "tilewright" / "ops"
SPECS = sorted(OPERATIONS.glob("*/spec.toml"))
TEXTS = {path.parent.name: path.read_text() for path in SPECS}
CENTRALIZE, VARIANCE, STANDARDIZE, LAYERNORM = (
    TEXTS[name] for name in ("centralize_w_rm", "variance_w_rm", "standardize_w_rm", "layernorm_fused_rm")
)
# Its compute kernel tilizes gamma; layernorm's reader puts it into tiles itself.
RMS_NORM = (Path(__file__).parents[2] / "examples" / "rms_norm_w_rm" / "spec.toml").read_text()
CENTRE_CALL = "sub_bcast_cols(in_tiled, mean, centralized, B, keep_b=True)"
SQUARE_PHASE = """[[phase]]
name = "square_row"
each = "block"
call = "square(centralized, squared, B)"
reference = "centre**2"
"""
PADDING_BUFFER = """
[[buffer]]
index = 9
name = "spare"
pages = 1
producer = "compute"
consumer = "compute"
lifetime = "streaming"
purpose = "nothing"

[output]"""


EPSILON = """[parameters.epsilon]
default = 1e-5
range = "> 0"
error = "Epsilon must be positive, got {}"
"""


def changed(text: str, *replacements: tuple[str, str]) -> str:
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def findings(text: str) -> list[Finding]:
    return check_spec(parse_spec(text))


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.parent.name)
def test_shipped_specs_make_sense(path: Path) -> None:
    assert check_spec(read_spec(path)) == []


def buffer_entry(text: str, name: str, key: str, value: str) -> str:
    """The spec with another entry of one buffer."""
    head, _, rest = text.partition(f"[[buffer]]\nindex = {_index(text, name)}\n")
    table, separator, tail = rest.partition("\n\n")
    lines = [line for line in table.splitlines() if not line.startswith(f"{key} = ")]
    body = "\n".join([f"index = {_index(text, name)}", *lines, f"{key} = {value}"])
    if key == "index":
        body = "\n".join([f"index = {value}", *lines])
    return f"{head}[[buffer]]\n{body}{separator}{tail}"


def _index(text: str, name: str) -> int:
    return parse_spec(text).buffer(name).index


CASES = [
    ("lifetime", buffer_entry(STANDARDIZE, "epsilon", "lifetime", '"streaming"'), "lifetime", "once", "persistent"),
    # (rule, text, what the line shows, a piece of the cause, a piece of the cure)
    ("one-producer", buffer_entry(VARIANCE, "mean", "producer", '"reader"'), "producer", "two producers", '"compute"'),
    ("one-producer", buffer_entry(VARIANCE, "mean", "producer", '"writer"'), "producer", "cannot be", "reader"),
    ("one-producer", changed(VARIANCE, ("[output]", PADDING_BUFFER.strip())), "producer", "no producer", "add a phase"),
    ("one-consumer", buffer_entry(VARIANCE, "mean", "consumer", '"writer"'), "consumer", "two consumers", '"compute"'),
    ("one-consumer", changed(VARIANCE, ("[output]", PADDING_BUFFER.strip())), "consumer", "no consumer", "add a phase"),
    ("pages-cover-wait", buffer_entry(VARIANCE, "in_tiled", "pages", '"B"'), "call", "room for 2", "more pages"),
    ("pages-cover-wait", buffer_entry(VARIANCE, "scaler", "pages", "1"), "call", "waits for 2 pages", "more pages"),
    ("pages-cover-push", buffer_entry(CENTRALIZE, "out_rm", "pages", "1"), "call", "pushes", "more pages"),
    ("pages-cover-push", buffer_entry(LAYERNORM, "inv_std", "pages", "1"), "call", "still full", "pop them before"),
    (
        "read-twice-is-kept",
        changed(VARIANCE, ("keep=True, partial", "partial")),
        "call",
        "phase mean (line",
        "write keep=True in the call of mean",
    ),
    (
        "read-twice-is-kept",
        changed(VARIANCE, (CENTRE_CALL, CENTRE_CALL.replace(", keep_b=True", ""))),
        "call",
        "its call for the block before popped them",
        "write keep_b=True in the call of centre",
    ),
    (
        "pages-balance",
        changed(STANDARDIZE, ("sub_bcast_cols(in_tiled, mean, centralized, Wt)", CENTRE_CALL.replace("B,", "Wt,"))),
        "lifetime",
        "1 pages of mean are left after every tile-row",
        "let its last reader pop them: phase centre",
    ),
    (
        "written-before-read",
        changed(VARIANCE, (SQUARE_PHASE, ""), ("square_row.mean", "x.mean"), ("[work]", f"{SQUARE_PHASE}\n[work]")),
        "call",
        "nobody has pushed any",
        "put a phase that pushes squared before variance",
    ),
    (
        "pages-match",
        changed(STANDARDIZE, ("centralized, Wt)", "centralized, B)")),
        "call",
        "are there",
        "agree on the number of tiles",
    ),
    ("whole-blocks", buffer_entry(CENTRALIZE, "out_rm", "pages", '"B + 1"'), "call", "run over the end", "multiple"),
    (
        "broadcast-fits-region",
        changed(VARIANCE, ("sub_bcast_cols", "sub_bcast_scalar")),
        "call",
        "takes element [0,0] of mean, which has its data in column 0",
        "_bcast_cols",
    ),
    (
        "broadcast-fits-region",
        changed(
            STANDARDIZE,
            (
                "mul_bcast_cols(centralized, inv_std, standardized, B",
                "mul_bcast_rows(centralized, inv_std, standardized, B",
            ),
        ),
        "call",
        "takes row 0 of inv_std",
        "_bcast_cols",
    ),
    (
        "scaler-is-no-operand",
        changed(
            STANDARDIZE,
            (
                'call = "add_rsqrt(variance, epsilon, inv_std)"',
                'call = "add(variance, scaler, inv_std, 1, keep_b=True)"',
            ),
        ),
        "call",
        "rows 0 and 16",
        "_bcast_scalar",
    ),
    (
        "rows-or-tiles",
        changed(STANDARDIZE, ("standardized, B, keep_b=True)", "out_rm, B, keep_b=True)")),
        "call",
        "out_rm gets tiles from one phase and rows from another",
        "its own buffer",
    ),
    (
        "rows-or-tiles",
        changed(VARIANCE, ("reduce_row_mean(in_tiled", "reduce_row_mean(in_rm")),
        "call",
        "holds rows",
        "tilize",
    ),
    (
        "phase-exists",
        changed(VARIANCE, ("square(centralized", "squere(centralized")),
        "call",
        "did you mean square?",
        "phases there are",
    ),
    (
        "phase-exists",
        changed(VARIANCE, ("square(centralized", "fill_scaler_tile(centralized")),
        "call",
        "readers",
        "holds",
    ),
    (
        "phase-call",
        changed(VARIANCE, ("square(centralized, squared, B)", "centralized ** 2")),
        "call",
        "no call",
        "tilize(",
    ),
    (
        "phase-arguments",
        changed(VARIANCE, ("square(centralized, squared, B)", "square(centralized, squared)")),
        "call",
        "not given num_tiles",
        "it is square(",
    ),
    (
        "phase-arguments",
        changed(VARIANCE, ("squared, B)", "squared, B, kep=True)")),
        "call",
        "did you mean keep?",
        "it is square(",
    ),
    (
        "phase-arguments",
        changed(VARIANCE, ("square(centralized, squared", "square(centralised, squared")),
        "call",
        "did you mean centralized?",
        "buffers there are",
    ),
    ("phase-arguments", changed(VARIANCE, ("squared, B)", "squared, Ht)")), "call", "Ht means nothing here", "Wt, B"),
    (
        "phase-arguments",
        changed(VARIANCE, ("untilize(variance, out_rm, 1)", "untilize(variance, out_rm, block)")),
        "call",
        "`block`",
        "leave `block` out",
    ),
    (
        "phase-arguments",
        changed(VARIANCE, ("keep=True, partial", "keep=1, partial")),
        "call",
        "keep of phase mean is 1",
        "True or False",
    ),
    (
        "phase-contract",
        changed(LAYERNORM, ('gives = { cb_out = "whole tile" }', 'gives = { cb_out = "hole tile" }')),
        "gives",
        "did you mean whole tile?",
        "allowed",
    ),
    (
        "phase-contract",
        changed(LAYERNORM, ('pops = { cb_in = "0", cb_mean = "0" }', 'pops = { cb_in = "0" }')),
        "pops",
        "pops of sum_squared",
        "must have",
    ),
    (
        "reader-and-writer",
        changed(
            buffer_entry(RMS_NORM, "gamma_tiled", "lifetime", '"kept until scale"'),
            ('name = "tilize_gamma"\nonce = true\n', 'name = "tilize_gamma"\n'),
        ),
        "[[buffer]]",
        "brings",
        "once = true",
    ),
    (
        "reader-fills",
        buffer_entry(LAYERNORM, "gamma_rm", "holds", '"input"'),
        "holds",
        "no other buffer gets what it holds",
        "as tiles",
    ),
    (
        "lifetime",
        buffer_entry(LAYERNORM, "gamma_tiled", "lifetime", '"kept until normalize_row"'),
        "lifetime",
        "they do not stay",
        "persistent",
    ),
    ("page-kind", buffer_entry(LAYERNORM, "gamma_rm", "pages", "32"), "page", "one stick", "pages = 1"),
    (
        "rows-in-blocks",
        changed(LAYERNORM, ('name = "tilize_row"\n', 'name = "tilize_row"\nonce = true\n')),
        "call",
        "the input comes for every tile-row",
        "leave `once` out",
    ),
    ("work-count", changed(VARIANCE, ('"N*C*Ht"', '"Ht"')), "count", "one matrix", 'count = "N*C*Ht"'),
    ("fits-l1", changed(VARIANCE, ("passes = 2\n", "")), "shape", "wide row does not fit L1 of wormhole_b0", "stream"),
    ("passes", changed(VARIANCE, ("passes = 2", "passes = 3")), "passes", "2 times", "passes = 2"),
    ("buffer-index", buffer_entry(VARIANCE, "mean", "index", "32"), "index", "c_32 does not exist", "c_0 to c_31"),
    ("buffer-index", buffer_entry(VARIANCE, "mean", "index", "4"), "index", "c_4 is taken", "once"),
    ("unique-names", changed(VARIANCE, ('name = "square_row"', 'name = "centre"')), "name", "centre is taken", "once"),
    (
        "unique-names",
        changed(VARIANCE, ('name = "square_row"', 'name = "stub"')),
        "name",
        "something else",
        "another name",
    ),
    (
        "requirement-text",
        changed(VARIANCE, ('error = "Input must be interleaved"\n', "")),
        "[[requirement]]",
        "no error text",
        "error =",
    ),
    (
        "requirement-text",
        changed(VARIANCE, ('property = "width"', 'property = "rank"')),
        "property",
        "rank is taken",
        "once",
    ),
    ("tolerance-has-reason", changed(VARIANCE, ("bound = 0.0078125\n", "")), "[[test]]", "no tolerance", "bound"),
    (
        "tolerance-has-reason",
        changed(VARIANCE, ('why = "2^-7: two roundings to bfloat16, which has 8 significant bits"\n', "")),
        "[[test]]",
        "where its tolerance comes from",
        "why",
    ),
    (
        "lifetime",
        buffer_entry(VARIANCE, "in_tiled", "lifetime", '"streaming"'),
        "lifetime",
        "mean and centre",
        "kept until centre",
    ),
    (
        "lifetime",
        buffer_entry(VARIANCE, "in_tiled", "lifetime", '"kept until mean"'),
        "lifetime",
        "reads it last",
        "kept until centre",
    ),
    (
        "lifetime",
        buffer_entry(VARIANCE, "in_tiled", "lifetime", '"kept until center"'),
        "lifetime",
        "no phase",
        "did you mean centre?",
    ),
    (
        "lifetime",
        buffer_entry(VARIANCE, "in_tiled", "lifetime", '"for ever"'),
        "lifetime",
        "means nothing",
        "persistent",
    ),
    ("lifetime", buffer_entry(VARIANCE, "squared", "lifetime", '"persistent"'), "lifetime", "pops it", "keep it"),
    (
        "reader-fills",
        buffer_entry(STANDARDIZE, "epsilon", "holds", '"epsilom"'),
        "holds",
        "did you mean epsilon?",
        "one of",
    ),
    ("reader-fills", buffer_entry(VARIANCE, "mean", "holds", '"input"'), "holds", "filled by the compute", "leave"),
    (
        "reader-fills",
        changed(
            VARIANCE,
            (
                "[output]",
                EPSILON + "\n[output]",
            ),
        ),
        "[parameters.epsilon]",
        "no buffer holds epsilon",
        "holds",
    ),
    (
        "parameter-known",
        changed(STANDARDIZE, ("[parameters.epsilon]", "[parameters.alpha]")),
        "[parameters.alpha]",
        "alpha",
        "epsilon is the one",
    ),
    ("page-count", buffer_entry(VARIANCE, "mean", "pages", '"Ht"'), "pages", "Ht means nothing", "2*B"),
    ("page-count", buffer_entry(VARIANCE, "mean", "pages", '"Wt*Wt"'), "pages", "no sum", "2*B"),
    ("page-kind", buffer_entry(VARIANCE, "in_rm", "page", '"stick"'), "page", "as tiles", "tilize_sticks"),
    (
        "rows-in-blocks",
        changed(CENTRALIZE, ("tilize(in_rm, in_tiled, B)", "tilize(in_rm, in_tiled, Wt)"), ('each = "block"\n', "")),
        "call",
        "in blocks of B",
        'each = "block"',
    ),
    (
        "rows-in-blocks",
        changed(CENTRALIZE, ('shape = "same"', 'shape = "last dimension 1"')),
        "call",
        "one element",
        "num_tiles 1",
    ),
    (
        "sum-is-float32",
        buffer_entry(VARIANCE, "variance", "format", '"bfloat16"'),
        "format",
        "the packer adds",
        "float32",
    ),
    (
        "max-sees-padding",
        changed(
            CENTRALIZE,
            (
                "reduce_row_mean(in_tiled, scaler, mean, Wt, mean_factor_bits, keep=True, partial=partial)",
                "reduce_row_max(in_tiled, scaler, mean, Wt, keep=True)",
            ),
        ),
        "shape",
        "rows of 100 end inside a tile, and mean takes the zeros",
        "widths of whole tiles",
    ),
    (
        "reference-known",
        changed(VARIANCE, ('"centre**2"', '"center**2"')),
        "reference",
        "did you mean centre?",
        "known here",
    ),
    ("reference-known", changed(VARIANCE, ('"centre**2"', '"centre squared"')), "reference", "no NumPy", "reference ="),
    ("reference-known", changed(VARIANCE, ('torch = "', 'torch = "x +* ')), "torch", "no torch expression", "torch ="),
    ("reference-known", changed(VARIANCE, ('torch = "', 'torch = "gamma * ')), "torch", "names gamma", "known here"),
    ("unique-names", changed(VARIANCE, ('"variance_w_rm"', '"vårians"')), "name", "name of a package", "variance_w_rm"),
]


@pytest.mark.parametrize(("rule", "text", "line", "cause", "cure"), CASES, ids=[case[0] for case in CASES])
def test_each_rule_finds_its_mistake(rule: str, text: str, line: str, cause: str, cure: str) -> None:
    found = [each for each in findings(text) if each.rule == rule]
    assert found, [each.rule for each in findings(text)]
    assert any(cause in each.cause and cure in each.cure for each in found), found
    shown = [text.splitlines()[each.line - 1] for each in found]
    assert any(line in each for each in shown), shown


def test_findings_come_in_the_order_of_lines() -> None:
    text = changed(VARIANCE, ('"N*C*Ht"', '"Ht"'), ('"centre**2"', '"center**2"'))
    lines = [each.line for each in findings(text)]
    assert len(lines) == 2
    assert lines == sorted(lines)


def test_a_refused_spec_says_everything(tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(changed(VARIANCE, ('"N*C*Ht"', '"Ht"')))
    with pytest.raises(SpecRefusedError) as caught:
        checked_spec(path)
    text = str(caught.value)
    number = path.read_text().splitlines().index('count = "Ht"') + 1
    assert f"{path}:{number}: error[work-count]: Ht counts the tile-rows of one matrix" in " ".join(text.split())
    assert f'{number:>5} | count = "Ht"' in text
    assert '= cure: write count = "N*C*Ht"' in text
