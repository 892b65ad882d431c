# Everything happens in .venv; the first target that needs it makes it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Tests that run no kernel, or few.
QUICK := tests/house tests/tensor tests/program tests/logs tests/user/test_hostile_arguments.py \
	tests/device/test_cache_trust.py tests/device/test_cache_pruning.py tests/device/test_stuck_programs.py
# pytest imports tests by their file's name from every folder of tests, so mypy must find them the same way.
TEST_FILES := $(filter-out %conftest.py,$(wildcard tests/*.py tests/*/*.py))
EMPTY :=
TEST_PATH := src:tests:$(subst $(EMPTY) $(EMPTY),:,$(patsubst %/,%,$(wildcard tests/*/)))

# A Python that has ttnn, torch, pytest and tilewright: pip install ".[ttnn,test]" torch, with CPython 3.10 or 3.12.
TTNN_PYTHON ?= python3.12

.PHONY: demo test quick catalogue score bench lint format clean

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[test,lint]'
	touch $@

demo: $(VENV)/.installed  ## run a program on the simulated grid, and see a broken one explained
	$(BIN)/python examples/demo.py

test: $(VENV)/.installed  ## all tests
	$(BIN)/python -m pytest -n auto --dist loadfile

quick: $(VENV)/.installed  ## an answer in less than a minute: form, rooms, everything that runs no kernel
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -n auto --dist loadfile $(QUICK)

catalogue:  ## every operation of the real ttnn on the simulated card, in TTNN_PYTHON
	$(TTNN_PYTHON) -m tilewright exec -- $(TTNN_PYTHON) -m pytest tests/card/catalogue

score: $(VENV)/.installed  ## how many of the known bugs the checker names, and what it says wrongly
	$(BIN)/python tests/bugs/score.py

bench: $(VENV)/.installed  ## speed, as ratios measured side by side
	$(BIN)/pip install --quiet --disable-pip-version-check -r bench/requirements.txt
	$(BIN)/python -m bench

lint: $(VENV)/.installed  ## form and types of Python, form and mistakes of C++, rooms and tables
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	MYPYPATH=$(TEST_PATH) $(BIN)/mypy --config-file tests/mypy.ini $(TEST_FILES)
	$(BIN)/python -m pytest tests/house
	$(BIN)/python tools/lint_native.py

format: $(VENV)/.installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/python tools/lint_native.py --fix

clean:
	rm -rf $(VENV)
