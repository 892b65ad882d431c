# SPDX-License-Identifier: Apache-2.0
"""The library tt-metal takes for a simulator, spoken to by a program in C++ that knows no Python."""

from __future__ import annotations

import dataclasses
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tilewright._build.compiler import available_compilers
from tilewright._card.environment import card_environment as environment_of
from tilewright._card.environment import described_card
from tilewright._card.launches.layout import ReleaseLayout, read_layout
from tilewright._card.native_parts import stand_in_compiler
from tilewright._card.package import CardError, TtMetal
from tilewright._card.products import choose_card
from tilewright._tensor.ttnn_names import TTNN_VERSION

CLIENT = Path(__file__).with_name("simulator_client.cpp")
THREADS = Path(__file__).with_name("simulator_threads.cpp")
CORE = (18, 18)
Client = Callable[[list[str]], list[str]]


@dataclasses.dataclass(frozen=True)
class Card:
    layout: ReleaseLayout
    environment: dict[str, str]


@pytest.fixture(scope="session")
def card(wheel: Path, card_environment: dict[str, str]) -> Card:
    variables = environment_of(TtMetal(wheel, TTNN_VERSION), choose_card(grid="2x2"))
    _, layout, _ = described_card(Path(variables["TILEWRIGHT_CARD"]))
    return Card(layout, {**card_environment, **variables, "TILEWRIGHT_CARD_PYTHON": sys.executable})


def compiled(source: Path, directory: Path) -> Path:
    """A program that loads the library, compiled."""
    compiler = next((each for each in available_compilers() if each.family != "zig"), None)
    if compiler is None:
        pytest.skip("no g++ or clang++")
    program = directory / source.stem
    built = compiler.run(["-std=c++20", "-O1", str(source), "-ldl", "-pthread", "-o", str(program)])
    assert built.returncode == 0, built.stderr
    return program


@pytest.fixture(scope="session")
def client(card: Card, tmp_path_factory: pytest.TempPathFactory) -> Client:
    """Compiles the client, and gives a function that runs it with lines on stdin."""
    program = compiled(CLIENT, tmp_path_factory.mktemp("client"))

    def run(lines: list[str]) -> list[str]:
        command = [str(program), card.environment["TT_METAL_SIMULATOR"]]
        given = "\n".join(lines) + "\n"
        result = subprocess.run(
            command, input=given, capture_output=True, text=True, env=card.environment, timeout=120, check=False
        )
        assert result.returncode == 0, result.stderr
        return result.stdout.splitlines()

    return run


def test_environment_set_by_the_user_stays(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", "65536")
    monkeypatch.setenv("TT_LOGGER_LEVEL", "info")
    variables = environment_of(TtMetal(wheel, TTNN_VERSION), choose_card(grid="2x2"))
    assert int(variables["MALLOC_TRIM_THRESHOLD_"]) == 2**30
    assert not {"MALLOC_MMAP_THRESHOLD_", "TT_LOGGER_LEVEL"} & set(variables)


def test_memory_is_where_the_windows_point(client: Client) -> None:
    first, *answers = client(
        [
            "write 18 18 131072 01020304",
            "write 19 18 131072 0506",
            "read 18 18 131072 4",
            "read 19 18 131072 4",
            "multicast 18 18 19 19 262144 aabb",
            *(f"read {x} {y} 262144 2" for x in (18, 19) for y in (18, 19)),
            "write 0 0 2097152 11223344",  # channel 0 of DRAM, at one of its three ports; read at another
            "read 0 11 2097152 4",
            "read 0 11 1075838976 4",  # its second bank
            "write 3 3 64 77",  # nothing of ours: plain memory
            "read 3 3 64 1",
        ]
    )
    assert first == "pci 401e1e52 ffffffff"
    assert answers == ["01020304", "05060000", *["aabb"] * 4, "11223344", "00000000", "77"]


def test_threads_use_the_library_while_another_opens_and_closes_it(card: Card, tmp_path: Path) -> None:
    command = [str(compiled(THREADS, tmp_path)), card.environment["TT_METAL_SIMULATOR"], "3"]
    result = subprocess.run(command, capture_output=True, text=True, env=card.environment, timeout=120, check=False)
    assert (result.returncode, result.stdout) == (0, "worked 1 raised 1 wrong 0\n"), result.stderr


def message(layout: ReleaseLayout, kernel: bytes, enables: int = 1) -> tuple[str, str]:
    """A launch of one kernel on BRISC: the message, and the configuration it points to, as hexadecimal digits."""
    data = bytearray(layout["launch_msg_t"])
    text = 0x200
    struct.pack_into("<I", data, layout.config("kernel_config_base"), layout["MEM_MAP_END"])
    struct.pack_into("<H", data, layout.config("sem_offset"), 0x100)
    struct.pack_into("<HH", data, layout.config("local_cb_offset"), 0x110, 0x120)
    struct.pack_into("<HH", data, layout.config("rta_offset"), 0, 0x80)
    for processor in range(layout["processors"]):
        struct.pack_into("<I", data, layout.config("kernel_text_offset") + 4 * processor, text)
    struct.pack_into("<B", data, layout.config("min_remote_cb_start_index"), 32)
    struct.pack_into("<H", data, layout.config("prefetcher_pipe_offset"), 0xFF)  # none
    data[layout.config("enables")] = enables
    config = bytearray(text) + b"TWKERNEL" + struct.pack("<I", len(kernel)) + kernel
    struct.pack_into("<II", config, 0, 20, 22)
    return data.hex(), config.hex()


def launch_lines(layout: ReleaseLayout, message_hex: str, config_hex: str) -> list[str]:
    go = bytearray(4)
    go[layout["go_msg_t.signal"]] = layout["RUN_MSG_GO"]
    x, y = CORE
    return [
        f"write {x} {y} {layout['MEM_MAP_END']} {config_hex}",
        f"write {x} {y} {layout.launch_address} {message_hex}",
        f"write {x} {y} {layout.go_address} {go.hex()}",
        f"read {x} {y} {layout.go_address + layout['go_msg_t.signal']} 1",
    ]


def built_kernel(directory: Path, source: str) -> bytes:
    """A kernel's directory as tt-metal leaves it, compiled by the stand-in."""
    target = directory / "brisc"
    target.mkdir(parents=True)
    kernel = directory / "kernel.cpp"
    kernel.write_text(source)
    (directory / "kernel_includes.hpp").write_text(f'void kernel_main();\n#include "{kernel}"\n')
    (directory / "chlkc_descriptors.h").write_text("")
    defines = ["-DKERNEL_COMPILE_TIME_ARGS=3", "-DNOC_INDEX=0", "-DADDED=1000"]
    compiler = str(stand_in_compiler())
    subprocess.run([compiler, *defines, "-c", "-o", str(target / "brisck.o"), "brisck.cc"], check=True)
    subprocess.run([compiler, "-o", str(target / "brisc.elf"), str(target / "brisck.o")], check=True)
    assert str(target).encode() in (target / "brisc.elf").read_bytes()
    return str(target).encode()


def test_a_program_runs_when_its_last_core_goes(card: Card, client: Client, tmp_path: Path) -> None:
    kernel = built_kernel(
        tmp_path,
        "void kernel_main() { *reinterpret_cast<volatile uint32_t*>(0x40000) = get_arg_val<uint32_t>(0) "
        '+ get_arg_val<uint32_t>(1) + get_compile_time_arg_val(0) + ADDED; DPRINT << "hello" << ENDL(); }\n',
    )
    lines = launch_lines(card.layout, *message(card.layout, kernel))
    _, *answers = client([*lines, "read 18 18 262144 4", *lines, "read 18 18 262144 4"])
    value = struct.pack("<I", 20 + 22 + 3 + 1000).hex()
    assert answers == ["(0,0) kernel: hello", "00", value] * 2


def test_errors_arrive_where_the_launch_was_made_and_the_card_lives_on(
    card: Card, client: Client, tmp_path: Path
) -> None:
    hangs = built_kernel(
        tmp_path / "hangs", "void kernel_main() { noc_semaphore_wait((uint32_t*)get_semaphore(0), 5); }"
    )
    wrong = built_kernel(tmp_path / "wrong", "void kernel_main() { this_is_no_function(); }")
    works = built_kernel(tmp_path / "works", "void kernel_main() {}")
    lines = [
        line for kernel in (hangs, wrong, works) for line in launch_lines(card.layout, *message(card.layout, kernel))
    ]
    text = "\n".join(client(lines))
    deadlock, compilation = text.index("error: DeadlockError: "), text.index("error: KernelCompileError: ")
    assert deadlock < compilation
    assert "this_is_no_function" in text[compilation:]
    assert text.endswith("\n00\n00"), text  # done, whatever came of it
    unknown = launch_lines(card.layout, *message(card.layout, b"/nowhere/brisc"))
    assert "the record of a kernel is missing" in "\n".join(client(unknown))
    garbage, config = message(card.layout, b"")
    assert "is no kernel built by the card's compiler" in "\n".join(
        client(launch_lines(card.layout, garbage, config.replace(b"TWKERNEL".hex(), "00" * 8)))
    )


def test_a_core_outside_the_grid_is_named(card: Card, client: Client) -> None:
    go = bytearray(4)
    go[card.layout["go_msg_t.signal"]] = card.layout["RUN_MSG_GO"]
    _, answer = client([f"write 25 18 {card.layout.go_address} {go.hex()}"])
    assert answer == (
        "error: tilewright: a kernel was launched on core 25-18, which is outside the grid of the simulated card"
    )


def test_a_release_that_is_too_old_is_refused_by_version(tmp_path: Path) -> None:
    with pytest.raises(CardError, match=r"ttnn 0\.68\.0 .* is too old for the simulated card: .* works is 0\.75"):
        environment_of(TtMetal(tmp_path, "0.68.0"), choose_card())


def test_a_release_that_is_not_understood_is_refused_by_version(tmp_path: Path) -> None:
    headers = tmp_path / "tt_metal" / "hw" / "inc" / "hostdev"
    headers.mkdir(parents=True)
    (headers / "dev_msgs.h").write_text("namespace HAL_BUILD { struct mailboxes_t { int other; }; }\n")
    with pytest.raises(CardError, match=r"not understood: ttnn 9\.9\.9 .* for wormhole_b0(.|\n)*launch"):
        read_layout(TtMetal(tmp_path, "9.9.9"), "wormhole_b0")
