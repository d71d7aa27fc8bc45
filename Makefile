# Two commands: `make demo` shows what evenhand does, `make test` checks everything.
# Both need only Python 3.11 or later and a package index; both set up .venv by themselves.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt
PIP := $(BIN)/$(INSTALL)
# Written once instead of compiled by every process: 10 s of each that collects tests, 0.4 s of each
# that a test starts.
unexport PYTHONDONTWRITEBYTECODE

PARALLEL := --numprocesses auto --dist worksteal --randomly-seed=20170613

# The unit tests that alone must run every branch of the modules listed in pyproject.toml.
COVERED := $(addprefix tests/unit/, checker test_verdict.py removal/test_modify_data.py \
  removal/test_plan.py removal/test_fewest_changes.py releasing/test_release_targets.py \
  files $(addprefix web/test_, folder.py guard.py jobs.py question_store.py session.py))

# Of `make compare`: the seed, by default one that nobody has seen, and how many tables.
SEED ?= $(shell date +%s)
TABLES ?= 5000

.PHONY: demo test test-slow compare mutate goldens test-base test-extras test-lowest bench bench-check bench-record bench-scale docs package faults format clean

demo: $(VENV)/.runtime
	@$(BIN)/evenhand demo

test: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	@# Each takes one core for half a minute.
	$(BIN)/python scripts/compile_kernels.py & compiling=$$!; $(BIN)/mypy && wait $$compiling
	$(BIN)/lint-imports
	$(BIN)/pytest $(PARALLEL) $(addprefix --ignore=, $(COVERED))
	$(BIN)/pytest $(PARALLEL) --cov --cov-report=term-missing $(COVERED)

test-slow: $(VENV)/.test
	$(BIN)/pytest $(PARALLEL) -m slow
	@# The gate tries a third of the random cases: tests/repetitions.py.
	EVENHAND_REPETITIONS=all $(BIN)/pytest $(PARALLEL) tests/properties tests/unit

# Whether verdicts, figures, released rows and statuses are those of the base revision.
compare: $(VENV)/.test
	$(BIN)/python scripts/compare_revisions.py --seed $(SEED) --tables $(TABLES)

# Whether the tests of each room notice a change of it: docs/reliability.md. ROOMS names some.
SAMPLE := 50
mutate: $(VENV)/.test
	$(BIN)/python -m tests.mutation --sample $(SAMPLE) $(ROOMS)

# What the recorded runs print and write, accepted as it is now; needs the Dutch census.
goldens: $(VENV)/.test
	$(BIN)/python -m tests.recorded_runs --record

# Only what a plain `pip install evenhand` brings, and the tools that run tests.
test-base: build/base/.ready
	build/base/bin/evenhand demo --output build/base/demo > build/base/demo.txt
	build/base/bin/pytest --numprocesses auto src tests/surface README.md docs

# Each extra alone in a new environment, with the newest versions and its own tests; EXTRAS="fast web" chooses.
test-extras:
	$(PYTHON) scripts/test_extras.py $(EXTRAS)

# The lowest versions that pyproject.toml allows.
test-lowest: build/lowest/.ready
	build/lowest/bin/pytest $(PARALLEL)

bench: $(VENV)/.test
	$(BIN)/python bench/all.py

# Compares with bench/ratios.json and writes nothing; NAMES="pc million" chooses.
bench-check: $(VENV)/.test
	$(BIN)/python bench/check.py $(NAMES)

# Measures what bench/ratios.json lacks; what it has stays as it is.
bench-record: $(VENV)/.test
	$(BIN)/python bench/check.py --record $(NAMES)

bench-scale: $(VENV)/.test
	$(BIN)/python bench/scale.py

docs: $(VENV)/.docs
	$(BIN)/python scripts/document_commands.py
	$(BIN)/sphinx-build -n -W -q docs build/docs

# The source archive, the wheel and its bill of materials; the wheel, installed elsewhere, must run
# the demo.
package:
	rm -rf dist build/package
	$(PYTHON) -m venv build/package
	build/package/bin/$(INSTALL) build
	build/package/bin/python -m build
	$(PYTHON) -m venv --clear build/package
	build/package/bin/$(INSTALL) dist/*.whl
	build/package/bin/python scripts/bill_of_materials.py dist
	build/package/bin/evenhand demo --output build/package/demo

# Known faults of the pinned versions, as the Python Packaging Advisory Database lists them.
faults:
	$(PYTHON) -m venv --clear build/faults
	build/faults/bin/$(INSTALL) pip-audit==2.9.0
	build/faults/bin/pip-audit --strict --no-deps --disable-pip --requirement constraints.txt

format: $(VENV)/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist

# A stamp, not the interpreter: an environment that was cut off half-made is made anew.
$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("evenhand needs Python 3.11 or later; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12")'
	@echo "Setting up a private environment in $(VENV) (once)"
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/.runtime: pyproject.toml constraints.txt | $(VENV)/.created
	@$(PIP) --editable .
	@touch $@

$(VENV)/.docs: pyproject.toml constraints.txt | $(VENV)/.created
	@$(PIP) --editable '.[docs,sklearn]'
	@touch $@ $(VENV)/.runtime

# pgmpy is here for the published networks it carries, and for its graphs, which need none of its dependencies.
$(VENV)/.test: pyproject.toml constraints.txt | $(VENV)/.created
	@echo "Installing what the tests need (once)"
	@$(PIP) --editable '.[excel,fast,ibis,sklearn,spark,test,web]'
	@$(PIP) --no-deps pgmpy
	@touch $@ $(VENV)/.runtime

build/base/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -m venv --clear build/base
	@build/base/bin/$(INSTALL) --editable . hypothesis pytest pytest-xdist
	@touch $@

build/lowest/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -m venv --clear build/lowest
	@build/lowest/bin/$(INSTALL) uv
	@build/lowest/bin/uv pip install --quiet --python build/lowest --resolution lowest-direct --editable '.[excel,fast,ibis,sklearn,test,web]'
	@build/lowest/bin/$(INSTALL) --no-deps pgmpy
	@touch $@
