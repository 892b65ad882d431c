# SPDX-License-Identifier: Apache-2.0
"""Candidates that attack the grader, each with the outcome it must get and words of its message.

@TASK@ is the path of the task, @OTHERS@ the directory of the candidates, @CACHE@ the shared cache.
"""

from __future__ import annotations

Attack = tuple[str, str, str]  # text, outcome, part of the message

_SYSCALL = """
import ctypes, os
library = ctypes.CDLL(None, use_errno=True)
result = library.syscall(@CALL@)
raise SystemError(f"{result} {os.strerror(ctypes.get_errno())}")
"""
_FORGED = """
import json, os, struct
data = json.dumps(@ANSWER@).encode()
os.write(3, struct.pack("<Q", len(data)) + data)
os._exit(0)
"""
_HUGE = {
    "address": 0,
    "is_dram": True,
    "page_size": 1 << 60,
    "num_pages": 1 << 60,
    "tensor": None,
}
_DESCRIBED = {"buffers": [_HUGE], "num_inputs": 1, "events": [], "outputs": [0]}

HOST: dict[str, Attack] = {
    "reads the task": ("open('@TASK@').read()", "refused", "Permission denied"),
    "lists other candidates": ("import os; os.listdir('@OTHERS@')", "refused", "Permission denied"),
    "reads memory of its parent": (
        "import os; open(f'/proc/{os.getppid()}/mem', 'rb').read(1)",
        "refused",
        "Permission denied",
    ),
    "reads its own environment": ("open('/proc/self/environ').read()", "refused", "Permission denied"),
    "attaches to its parent": (_SYSCALL.replace("@CALL@", "101, 16, os.getppid(), 0, 0"), "refused", "not permitted"),
    "copies memory of its parent": (
        _SYSCALL.replace("@CALL@", "310, os.getppid(), 0, 0, 0, 0, 0"),
        "refused",
        "not permitted",
    ),
    "opens a ring of calls": (_SYSCALL.replace("@CALL@", "425, 1, 0"), "refused", "not permitted"),
    "makes a namespace": (_SYSCALL.replace("@CALL@", "272, 0x10000000"), "refused", "not permitted"),
    "opens a socket": ("import socket; socket.socket()", "refused", "not permitted"),
    "forks for ever": ("import os\nwhile True: os.fork()", "refused", "not permitted"),
    "starts a program": ("import subprocess; subprocess.run(['/bin/true'])", "refused", "not permitted"),
    "ends its parent": ("import os; os.kill(os.getppid(), 9)", "refused", "not permitted"),
    "takes all memory": ("kept = []\nwhile True: kept.append(bytearray(1 << 26))", "refused", "MemoryError"),
    "fills a file in memory": (
        "import os\nfile = os.memfd_create('x')\nwhile True: os.write(file, bytes(1 << 20))",
        "refused",
        "File too large",
    ),
    "fills the disk": ("open('@OTHERS@' + '/evil', 'w').write('x')", "refused", "Permission denied"),
    "poisons the shared cache": ("open('@CACHE@' + '/kernels/x.json', 'w')", "refused", "Permission denied"),
    "changes modes of files": ("import os; os.chmod('@OTHERS@' + '/good.py', 0o777)", "refused", "not permitted"),
    "sleeps": ("import time; time.sleep(1000)", "limit", "time was up"),
    "ends its process": ("import os; os._exit(0)", "refused", "ended its process"),
    "crashes": ("import ctypes; ctypes.string_at(8)", "refused", "ended its process"),
    "forges a record": (
        _FORGED.replace("@ANSWER@", repr({"outcome": "ok", "score": 1, "cases": []})),
        "refused",
        "forged",
    ),
    "forges tensors without end": (
        _FORGED.replace("@ANSWER@", repr({"cases": [_DESCRIBED] * 2})),
        "refused",
        "Out of Memory",
    ),
    "sends without end": (
        "import os, struct\nos.write(3, struct.pack('<Q', 1 << 50))\nwhile True: os.write(3, bytes(1 << 20))",
        "refused",
        "sent more than 64 MiB",
    ),
    "raises what has no text": (
        "class Odd(Exception):\n    def __str__(self): raise Odd()\nraise Odd()",
        "refused",
        "its text cannot be had",
    ),
    "reads its inputs": (
        "from tilewright import ttnn\ndef candidate(x): return ttnn.to_numpy(x)",
        "refused",
        "no values to read",
    ),
}

_INIT = "mul_tiles_init(0, 0);"
# Stores to globals cost a checked run many times what stores to the stack do, and a timed run as much as those. The
# least of many measurements does not depend on the load of the machine.
_CLOCK = """
extern "C" int snprintf(char*, unsigned long, const char*, ...);
static volatile int global;
static bool is_timed() {
    const auto clock = (int (*)(int, long*))((char*)&snprintf + (@CLOCK@));
    long least[2] = {1000000000, 1000000000};
    for (int turn = 0; turn < 100; turn++) {
        volatile int local = 0;
        long begin[2], middle[2], end[2];
        clock(1, begin);
        for (int i = 0; i < 500; i++) local = local + i;
        clock(1, middle);
        for (int i = 0; i < 500; i++) global = global + i;
        clock(1, end);
        const long times[2] = {(middle[0] - begin[0]) * 1000000000 + middle[1] - begin[1],
                               (end[0] - middle[0]) * 1000000000 + end[1] - middle[1]};
        for (int i = 0; i < 2; i++) least[i] = times[i] < least[i] ? times[i] : least[i];
    }
    return least[1] < 3 * least[0];
}
"""
# Changes of the right kernel: what is replaced, by what, and the outcome.
KERNELS: dict[str, tuple[str, str, str, str]] = {
    "includes the task": ("#include", '#include "@TASK@"\n#include', "not-compiled", "Permission denied"),
    "includes an endless file": ("#include", '#include "/dev/zero"\n#include', "not-compiled", "Permission denied"),
    "assembles": (_INIT, '__asm__("nop");', "not-compiled", "poisoned"),
    "assembles behind a macro": (
        "void kernel_main",
        '#define PASTE(a, b) a##b\nvoid other() { PASTE(as, m)("nop"); }\nvoid kernel_main',
        "not-compiled",
        "poisoned",
    ),
    "compiles for ever": (
        "#include",
        "#if __INCLUDE_LEVEL__ < 150\n#include __FILE__\n#include __FILE__\n#endif\n#include",
        "not-compiled",
        "limit of the compiler",
    ),
    "hangs": ("cb_push_back(16, 1);", "", "not-ended", "DeadlockError"),
    "takes a clock from the C library": (
        "void kernel_main() {",
        'extern "C" int clock_gettime(int, long*);\nvoid kernel_main() { long time[2]; clock_gettime(1, time);',
        "refused",
        "calls clock_gettime",
    ),
    "takes a clock by its mangled name": (
        "void kernel_main() {",
        'extern "C" long _ZNSt6chrono3_V212steady_clock3nowEv();\n'
        "void kernel_main() { if (!_ZNSt6chrono3_V212steady_clock3nowEv()) return;",
        "refused",
        "calls _ZNSt6chrono3_V212steady_clock3nowEv",
    ),
    "opens a socket": (
        "void kernel_main() {",
        'extern "C" int snprintf(char*, unsigned long, const char*, ...);\n'
        "void kernel_main() { ((long (*)(long, ...))((char*)&snprintf + (@SYSCALL@)))(41, 2, 1, 0);",
        "not-ended",
        "called socket",
    ),
    "writes into the engine": (
        "void kernel_main() {",
        'extern "C" int snprintf(char*, unsigned long, const char*, ...);\n'
        "void kernel_main() { *(volatile char*)&snprintf = 0;",
        "not-ended",
        "neither in L1 nor in the kernel's own stack",
    ),
    "does something else in the timed run": (
        "void kernel_main() {",
        _CLOCK + "void kernel_main() { const bool other = is_timed(); if (other) cb_wait_front(0, 1);",
        "unstable",
        "differently in the checked and the timed run",
    ),
}
