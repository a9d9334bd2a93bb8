# `make demo` and `make test` need Python 3.11+, make and git; everything else is set up in .venv.
PYTHON ?= python3
BIN := .venv/bin
SET_UP := $(PYTHON) -m scripts.environment .venv
SET_UP_JUDGE = $(PYTHON) -m scripts.environment $(JUDGE)/venv
ENOUGH := $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
  { echo "holdfast needs Python 3.11 or newer; set PYTHON=python3.12, say"; exit 1; }

# Tests start hundreds of programs: where bytecode may not be kept, each would compile all it imports.
export PYTHONDONTWRITEBYTECODE :=

PACKAGE ?= .
JUDGE ?= .judge
CLIENTS ?= .clients
ON_TWO := -n 2 --dist worksteal
TESTS := $(ON_TWO) -m "not soak and not clients"

.PHONY: demo quick test coverage test-clients check lint types layers site soak bench docs judge release install uninstall clean

demo: .venv/.runtime  ## the main job end to end, on a throw-away project
	@$(BIN)/holdfast demo

quick: .venv/.dev  ## the tests that need no server, browser or package: under a minute on two idle cores
	@$(BIN)/python -m pytest $(ON_TWO) -m "not slow and not soak and not clients"

test: .venv/.dev  ## every test
	@$(BIN)/python -m pytest $(TESTS)

coverage: .venv/.dev  ## every test, twice as slowly, and which lines none of them reached
	@$(BIN)/python -m pytest $(TESTS) --cov --cov-report=term:skip-covered --cov-fail-under=90

test-clients: .venv/.dev  ## the real coding clients, installed with npm into CLIENTS (2.3 GB), on a scripted model
	@tests/clients/install.sh $(CLIENTS)
	@HOLDFAST_CLIENTS=$(CLIENTS) $(BIN)/python -m pytest -m clients tests/clients

check: lint types layers site  ## lint, types, layers, the documentation builds

lint: .venv/.dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

types: .venv/.dev  ## everything for this system, the package for the other two as well
	@$(BIN)/mypy
	@$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32 src
	@$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin src

layers: .venv/.dev
	@$(BIN)/lint-imports

site: .venv/.dev  ## the documentation as a site, in site/; a warning ends it
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict  # with --quiet no warning would count

soak: .venv/.dev  ## the long versions of the fault tests
	@$(BIN)/python -m pytest -m soak

bench: .venv/.dev  ## speed on this machine, and the quality of search where HOLDFAST_BENCH_DATA has the data
	@$(BIN)/python -m benchmarks

docs: .venv/.dev  ## docs/cli.md, the MCP front's answers, the plugins: each from what it describes
	@$(BIN)/python scripts/cli_reference.py
	@$(BIN)/python scripts/mcp_snapshot.py
	@$(BIN)/python scripts/plugins.py

judge:  ## the judge's models anew from the labelled talk in DATA: about an hour on two cores, in JUDGE (2 GB)
	@$(if $(DATA),,echo "say where the labelled talk is: make judge DATA=folder"; exit 1)
	@$(SET_UP_JUDGE) --editable . torch==2.13.0 transformers==5.23.0 onnx==1.23.2 scikit-learn==1.9.1
	@$(JUDGE)/venv/bin/python -m scripts.judge.recipe $(DATA) $(JUDGE)

release: .venv/.dev  ## wheel, source archive, digests and bill of materials in dist/, tried in an empty environment
	@$(BIN)/python -m scripts.release

install:  ## the command for this user, in an environment of its own, linked into ~/.local/bin
	@$(ENOUGH)
	@$(PYTHON) -m scripts.user_install install $(PACKAGE)

uninstall:  ## out of every agent, and away; what is remembered stays
	@$(PYTHON) -m scripts.user_install uninstall

clean:
	rm -rf .venv site dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .coverage*

.venv/.runtime: pyproject.toml constraints.txt
	@$(ENOUGH)
	@$(SET_UP) --editable .
	@touch $@

.venv/.dev: .venv/.runtime
	@$(SET_UP) --editable '.[dev]'
	@touch $@
