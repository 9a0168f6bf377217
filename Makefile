# The whole of it: `make demo` to look at Calibrant, `make test` to check it, `make lint` to read it.
PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help install demo test lint format benchmark lock clean

help:
	@echo "make demo        the demo project on http://127.0.0.1:$(PORT)/ (PORT=... for another port)"
	@echo "make install     what Calibrant needs to run, and nothing else: README, by hand"
	@echo "make test        the whole suite, on SQLite and PostgreSQL, with a real browser"
	@echo "make lint        ruff, mypy, djade, import-linter, migrations"
	@echo "make benchmark   what intervals and the exit rule are worth; the cost of statistics, imports and labelling"
	@echo "make lock        compile the requirements files anew from pyproject.toml"

install: $(VENV)/.runtime

demo: $(VENV)/.runtime
	$(BIN)/python manage.py demo --port $(PORT)

test: $(VENV)/.dev
	tests/run

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
	git ls-files 'templates/*.html' | xargs $(BIN)/djade --target-version 5.2 --check
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	git ls-files 'templates/*.html' | xargs $(BIN)/djade --target-version 5.2

# What is published as it comes out is run first; the others stop where a bound of ours is missed.
benchmark: $(VENV)/.dev
	$(BIN)/python -m benchmarks.operating --replications 10000 --states 300
	$(BIN)/python -m benchmarks.triage
	$(BIN)/python -m benchmarks.coverage --replications 1000
	$(BIN)/python -m benchmarks.reliability
	$(BIN)/python -m benchmarks.imports
	$(BIN)/python -m benchmarks.labelling

lock: $(VENV)/.uv
	$(BIN)/uv pip compile requirements-bootstrap.in -q $(LOCK) -o requirements-bootstrap.txt
	$(BIN)/uv pip compile pyproject.toml -q $(LOCK) -o requirements.txt
	$(BIN)/uv pip compile pyproject.toml --group dev -q $(LOCK) -o requirements-dev.txt
LOCK := --generate-hashes --no-emit-index-url --python-version 3.11 --upgrade

# pip installs uv, uv installs the rest: hashes are checked at both steps.
$(VENV)/.uv: requirements-bootstrap.txt
	$(PYTHON) -c 'import sys; sys.exit("Calibrant needs CPython 3.11 or newer: set PYTHON=...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-bootstrap.txt
	touch $@

$(VENV)/.runtime: $(VENV)/.uv requirements.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.txt
	touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements-dev.txt
	touch $@

clean:
	rm -rf $(VENV) var .mypy_cache .ruff_cache .pytest_cache .hypothesis
