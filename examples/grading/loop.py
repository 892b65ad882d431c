# SPDX-License-Identifier: Apache-2.0
"""A reinforcement-learning loop on graded kernels, with a dummy policy: it draws one of several edits of a kernel."""

import random
import sys
from pathlib import Path

from tilewright.grade import Judge, read_task

HERE = Path(__file__).resolve().parent
EDITS = [("", ""), ("mul_tiles", "add_tiles"), ("cb_pop_front(0, 1);", ""), ("pack_tile(0, 16);", "")]


def train(folder, episodes, seed=0):
    """Preferences of the policy after some episodes: one for each edit, moved towards the score."""
    kernel, chance = (HERE / "candidates" / "square.cpp").read_text(), random.Random(seed)
    preferences = [0.5] * len(EDITS)
    with Judge(read_task(HERE / "task.py")) as judge:
        for episode in range(episodes):
            action = chance.choices(range(len(EDITS)), preferences)[0]
            candidate = folder / f"episode_{episode}.cpp"
            candidate.write_text(kernel.replace(*EDITS[action]) if EDITS[action][0] else kernel)
            record = judge.grade(candidate)
            preferences[action] += 0.5 * (record.score - preferences[action])
            print(episode, record.outcome, f"{record.score:.3f}")
    return preferences


if __name__ == "__main__":
    print(train(Path(sys.argv[1]), episodes=8))
