# `make demo` and `make test` do their own set-up; nothing else is needed.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.ready

.PHONY: demo test check bench clean

demo: $(STAMP)
	$(BIN)/logbert demo

test: check
	$(BIN)/python -m pytest -n 2 --dist worksteal

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[bench,plots]'
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.template_quality

# torch goes first and alone, so that nothing else can pull in another build of it.
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "logbert needs Python 3.11 or newer; set PYTHON=...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
