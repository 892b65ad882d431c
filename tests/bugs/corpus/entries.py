# SPDX-License-Identifier: Apache-2.0
"""All bugs and all controls."""

from __future__ import annotations

from tests.bugs.corpus.addresses import ADDRESSES
from tests.bugs.corpus.compute import COMPUTE
from tests.bugs.corpus.contract import CONTRACT
from tests.bugs.corpus.controls import CONTROLS
from tests.bugs.corpus.credits import CREDITS
from tests.bugs.corpus.host_contract import HOST_CONTRACT
from tests.bugs.corpus.missing_credits import MISSING_CREDITS
from tests.bugs.corpus.noc_order import NOC_ORDER
from tests.bugs.corpus.semaphores import SEMAPHORES

CLASSES = (CREDITS, MISSING_CREDITS, CONTRACT, NOC_ORDER, SEMAPHORES, COMPUTE, ADDRESSES, HOST_CONTRACT)
BUGS = tuple(bug for bug_class in CLASSES for bug in bug_class.bugs)

__all__ = ["BUGS", "CLASSES", "CONTROLS"]
