PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

DOCTESTS := src/publius/services src/publius/materials src/publius/adapters/memo.py src/publius/adapters/notebook.py

.PHONY: demo test test-browser test-cluster test-adapters test-python check fast nightly bench docs clean

$(VENV)/base.done: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --constraint constraints.txt --editable .
	touch $@

$(VENV)/test.done: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --constraint constraints.txt --editable '.[test]'
	touch $@

$(VENV)/check.done: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --constraint constraints.txt --editable '.[check]'
	touch $@

$(VENV)/docs.done: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --constraint constraints.txt --editable '.[docs]'
	touch $@

$(VENV)/cluster.done: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --constraint constraints.txt --editable '.[cluster]'
	touch $@

demo: $(VENV)/base.done ## release the State of the Union addresses and show what came out
	$(BIN)/python scripts/demo.py

test: $(VENV)/test.done ## the whole suite
	$(BIN)/python -m pytest -n 2

$(VENV)/browser.done: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --constraint constraints.txt --editable '.[browser]'
	npm install --no-save --no-package-lock --silent axe-core@4.14.0
	touch $@

test-browser: $(VENV)/browser.done ## the studio in Debian's chromium; needs npm and chromium
	$(BIN)/python -m pytest tests/browser -m browser

test-cluster: $(VENV)/cluster.done ## Spark (needs Java 17), Ray and an S3 server, started here
	$(BIN)/python -m pytest -m cluster tests/cluster

$(VENV)/adapters.done: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --constraint constraints.txt --editable '.[test,adapters]'
	touch $@

test-adapters: $(VENV)/adapters.done ## Presidio, spaCy and lazy tables, with the real packages
	$(BIN)/python -c 'import dask, datasets, duckdb, presidio_analyzer, presidio_anonymizer, spacy, tqdm'
	$(BIN)/python -m pytest tests/unit/adapters

test-python: ## the tests of the lower floors with CPython 3.12 and 3.13, where they are
	$(PYTHON) scripts/test_pythons.py 3.12 3.13

fast: $(VENV)/test.done ## what runs in seconds
	$(BIN)/python -m pytest -n 2 -m "not slow and not statistical"

check: $(VENV)/check.done ## format, lint, types, architecture, fast tests, doctests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2 -m "not slow and not statistical"
	$(BIN)/python -m pytest --doctest-modules $(DOCTESTS)

nightly: $(VENV)/test.done ## every seed, more examples, 20,000 fuzzed commands, 200 kills
	SEEDS=0-99 FUZZ_RUNS=20000 KILL_POINTS=200 LATTICE_OUTPUTS=1000000 $(BIN)/python -m pytest -n 2 --hypothesis-profile=nightly

bench: $(VENV)/test.done ## speed as ratios within one run
	$(BIN)/python -m bench

docs: $(VENV)/docs.done ## the documentation as a site, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

clean:
	rm -rf $(VENV) .venv-* demo-release demo-data site
