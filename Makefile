# Everything happens in .venv; the first target that needs it makes it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test score bench lint format clean

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[test,lint]'
	touch $@

demo: $(VENV)/.installed  ## run a program on the simulated grid, and see a broken one explained
	$(BIN)/python examples/demo.py

test: $(VENV)/.installed  ## all tests
	$(BIN)/python -m pytest -n auto --dist loadfile

score: $(VENV)/.installed  ## how many of the known bugs the checker names, and what it says wrongly
	$(BIN)/python tests/bugs/score.py

bench: $(VENV)/.installed  ## speed, as ratios measured side by side
	$(BIN)/pip install --quiet --disable-pip-version-check -r bench/requirements.txt
	$(BIN)/python -m bench

lint: $(VENV)/.installed  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV)
