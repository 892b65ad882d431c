# SPDX-License-Identifier: Apache-2.0
"""Starts processes for candidates: a process that has imported everything, and forks one child for each request.

    python -m tilewright._grade.zygote SOCKET

A request on the socket is the role of the child and its limits in JSON, with one end of a socket pair. The child reads
what it has to do from there, so nothing of a candidate is ever in this process. The answer is how the child ended.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import signal
import socket
import struct
import sys
import time
import traceback
from pathlib import Path
from typing import Any

_ROLES = {
    "describe": "tilewright._grade.describe",
    "execute": "tilewright._grade.execute",
    "build": "tilewright._grade.build_folder",
}
_LOOK_SECONDS = 0.02
_SUBREAPER = 36
_LENGTH = struct.Struct("<Q")
_PAGE_MIB = os.sysconf("SC_PAGE_SIZE") / 2**20
CONNECTION = 3  # the child's end of the socket pair


def send_message(connection: socket.socket, message: dict[str, Any]) -> None:
    """Send one JSON object; by a plain write, as calls of sockets are denied to some processes."""
    text = json.dumps(message).encode()
    data = memoryview(_LENGTH.pack(len(text)) + text)
    while data:
        data = data[os.write(connection.fileno(), data) :]


def read_message(connection: socket.socket, most: int) -> dict[str, Any] | None:
    """The JSON object that the other end sends; None where it ends before, or sends more than allowed."""
    head = _read(connection, _LENGTH.size)
    if head is None or _LENGTH.unpack(head)[0] > most:
        return None
    data = _read(connection, _LENGTH.unpack(head)[0])
    try:
        message = json.loads(data) if data is not None else None
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def _read(connection: socket.socket, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        try:
            part = connection.recv(min(1 << 20, size - len(data)))
        except ConnectionError:
            return None
        if not part:
            return None
        data += part
    return bytes(data)


def main(control: socket.socket) -> None:
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    modules = {role: importlib.import_module(name) for role, name in _ROLES.items()}
    for module in modules.values():
        module.prepare()
    gc.freeze()
    while True:
        data, files, _, _ = socket.recv_fds(control, 4096, 1)
        if not data:
            return
        request = json.loads(data)
        process = os.fork()
        if process == 0:
            _run_child(modules[request["role"]], files[0], control)
        os.close(files[0])
        ended = _wait(process, request["seconds"], request["memory_mib"])
        _end_orphans()
        control.send(json.dumps(ended).encode())


def _run_child(module: Any, file: int, control: socket.socket) -> None:
    """Do what the request says; never returns."""
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        control.detach()
        if file != CONNECTION:
            os.dup2(file, CONNECTION, inheritable=False)
        os.closerange(CONNECTION + 1, 1 << 16)
        connection = socket.socket(fileno=CONNECTION)
        try:
            module.serve(connection)
        except Exception as error:  # of ours: what a candidate does wrong is an answer
            frame = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(frame.filename).name}:{frame.lineno}"
            send_message(connection, {"outcome": "error", "message": f"{place}: {type(error).__name__}: {error}"})
    finally:
        os._exit(0)


def _wait(process: int, seconds: float, memory_mib: float) -> dict[str, Any]:
    """How a child ended: its status, or the limit it was ended at."""
    until = time.monotonic() + seconds
    limit = ""
    while True:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return {"limit": limit, "status": status}
        if not limit and time.monotonic() > until:
            limit = "time"
        elif not limit and _used_mib(process) > memory_mib:
            limit = "memory"
        if limit:
            os.kill(process, signal.SIGKILL)
        time.sleep(_LOOK_SECONDS)


def _descendants(process: int) -> list[int]:
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:
        return []
    children = list(map(int, text.split()))
    return children + [each for child in children for each in _descendants(child)]


def _used_mib(process: int) -> float:
    """Memory that a process and those below it have in use; of memory that several share, the largest part."""
    own = shared = 0.0
    for each in (process, *_descendants(process)):
        try:
            _, resident, common = map(int, Path(f"/proc/{each}/statm").read_text().split()[:3])
        except (OSError, ValueError):
            continue
        own += resident - common
        shared = max(shared, common)
    return (own + shared) * _PAGE_MIB


def _end_orphans() -> None:
    """Ends what a child left running, such as compilers."""
    for process in _descendants(os.getpid()):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
