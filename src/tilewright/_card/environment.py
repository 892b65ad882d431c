# SPDX-License-Identifier: Apache-2.0
"""Set up a card in the user's cache, and the environment variables that lead tt-metal to it.

tt-metal looks for its runtime files under one root. It gets a root of ours: a directory of symbolic links to the
installed package, in which only the compiler is another one. So site-packages stays as it is, and what tt-metal
generates goes into the cache. Models of a checkout look for their files under the same root, so it has links to what
only the checkout has, too.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tilewright._build.cache import cache_directory, digest, locked
from tilewright._card.launches.layout import ReleaseLayout, read_layout
from tilewright._card.launches.unset_arguments import WATCHER
from tilewright._card.native_parts import SIMULATOR_NAME, simulator_library, stand_in_compiler
from tilewright._card.package import TtMetal
from tilewright._card.products import PRODUCTS, SLOW, SLOW_DISPATCH, CardModel, cluster_descriptor
from tilewright._card.profiler import without_profiler
from tilewright._card.systems.known_systems import Mesh
from tilewright._card.users_tree import RUNTIME_ROOT, further_entries, hidden_kernels, users_tree

_DESCRIPTION = "card.json"
# Each read of a tensor fills new memory of the host. glibc gives large blocks back to the system when they are freed,
# and getting them again, a page at a time, is half of what a read costs; so it keeps them.
_KEPT_MEMORY = dict.fromkeys(("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"), str(1 << 30))


def environment_with(package: TtMetal, model: CardModel, environment: Mapping[str, str]) -> dict[str, str]:
    """An environment with the variables of the card; warns if kernels of the working directory would be used."""
    if hidden := hidden_kernels(Path.cwd(), package.root):
        print(
            f"tilewright: {len(hidden)} kernels of the working directory differ from those of ttnn {package.version}, "
            f"such as {hidden[0]}; tt-metal takes a kernel of the working directory first. Run from another folder, "
            "with the checkout in PYTHONPATH, unless that is meant",
            file=sys.stderr,
        )
    return {
        **{name: value for name, value in without_profiler(environment).items() if name != SLOW_DISPATCH},
        **card_environment(package, model),
    }


def card_environment(package: TtMetal, model: CardModel) -> dict[str, str]:
    """Variables that make tt-metal use the card, which is set up first if need be.

    With fast dispatch ``SLOW_DISPATCH`` is not among them and must not be set.
    """
    directory = set_up_card(package, model)
    variables = {
        "TT_METAL_SIMULATOR": str(directory / SIMULATOR_NAME),
        **({SLOW_DISPATCH: "1"} if model.dispatch == SLOW else {}),
        RUNTIME_ROOT: str(directory / "root"),
        "TT_METAL_CACHE": str(cache_directory() / "card" / "tt-metal-cache"),
        "TT_METAL_LOGS_PATH": str(cache_directory() / "card" / "logs"),
        # The last core's coordinates. Without command queues some releases would take cores of dispatch for compute.
        "TT_METAL_CORE_GRID_OVERRIDE_TODEPRECATE": f"{model.grid[0] - 1},{model.grid[1] - 1}",
        # Asserts of the watcher, if the user enables it, put a count before the arguments; kernels here expect none.
        f"{WATCHER}_DISABLE_ASSERT": "1",
        "PYTHONPATH": _python_path(),
        "TILEWRIGHT_CARD": str(directory),
        "TILEWRIGHT_CARDS": str(model.mesh.chips),
        "TILEWRIGHT_CARD_PYTHON": sys.executable,
    }
    # tt-metal has a lot to say about a card that is none.
    wishes = {"TT_LOGGER_LEVEL": "error", **_KEPT_MEMORY}
    return {**variables, **{name: value for name, value in wishes.items() if name not in os.environ}}


def _python_path() -> str:
    """Python's path with our stand-ins for modules that need a card, first."""
    ours = str(Path(__file__).resolve().parents[1] / "_python_path")
    others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return os.pathsep.join([ours, *(each for each in others if each not in ("", ours))])


def set_up_card(package: TtMetal, model: CardModel) -> Path:
    """The card's directory; made once for each package, card and version of our library."""
    package.refuse_if_too_old()
    layout = read_layout(package, model.product.arch)
    library, compiler = simulator_library(), stand_in_compiler()
    tree = users_tree(os.environ, Path.cwd(), _DESCRIPTION)
    further = further_entries(tree, package.root)
    description = {
        "product": model.product.name,
        "grid": model.grid,
        "mesh": dataclasses.asdict(model.mesh),
        "root": str(package.root),
        "version": package.version,
        "layout": json.loads(layout.as_json()),
        "users_tree": None if tree is None else str(tree),
        "further": list(map(str, further)),
    }
    text = json.dumps(description)
    key = digest(text, str(library), str(compiler), cluster_descriptor(model), Path(__file__).read_bytes())
    directory = cache_directory() / "card" / "cards" / key
    if (directory / _DESCRIPTION).exists():
        return directory
    with locked(f"card-{key}"):
        if not (directory / _DESCRIPTION).exists():
            _make(directory, package, model, library, compiler, text, further)
    return directory


def _make(
    directory: Path,
    package: TtMetal,
    model: CardModel,
    library: Path,
    compiler: Path,
    text: str,
    further: Sequence[Path],
) -> None:
    directory.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(directory, ignore_errors=True)  # of a process that was killed in the middle
    with tempfile.TemporaryDirectory(dir=directory.parent) as place:
        work = Path(place) / "card"
        work.mkdir()
        shutil.copy(library, work / SIMULATOR_NAME)
        descriptors = package.root / "tt_metal" / "soc_descriptors"
        shutil.copy(descriptors / model.chip.soc_descriptor, work / "soc_descriptor.yaml")
        (work / "cluster_descriptor.yaml").write_text(cluster_descriptor(model))
        _link_root(work / "root", package.root, compiler)
        for entry in further:
            (work / "root" / entry.name).symlink_to(entry)
        (work / _DESCRIPTION).write_text(text)
        work.rename(directory)


def _link_root(root: Path, original: Path, compiler: Path) -> None:
    """Links to everything in the package but its compiler."""
    toolchain = root / "runtime" / "sfpi"
    (toolchain / "compiler" / "bin").mkdir(parents=True)
    (toolchain / "include").mkdir()
    (toolchain / "compiler" / "bin" / "riscv-tt-elf-g++").symlink_to(compiler)
    for entry in original.iterdir():
        if entry.name != "runtime":
            (root / entry.name).symlink_to(entry)
    runtime = original / "runtime"
    for entry in runtime.iterdir() if runtime.is_dir() else ():
        if entry.name != "sfpi":
            (root / "runtime" / entry.name).symlink_to(entry)


def described_card(directory: Path) -> tuple[CardModel, ReleaseLayout, Path]:
    """The card that was set up in a directory: its model, the package's layout and its root."""
    description = json.loads((directory / _DESCRIPTION).read_bytes())
    model = CardModel(PRODUCTS[description["product"]], tuple(description["grid"]), Mesh(**description["mesh"]))
    return model, ReleaseLayout(**description["layout"]), Path(description["root"])
