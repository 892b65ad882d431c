# SPDX-License-Identifier: Apache-2.0
"""Runs made by chance, as the breadcrumbs they leave: builds that fail, hangs, red tests that pass, crashes."""

from __future__ import annotations

import random

from tilewright._logs.breadcrumbs import Breadcrumbs
from tilewright._logs.events import CONFIDENCES, ERROR_TYPES, STEPS

_WORDS = ["mean", "tile-row", "c_1", "2*Wt", "reduce<SUM, ROW>", "a|b", "`x`", "stick", "page", "**", "8 shapes", "\n"]


class RandomRun:
    """Writes one run."""

    def __init__(self, seed: int, trail: Breadcrumbs) -> None:
        self.random = random.Random(seed)
        self.trail = trail

    def text(self) -> str:
        return " ".join(self.random.choices(_WORDS, k=self.random.randrange(1, 5))).strip() or "stick"

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def write(self) -> None:
        first = self.random.randrange(1, 7)
        stages = list(range(first, self.random.randrange(first, 8) + 1))
        self.trail.append("start", operation="scale_w_rm", agent="builder", stages=stages, input_files=["spec.md"])
        for _ in range(self.random.randrange(3)):
            confidence = self.random.choice(CONFIDENCES)
            self.trail.append("input_parse", field=self.text(), value=self.text(), confidence=confidence)
        self._buffers()
        self._records()
        for stage in stages:
            if self.chance(0.85):
                self._stage(stage)
        if self.chance(0.2):
            self.trail.append("crash", error="MemoryError: " + self.text())
        elif self.chance(0.8):
            self.trail.append("complete")

    def _buffers(self) -> None:
        pages = ["1", "2", "Wt", "2*Wt"]
        for index in self.random.sample(range(32), self.random.randrange(5)):
            name, asked = f"c_{index}", self.random.choice(pages)
            if self.chance(0.7):
                self.trail.append("cb_requirement", index=name, num_pages=asked, page_size="tile_size")
            if self.chance(0.8):
                given = asked if self.chance(0.7) else self.random.choice(pages)
                self.trail.append("cb_config", index=name, num_pages=given, page_size="tile_size", source="spec.md:9")
            if self.chance(0.7):
                push = self.random.choice(["1 once", "Wt per tile-row", "1 per tile-row"])
                pop = push if self.chance(0.6) else self.random.choice(["0", "1 per tile-row"])
                self.trail.append("cb_sync_check", index=name, push=push, pop=pop, kept=pop == "0" and self.chance(0.7))

    def _records(self) -> None:
        if self.chance(0.5):
            self.trail.append("deviation", what=self.text(), why=self.text())
        for path in ("op.py", "kernels.py"):
            for change in self.random.sample(["created", "modified"], self.random.randrange(3)):
                self.trail.append("artifact", path=path, change=change, lines=self.random.randrange(300))
        self.trail.append("handoff", text=self.text())
        self.trail.append("kernel_implemented", kernel="reader", file="kernels.py", reads="DRAM", writes="c_0")
        self.trail.append("work_distribution", parameter="cores", value=self.text())
        self.trail.append(
            "design_compliance", phase="tilize", directive="USE HELPER", implementation="tilize()", compliant=True
        )

    def _stage(self, stage: int) -> None:
        if self.chance(0.9):
            self.trail.append("stage_start", stage=stage, title=self.text())
        for _ in range(self.random.randrange(4)):
            phase = self.random.choice(["RED", "GREEN", None])
            self.trail.append("attempt", stage=stage, action=self.text(), phase=phase, expected=self.text())
            self._try(stage)
            if self.chance(0.3):
                self.trail.append("commit", sha=f"{self.random.getrandbits(40):010x}", message=f"stage {stage}: work")

    def _try(self, stage: int) -> None:
        failed = False
        for step in STEPS:
            status = self.random.choice(["PASS", "PASS", "PASS", "FAIL", "HANG" if step == "execution" else "FAIL"])
            failed = status != "PASS"
            error_type = self.random.choice(ERROR_TYPES) if failed and self.chance(0.6) else None
            self.trail.append("result", stage=stage, step=step, status=status, error_type=error_type)
            if failed:
                break
        if not failed or self.chance(0.3):
            for number in range(self.random.randrange(3)):
                result = self.random.choice(["PASS", "PASS", "FAIL", "SKIPPED"])
                self.trail.append("test", stage=stage, name=f"test_case_{number}", result=result)
        if self.chance(0.5):
            crumb = self.trail.append("hypothesis", stage=stage, description=self.text())
            self.trail.append("evidence", hypothesis_id=crumb.text("id"), text=self.text())
            if self.chance(0.5):
                self.trail.append("recovery", hypothesis_id=crumb.text("id"), action=self.text())
        if self.chance(0.3):
            self.trail.append("note", text=self.text(), stage=stage if self.chance(0.5) else None)
