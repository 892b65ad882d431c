# SPDX-License-Identifier: Apache-2.0
"""Grading of machine-written kernels: tasks for ``tilewright grade``, and a judge to call from Python.

from tilewright.grade import Judge, read_task

with Judge(read_task(Path("task.py"))) as judge:
    record = judge.grade(Path("candidate.cpp"))
    print(record.outcome, record.score)
"""

from tilewright._grade.judge import Judge
from tilewright._grade.record import CaseRecord, GradeRecord, score_of
from tilewright._grade.runners import grade_all
from tilewright._grade.task import Budget, Case, Task, TaskError, Tolerance, read_task

__all__ = [
    "Budget",
    "Case",
    "CaseRecord",
    "GradeRecord",
    "Judge",
    "Task",
    "TaskError",
    "Tolerance",
    "grade_all",
    "read_task",
    "score_of",
]
