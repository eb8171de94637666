# gindex_lab. Every target sets up what it needs by itself; `make` alone lists them.
PYTHON  ?= python3
PROFILE ?= quick
UV      := .tools/bin/uv
UV_PIN  := uv==0.13.7

ifeq ($(OS),Windows_NT)
BIN := .venv/Scripts
else
BIN := .venv/bin
endif
PY    := $(BIN)/python
READY := .venv/.ready
PYTEST = $(PY) -m pytest --numprocesses 2 --dist worksteal

# A headless MPLBACKEND would drop the figures of executed notebooks, and two BLAS threads
# in each of two workers are slower than one.
unexport MPLBACKEND
export OPENBLAS_NUM_THREADS := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help setup test test-slow log-writers nbgrader coverage mutants reproduce lab demo report docs site bench lock clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS='	' read -r t d; do printf 'make %-11s %s\n' "$$t" "$$d"; done

setup: $(READY)  ## create .venv and install the pinned lock (the other targets call this)

WITH_UV = test -z "$(NO_UV)" && { test -x $(UV) || $(PY) -m pip install --quiet --only-binary :all: --target .tools $(UV_PIN); } \
	&& $(UV) pip sync --quiet --python $(PY) --compile-bytecode --require-hashes --build-constraints requirements.lock requirements.lock \
	&& $(UV) pip install --quiet --python $(PY) --no-deps --no-build-isolation --editable .
# $(call INSTALL,PYTHON,LOCK): exactly what a lock lists, with uv where set-up brought it (ten times as fast)
INSTALL = if test -x $(UV); then $(UV) pip install --quiet --python $(1) --no-deps --require-hashes --requirement $(2); \
	else $(1) -m pip install --quiet --no-deps --require-hashes --requirement $(2); fi
WITH_PIP = $(PYTHON) -m venv --clear .venv \
	&& awk '/^[^ ]/ {keep = /^setuptools==/} keep' requirements.lock > .venv/build.txt \
	&& $(PY) -m pip install --quiet --require-hashes --requirement .venv/build.txt \
	&& $(PY) -m pip install --quiet --no-deps --require-hashes --no-build-isolation --requirement requirements.lock \
	&& $(PY) -m pip install --quiet --no-deps --no-build-isolation --editable .

# The lock also pins the build back end of the one package that has no wheel (factor_analyzer).
$(READY): requirements.lock pyproject.toml
	@echo "Setting up .venv (once; about a minute)"
	@$(PYTHON) -c "import sys; v = sys.version_info; sys.exit(None if v >= (3, 11) else f'gindex_lab needs Python 3.11 or newer, found {v[0]}.{v[1]}. Try: make PYTHON=python3.12')"
	@$(PYTHON) -m venv --clear .venv
	@$(WITH_UV) || { echo "uv is not available; falling back to pip (about two minutes)" && $(WITH_PIP); }
	@touch $@

test: $(READY)  ## lint, type-check, and run the fast tests and doctests (at most 5 minutes)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet . || { echo "run: $(BIN)/ruff format ."; exit 1; }
	@$(BIN)/mypy > .venv/types.txt 2>&1 & types=$$!; $(PYTEST) -m "not slow" $(ARGS); tests=$$?; \
	wait $$types; sound=$$?; cat .venv/types.txt; exit $$((tests + sound))

test-slow: $(READY)  ## the tests marked slow: paper-size simulations, kills and resumes, real browsers
	@$(PYTEST) tests -m slow --durations 12 $(ARGS)

log-writers: .tools/log-writers/.ready  ## Inspect and lm-evaluation-harness, which write real logs for make test-slow

.tools/log-writers/.ready: tests/log_writers/requirements.lock
	@echo "Setting up .tools/log-writers (once; about a minute)"
	@$(PYTHON) -m venv --clear .tools/log-writers
	@$(call INSTALL,.tools/log-writers/bin/python,$<)
	@touch $@

nbgrader: .tools/nbgrader/.ready  ## nbgrader, which marks the exported exercises in make test-slow

# what our environment lacks for it; the rest of what it needs is in there
.tools/nbgrader/.ready: tests/nbgrader/requirements.lock $(READY)
	@rm -rf .tools/nbgrader
	@$(PY) -m pip install --quiet --no-deps --only-binary :all: --require-hashes --target .tools/nbgrader --requirement $<
	@touch $@

coverage: $(READY)  ## run every test under coverage and list the lines that none reaches (slow)
	@$(PYTEST) --cov --cov-report term:skip-covered $(ARGS)

mutants: $(READY)  ## put small faults into the measures, one at a time: the tests must notice (half an hour)
	@$(PY) tests/mutants.py $(ARGS)

reproduce: $(READY)  ## run the notebooks that are out of date -> reports/index.html (ONLY=gindex/table1, PROFILE=full)
	@$(BIN)/gindex-lab reproduce $(ONLY) --profile $(PROFILE)

# Both servers listen on 127.0.0.1 only and ask for a token; see gindex_lab/presentation/widgets/serve.py.
# With HOST and STUDENTS the demos are opened to a class: with a password, and within limits (classroom.py).
lab: $(READY)  ## open JupyterLab at the start page (this machine only, with a token)
	@$(PY) -m gindex_lab.presentation.widgets.serve lab $(ARGS)

demo: $(READY)  ## serve the teaching demos as web pages (Voilà; this machine only, or a class: HOST=0.0.0.0 STUDENTS=40)
	@$(PY) -m gindex_lab.presentation.widgets.serve demo $(if $(HOST)$(STUDENTS),"--host=$(HOST)" "--students=$(STUDENTS)") $(ARGS)

report:  ## print the path of the report, and open it where there is a screen
	@$(PYTHON) -c "import pathlib, sys, webbrowser; p = pathlib.Path('reports/index.html').resolve(); p.exists() or sys.exit('no report yet: run make reproduce'); print(p); webbrowser.open(p.as_uri())"

docs: $(READY)  ## the guide and the reference, from the docstrings -> reports/docs/
	@$(BIN)/gindex-lab docs

site: $(READY)  ## pages with live demos, nothing to install -> reports/site/index.html (any folder: OUT=...)
	@$(BIN)/gindex-lab site $(if $(OUT),--out "$(OUT)")

bench: $(READY)  ## measure speed against peers and write reports/benchmarks.html (ONLY=gindex, PROFILE=full)
	@test .tools/peers/.ready -nt benchmarks/requirements.lock || { $(PY) -m pip install --quiet --no-deps --only-binary :all: --require-hashes --upgrade --target .tools/peers --requirement benchmarks/requirements.lock && touch .tools/peers/.ready; } \
		|| echo "The peers of benchmarks/requirements.lock are not available here: their rows will say so"
	@$(PY) -m benchmarks $(ONLY) --profile $(PROFILE)

lock: $(READY)  ## resolve the dependencies again into requirements.lock
	@$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header --upgrade --extra dev pyproject.toml --output-file requirements.lock

clean:  ## remove the environment and what was generated (your own files in reports/ stay)
	@$(PYTHON) -m gindex_lab.foundation.folders reports
	rm -rf .venv .tools build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
