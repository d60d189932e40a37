# Everything works on a bare machine with python3, pip, make and git.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: install demo test check docs bench clean

install: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: install
	$(BIN)/sqlverdict demo

test: install
	$(BIN)/python -m pytest --quiet -n auto

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/generate.py --check
	$(BIN)/python -m pytest --quiet -n auto

docs: install
	$(BIN)/python docs/generate.py

bench: install
	$(BIN)/python bench/execution.py
	$(BIN)/python bench/refute.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis sqlverdict-demo
