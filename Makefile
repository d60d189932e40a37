# Everything works on a bare machine with python3, pip, make and git.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable
CORE := $(VENV)/.core
STAMP = $(VENV)/.installed-$(DEV)
# What the tests are run with: dev, or dev-full with torch (800 MB), for the tests of T5.
DEV ?= dev
MINUTES ?= 10
# Tests wait a part of their time, for limits, servers and browsers: one worker more than cores. Those
# of quick wait for nothing, and every worker collects all tests.
CORES := $(shell $(PYTHON) -c "import os; print(os.cpu_count() or 1)")
WORKERS ?= $(shell expr $(CORES) + 1)
QUICK_WORKERS ?= $(CORES)
# Tests start many interpreters: without compiled files each compiles the whole package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install core browser demo demo-duckdb quick test test-data shuffled test-integrations thorough lint check docs pictures site release-check bench clean

install: $(STAMP)

core: $(CORE)

$(CORE): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) .
	@touch $@

# pip compiles on one core, and the packages' own tests too: minutes. Some files are for other
# versions of Python and do not compile; nobody imports them.
$(STAMP): $(CORE)
	$(PIP) '.[$(DEV)]' --no-compile
	-@$(BIN)/python -m compileall -qq -j 0 -x '/tests/' $(VENV)/lib
	@$(BIN)/python -m compileall -qq -j 0 src
	@touch $@

# The base install only: no compiler, no torch.
demo: core
	$(BIN)/sqlverdict demo

# Chromium, for the tests of pages (tests/browser); without it they are skipped.
browser:
	@has() { command -v "$$1" >/dev/null; }; \
	if has chromium || has chromium-browser || has google-chrome; then exit; fi; \
	if [ "$$(id -u)" = 0 ] && has apt-get && apt-get update -qq \
		&& apt-get install -qq -y --no-install-recommends chromium >/dev/null; then exit; fi; \
	echo "No Chromium: tests/browser will be skipped. Install the package chromium (or" \
		"google-chrome) with your system's package manager."

# The same on DuckDB.
demo-duckdb: core
	$(PIP) '.[duckdb]'
	$(BIN)/sqlverdict demo --engine duckdb

# While editing: lint, and the tests that are neither slow nor read the real data; at most two items
# of each, and a tenth of the examples of properties.
quick: install
	$(BIN)/ruff check .
	SQLVERDICT_TESTS=quick $(BIN)/python -m pytest --quiet -n $(QUICK_WORKERS) --dist worksteal -m "not slow and not data"

test: install
	$(BIN)/python -m pytest --quiet -n $(WORKERS) --dist worksteal

# The tests that read the real data (SQLVERDICT_DATA, or ../shared/data), and those of T5, which are
# skipped without DEV=dev-full.
test-data: install
	$(BIN)/python -m pytest --quiet -n $(WORKERS) --dist worksteal -m "data or torch"

# Every test but the slow ones, with few of its items and examples, in an order of chance, which is
# always the same; SHUFFLE=seed tries another. Slow tests have such an order in `make test`: files with
# them stay first there, so that no worker is left alone with a long one.
SHUFFLE ?= 1
shuffled: install
	SQLVERDICT_TESTS=quick SQLVERDICT_SHUFFLE=$(SHUFFLE) $(BIN)/python -m pytest --quiet -n $(WORKERS) --dist worksteal -m "not slow"

# Each integration against the real package, in an environment of its own (.venv-integrations);
# NAMES="mlflow dspy" tests these alone.
test-integrations: core
	$(BIN)/python tests/integrations/environments.py $(NAMES)

# Random exploration: new seeds, ten times the examples, then the fuzzer and the attack on proofs.
# What it finds becomes a fixed @example or a test.
thorough: install
	SQLVERDICT_TESTS=thorough $(BIN)/python -m pytest --quiet -n $(WORKERS) --dist worksteal -m "hypothesis or sampled"
	$(BIN)/python bench/fuzz.py --seed random --minutes $(MINUTES)
	$(BIN)/python bench/attack.py --seed random --minutes $(MINUTES)

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/generate.py --check

check: lint test

docs: install
	$(BIN)/python docs/generate.py

# The pictures of report.html in the docs; needs Chromium (make browser).
pictures: install
	$(BIN)/python docs/pictures.py

# The docs as a site, in site/; a broken link or anchor is an error. Open site/index.html: it needs no server.
site: core
	$(PIP) '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# The sdist, and the wheel from it, in dist/: what they hold, their metadata, and the demo from each in
# an empty environment of every supported Python at hand (PYTHONS="3.12 /opt/python3.14/bin/python").
# STRICT=1: a supported Python that is not at hand is a fault.
release-check:
	$(PYTHON) tests/release_check.py $(if $(STRICT),--strict) $(PYTHONS)

bench: install
	$(BIN)/python bench/execution.py
	$(BIN)/python bench/refute.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis sqlverdict-demo site dist
