# Everything happens in .venv; the first target that needs it makes it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Tests that run no kernel, or few.
QUICK := tests/house tests/tensor tests/program tests/logs tests/package/test_invalid_arguments.py \
	tests/build/test_cache_trust.py tests/build/test_cache_pruning.py tests/diagnose

# Prints a Python that has ttnn and torch, made in the user's cache out of a CPython 3.10 or 3.12; or why there is none.
TTNN_PYTHON = $(BIN)/python -m tests.real_ttnn

.PHONY: demo test quick catalogue beside-ttnn score bench wheel docs lint format clean

$(VENV)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[test,lint]'
	touch $@

# The stub of the kernel API is not in git, so that it follows the headers after each pull.
API_STUB := src/tilewright/kernels/api.pyi
$(API_STUB): $(VENV)/.installed tools/write_api_stub.py src/tilewright/_cpp_declarations.py src/tilewright/_sfpu_functions.py \
		$(wildcard src/tilewright/kernels/*.py) \
		$(shell find src/tilewright/native/include src/tilewright/native/abi -name '*.h' -o -name '*.inl')
	$(BIN)/python tools/write_api_stub.py

# What running the package takes; the tools for tests and lint take a minute more.
$(VENV)/.runnable: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[native]'
	touch $@

demo: $(VENV)/.runnable  ## run a program on the simulated grid, and see a broken one explained
	$(BIN)/python examples/demo.py

test: $(API_STUB)  ## all tests
	@$(TTNN_PYTHON) > /dev/null & $(BIN)/python -m pytest -n auto --dist loadfile; status=$$?; wait; exit $$status

quick: $(API_STUB)  ## an answer in less than a minute: form, order of folders, tests that run no kernel
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -n auto --dist loadfile $(QUICK)

catalogue: $(VENV)/.installed  ## every operation of the real ttnn on the simulated card, both chips
	python=$$($(TTNN_PYTHON)) && for arch in wormhole_b0 blackhole; do \
	PYTHONPATH=src $$python -m tilewright exec --arch $$arch -- $$python -m pytest tests/card/catalogue || exit 1; \
	PYTHONPATH=src $$python -m tilewright exec --arch $$arch --grid 1x1 -- $$python -m pytest -m family tests/card/catalogue \
	|| exit 1; done

beside-ttnn: $(VENV)/.installed  ## docs/beside-ttnn.md: examples beside ttnn's own operations
	TILEWRIGHT_REAL_TTNN=$$($(TTNN_PYTHON)) $(BIN)/python -m tools.beside_ttnn

score: $(VENV)/.installed  ## how many of the known bugs the checker names, and what it says wrongly
	$(BIN)/python -m tests.bugs.score

bench: $(VENV)/.installed  ## speed, as ratios measured side by side
	$(BIN)/pip install --quiet --disable-pip-version-check -r bench/requirements.txt
	TILEWRIGHT_REAL_TTNN=$$($(TTNN_PYTHON)) $(BIN)/python -m bench

wheel: $(VENV)/.installed  ## dist/: a wheel for x86-64 Linux with glibc 2.28 or newer, and the source distribution
	$(BIN)/python tools/build_wheel.py
	$(BIN)/python -m build --sdist --no-isolation
	$(BIN)/python -m twine check --strict dist/*

docs: $(VENV)/.installed  ## site/: the documents as a site with search
	$(BIN)/python -m mkdocs build --strict

lint: $(API_STUB)  ## form and types of Python, form and mistakes of C++, order of folders and tables
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/house
	$(BIN)/python tools/lint_native.py
	$(BIN)/python tools/cross_build.py

format: $(VENV)/.installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/python tools/lint_native.py --fix

clean:
	rm -rf $(VENV)
