# SPDX-License-Identifier: Apache-2.0
"""All bugs and all controls."""

from __future__ import annotations

from corpus.addresses import ADDRESSES
from corpus.compute import COMPUTE
from corpus.contract import CONTRACT
from corpus.controls import CONTROLS
from corpus.credits import CREDITS
from corpus.host_contract import HOST_CONTRACT
from corpus.noc_order import NOC_ORDER
from corpus.semaphores import SEMAPHORES

CLASSES = (CREDITS, CONTRACT, NOC_ORDER, SEMAPHORES, COMPUTE, ADDRESSES, HOST_CONTRACT)
BUGS = tuple(bug for bug_class in CLASSES for bug in bug_class.bugs)

__all__ = ["BUGS", "CLASSES", "CONTROLS"]
