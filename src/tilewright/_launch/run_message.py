# SPDX-License-Identifier: Apache-2.0
"""The message that runs a loaded program."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tilewright._launch.host_memory import HostMemory
from tilewright._launch.launch_arguments import KernelArgumentLayout, LaunchArguments
from tilewright._launch.run_options import RunOptions
from tilewright._launch.runner import Limits, message
from tilewright._program.config_bases import ConfigBases
from tilewright._wire import runner as wire
from tilewright._wire.layout import packer
from tilewright._wire.runner import MessageKind

if TYPE_CHECKING:
    from tilewright._launch.debug_channel import Debugging
    from tilewright._launch.watched_lines import WatchedLines

_BASES = packer(wire.ConfigBasesMessage)
_BASE = packer(wire.ConfigBase)


@dataclasses.dataclass(frozen=True)
class _Last:
    """The last message, and what it was made from."""

    options: RunOptions
    threads: int
    limits: Limits
    head: bytes
    arguments: LaunchArguments | None = None
    message: bytes = b""


class RunMessage:
    """Writes messages that run one program. Most runs have the options of the one before, many its arguments, too."""

    def __init__(self, number: int, layouts: Sequence[KernelArgumentLayout]) -> None:
        self._number = number
        self._layouts = layouts
        self._last: _Last | None = None

    def write(
        self,
        arguments: LaunchArguments,
        options: RunOptions,
        memory: HostMemory | None,
        debugging: Debugging | WatchedLines | None,
    ) -> tuple[bytes, Limits]:
        """The message, and how long the runner may take for it."""
        last = self._with_options(options)
        if memory is not None or debugging is not None:
            head = last.head if memory is None else self._head(options, last.threads, memory)
            more = [*(memory.parts() if memory is not None else ()), *(debugging.request() if debugging else ())]
            return message(MessageKind.RUN, [head, *self._arguments(arguments), *more]), last.limits
        if last.arguments is not arguments:
            text = message(MessageKind.RUN, [last.head, *self._arguments(arguments)])
            last = self._last = dataclasses.replace(last, arguments=arguments, message=text)
        return last.message, last.limits

    def _arguments(self, arguments: LaunchArguments) -> list[bytes]:
        of_kernels = zip(self._layouts, arguments.words, arguments.common, strict=True)
        return [
            *_config_bases(arguments.config_bases),
            *[layout.message(words, common) for layout, words, common in of_kernels],
        ]

    def _with_options(self, options: RunOptions) -> _Last:
        threads, last = options.threads_wanted, self._last
        if last is None or last.options is not options or last.threads != threads:
            limits = Limits(options.time_limit or 0.0, options.spin_limit)
            last = self._last = _Last(options, threads, limits, self._head(options, threads, None))
        return last

    def _head(self, options: RunOptions, threads: int, memory: HostMemory | None) -> bytes:
        return bytes(
            wire.RunRequest(
                program=self._number,
                time_limit=options.time_limit or 0.0,
                spin_limit=options.spin_limit,
                seed=options.seed,
                recorded_circular_buffers=sum(1 << index for index in set(options.record)),
                threads=threads,
                checked=int(options.checked),
                fast=int(options.fast),
                keep_l1=int(options.keep_l1 or bool(options.break_at)),
                debugged=int(bool(options.break_at)),
                watched=int(options.watches_lines),
                num_host_buffers=len(memory.specs) if memory is not None else 0,
                host_buffers_are_all=int(memory is not None and memory.is_all),
            )
        )


def _config_bases(bases: ConfigBases) -> list[bytes]:
    others = b"".join([_BASE.pack(*core, base) for core, base in bases.others])
    return [_BASES.pack(bases.usual, len(bases.others)), others]
