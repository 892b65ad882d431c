# SPDX-License-Identifier: Apache-2.0
"""Sandbox of a candidate's processes: files by Landlock, system calls by seccomp, resources by limits.

None of the three needs privileges or can be undone by the process or its children. Landlock denies every path that is
not listed, /proc included, so memory and open files of other processes cannot be reached either.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import struct
from collections.abc import Sequence
from pathlib import Path

from tilewright._errors import TilewrightError

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_OLDEST_ABI = 3  # truncating a file is denied from here on
_FILE_RIGHTS = {3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
_FOR_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | 1 << 14 | 1 << 15  # rights that a rule of a single file may have
_NET_RIGHTS = 3  # bind and connect, TCP
_SCOPES = 3  # abstract sockets and signals

_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER_MODE = 38, 22, 2
_X86_64 = 0xC000003E
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM, _ENOSYS = 1, 38
_LOAD, _JUMP_EQUAL, _JUMP_SET, _JUMP_FROM, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_THREAD = 0x00010000  # CLONE_THREAD
_RESERVED_MIB = 1 << 16
_X32 = 0x40000000  # numbers of another set of calls

# Calls of x86-64 that no process of a candidate makes, by what they would reach.
_DENIED = {
    "the network": (41, 42, 43, 49, 50, 288),
    "other processes": (101, 310, 311, 312, 424, 434, 438, 440),
    "mounts and namespaces": (155, 161, 165, 166, 272, 308, 428, 429, 430, 431, 432, 442),
    "memory that outlives the process": (29, 30, 31, 64, 65, 66, 68, 69, 70, 71, 240, 241, 242, 243, 244, 245),
    "the kernel": (103, 167, 168, 169, 170, 171, 172, 173, 175, 176, 179, 246, 298, 304, 313, 320, 321, 323),
    "rings of calls that no filter sees": (425, 426, 427),
    "keys": (248, 249, 250),
    "the clock": (159, 164, 227, 305),
}
# Besides these, where Python of a candidate runs.
_DENIED_TO_PYTHON = {
    "programs and signals": (57, 58, 59, 62, 322),
    "sockets": (44, 45, 46, 47, 53, 299, 307),
    "modes, owners and dates of files, which Landlock does not cover": (
        *(85, 90, 91, 92, 93, 94, 132, 188, 189, 190, 197, 198, 199, 235, 260, 261, 268, 280, 452),
    ),
}
_CLONE, _CLONE3, _TGKILL, _TKILL, _PRLIMIT = 56, 435, 234, 200, 302


class SandboxError(TilewrightError):
    """This system cannot keep candidates apart; the message names what is missing."""

    exit_status = 2


def _call(*arguments: object) -> int:
    library = ctypes.CDLL(None, use_errno=True)
    result: int = library.syscall(*arguments)
    return result


def missing() -> str:
    """Features of a sandbox that this system lacks, in words; empty: none."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return f"the sandbox is for Linux on x86-64, this is {platform.system()} on {platform.machine()}"
    abi = _call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    if abi < _OLDEST_ABI:
        has = f"version {abi}" if abi > 0 else "none"
        return f"the sandbox needs Landlock, version {_OLDEST_ABI} or newer (Linux 6.2); this system has {has}"
    return ""


def require_sandbox() -> None:
    """Raises SandboxError where a candidate could not be kept apart."""
    reason = missing()
    if reason:
        raise SandboxError(reason)


def confine(readable: Sequence[Path], writable: Sequence[Path], is_python: bool) -> None:
    """Take everything from this process, and those it will start, that is not listed.

    Args:
        readable: files and directories it may read and execute.
        writable: those it may also change.
        is_python: a candidate's Python runs here: no processes either.
    """
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        raise SandboxError("the system does not give up privileges (PR_SET_NO_NEW_PRIVS)")
    _restrict_files(readable, writable)
    _filter_calls(is_python)


def _restrict_files(readable: Sequence[Path], writable: Sequence[Path]) -> None:
    abi = _call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    rights = _FILE_RIGHTS[min(abi, 5)]
    attributes = struct.pack("<QQQ", rights, _NET_RIGHTS if abi >= 4 else 0, _SCOPES if abi >= 6 else 0)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    rules = _call(_CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint32(0))
    if rules < 0:
        raise SandboxError(f"Landlock: {os.strerror(ctypes.get_errno())}")
    for paths, allowed in ((readable, _READ), (writable, rights)):
        for path in paths:
            _allow(rules, path, allowed)
    if _call(_RESTRICT_SELF, ctypes.c_int(rules), ctypes.c_uint32(0)) != 0:
        raise SandboxError(f"Landlock: {os.strerror(ctypes.get_errno())}")
    os.close(rules)


def _allow(rules: int, path: Path, allowed: int) -> None:
    try:
        file = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # not there, so there is nothing to reach
    try:
        if not path.is_dir():
            allowed &= _FOR_FILES
        rule = struct.pack("<Qi", allowed, file)
        if _call(_ADD_RULE, ctypes.c_int(rules), ctypes.c_int(1), rule, ctypes.c_uint32(0)) != 0:
            raise SandboxError(f"Landlock: {path}: {os.strerror(ctypes.get_errno())}")
    finally:
        os.close(file)


def _filter_calls(is_python: bool) -> None:
    """The filter: a list of tests of the call's number, each followed by its answer."""
    code = [(_LOAD, 0, 0, 4), (_JUMP_EQUAL, 1, 0, _X86_64), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    code += [(_JUMP_FROM, 0, 1, _X32), (_RETURN, 0, 0, _KILL)]
    lists = (_DENIED, _DENIED_TO_PYTHON) if is_python else (_DENIED,)
    denied = [number for each in lists for numbers in each.values() for number in numbers]
    if is_python:
        # Threads, but no processes; the C library falls back from the newer call to the one whose flags can be seen.
        code += [(_JUMP_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ERRNO | _ENOSYS)]
        code += [(_JUMP_EQUAL, 0, 4, _CLONE), (_LOAD, 0, 0, 16), (_JUMP_SET, 0, 1, _THREAD)]
        code += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ERRNO | _EPERM)]
        # Signals to itself only, limits of itself only.
        for number, own in ((_TGKILL, os.getpid()), (_PRLIMIT, 0)):
            code += [(_JUMP_EQUAL, 0, 4, number), (_LOAD, 0, 0, 16), (_JUMP_EQUAL, 0, 1, own)]
            code += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ERRNO | _EPERM)]
        denied.append(_TKILL)
    for number in denied:
        code += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | _EPERM)]
    code.append((_RETURN, 0, 0, _ALLOW))
    program = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *each) for each in code))
    header = struct.pack("<HxxxxxxQ", len(code), ctypes.addressof(program))
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(_SET_SECCOMP, _FILTER_MODE, ctypes.c_char_p(header), 0, 0) != 0:
        raise SandboxError(f"seccomp: {os.strerror(ctypes.get_errno())}")


def limit_resources(memory_mib: int, seconds: int, is_python: bool) -> None:
    """Limits of this process and those it starts: memory and processor time, and for Python no file at all.

    An engine reserves more than it uses, and a chip's memory is mapped from files: where kernels run, the parent
    watches what is in use, and this limit is a second one above it.
    """
    size = (memory_mib if is_python else memory_mib + _RESERVED_MIB) << 20
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS if is_python else resource.RLIMIT_DATA, (size, size))
    if is_python:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
