# `make demo` and `make test` need Python 3.11+, make and git; everything else is set up in .venv.
PYTHON ?= python3
BIN := .venv/bin
PIP := PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check

CLIENTS ?= .clients
TESTS := -n 2 --dist worksteal -m "not soak and not clients"

.PHONY: demo test coverage test-clients check lint types layers site soak bench docs release install clean

demo: .venv/.runtime  ## the main job end to end, on a throw-away project
	@$(BIN)/holdfast demo

test: .venv/.dev  ## every test
	@$(BIN)/python -m pytest $(TESTS)

coverage: .venv/.dev  ## every test, twice as slowly, and which lines none of them reached
	@$(BIN)/python -m pytest $(TESTS) --cov --cov-report=term:skip-covered --cov-fail-under=90

test-clients: .venv/.dev  ## the real coding clients, installed with npm into CLIENTS (1.8 GB), on a scripted model
	@tests/clients/install.sh $(CLIENTS)
	@HOLDFAST_CLIENTS=$(CLIENTS) $(BIN)/python -m pytest -m clients tests/clients

check: lint types layers site  ## lint, types, layers, the documentation builds

lint: .venv/.dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

types: .venv/.dev
	@$(BIN)/mypy

layers: .venv/.dev
	@$(BIN)/lint-imports

site: .venv/.dev  ## the documentation as a site, in site/; a warning ends it
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict  # with --quiet no warning would count

soak: .venv/.dev  ## the long versions of the fault tests
	@$(BIN)/python -m pytest -m soak

bench: .venv/.dev  ## speed on this machine, and the quality of search where HOLDFAST_BENCH_DATA has the data
	@$(BIN)/python -m benchmarks

docs: .venv/.dev  ## docs/cli.md, the MCP front's answers, the leads of cues, the plugins: each from what it describes
	@$(BIN)/python scripts/cli_reference.py
	@$(BIN)/python scripts/mcp_snapshot.py
	@$(BIN)/python scripts/cue_leads.py
	@$(BIN)/python scripts/plugins.py

release: .venv/.dev  ## wheel, source archive, digests and bill of materials in dist/, tried in an empty environment
	@$(BIN)/python scripts/release.py

install:  ## the command for this user, outside .venv
	$(PYTHON) -m pip install --user .

clean:
	rm -rf .venv site dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .coverage*

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "holdfast needs Python 3.11 or newer; set PYTHON=python3.12, say"; exit 1; }
	@$(PYTHON) -m venv .venv

.venv/.runtime: .venv/bin/python pyproject.toml constraints.txt
	@$(PIP) --editable .
	@touch $@

.venv/.dev: .venv/.runtime
	@$(PIP) --editable '.[dev]'
	@touch $@
