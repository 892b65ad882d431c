# SPDX-License-Identifier: Apache-2.0
"""Errors between a program and its result."""

from __future__ import annotations


class TilewrightError(Exception):
    """Base of every error tilewright raises about a program or its kernels.

    Attributes:
        exit_status: of a command that ends with it; 2 where what it was given is wrong, not what it did.
    """

    exit_status = 1


class CompilerNotFoundError(TilewrightError):
    """No usable C++ compiler on this machine; the message says what to install."""


class CacheError(TilewrightError):
    """The directory for compiled kernels cannot be used; the message names it."""


class CompilerCrashError(TilewrightError):
    """The compiler crashed on a kernel, or cannot compile what others can; the message says what to use instead."""


class KernelCompileError(TilewrightError):
    """A kernel does not compile. The message is the compiler's own, cut to the point.

    Attributes:
        kernel: name of the kernel.
        output: everything the compiler printed.
    """

    def __init__(self, kernel: str, message: str, output: str) -> None:
        super().__init__(f"kernel {kernel} does not compile:\n{message}")
        self.kernel = kernel
        self.output = output


class RunError(TilewrightError):
    """A run that ended before its kernels did.

    Attributes:
        run: the record the run left.
        reason: what happened, without who and where; empty where a run has several reasons.
        rule: id of the checker's rule that was broken, where there is one.
    """

    def __init__(self, message: str, run: object = None, *, reason: str = "", rule: str | None = None) -> None:
        super().__init__(message)
        self.run = run
        self.reason = reason
        self.rule = rule


class DeadlockError(RunError):
    """Nothing can move any more; the message names each waiting kernel, its wait, its line and the first cause."""


class KernelError(RunError):
    """A kernel asked for something that can never work (more pages than a CB has, a bad address, ...)."""


class KernelFaultError(RunError):
    """A kernel touched memory that is not its own, or crashed in another way."""


class SpinningError(RunError):
    """A kernel polls memory that no kernel changes any more."""


class TimeLimitError(RunError):
    """The run took longer than its time limit."""
