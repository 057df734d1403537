# Two commands do everything: `make demo` and `make test`.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
JOBS ?= 2
# Programs that the tests start by the hundred would compile every library anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo venue venue-test test lint oracle bench scenarios pictures gallery models lock clean help

help:
	@sed -n 's/^## //p' Makefile

# uv fetches many files at a time. Where it cannot, say past a mirror that only pip is told of, pip does.
PIP := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check
UV := $(BIN)/python -m uv pip install --quiet --python $(BIN)/python
LOCK := $(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header
install = $(UV) $(1) || { echo "uv cannot: pip is asked instead"; $(PIP) $(1); }

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null 2>&1 && $(PYTHON) -m venv $(VENV) || python3 -m venv $(VENV)

$(VENV)/.run: requirements.lock requirements-install.lock pyproject.toml | $(BIN)/python
	@$(PIP) --require-hashes -r requirements-install.lock
	@$(call install,--require-hashes -r requirements.lock)
	@$(call install,--no-deps --no-build-isolation -e .)
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements-dev.lock
	@$(call install,--require-hashes -r requirements-dev.lock)
	@touch $@

$(VENV)/.tools: tests/tools.sh | $(BIN)/python
	@tests/tools.sh
	@touch $@

# Other programs that the scorers are compared with. One is built from source: without a compiler its
# tests are skipped with the reason, except in CI, where nothing may be.
$(VENV)/.oracle: $(VENV)/.dev $(VENV)/.tools requirements-oracle.lock
	@$(call install,--require-hashes -r requirements-oracle.lock) \
	  || { test -z "$$CI" && echo "the programs to compare the scorers with cannot be installed: those tests are skipped"; }
	@touch $@

## make demo [ARGS="--no-console --seed 7"]  one hand on the virtual table, watched by the controller
demo: $(VENV)/.run
	@$(BIN)/paiguan demo $(ARGS)

## make venue [ARGS="--tables 8 --speed 2"]  a whole venue: three NATS servers, PostgreSQL, two hubs, virtual tables
venue: $(VENV)/.run
	@tests/tools.sh
	@$(BIN)/paiguan venue demo $(ARGS)

## make venue-test                           the venue's proofs at full size, with all faults
venue-test: $(VENV)/.dev
	@tests/tools.sh
	$(BIN)/python -m pytest -m "slow or not slow" tests/table_controller/venue $(ARGS)

## make test                                 linter, type checker, architecture and all tests
# Many tests wait: the linter and the type checker work then. Neither keeps the other from its end.
test:
	@$(MAKE) --no-print-directory --jobs 2 --keep-going NICE="nice -n 19" lint tests

.PHONY: tests
tests: $(VENV)/.oracle
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder $(ARGS)

## make lint                                 linter, type checker and architecture
lint: $(VENV)/.dev
	$(NICE) $(BIN)/ruff check .
	$(NICE) $(BIN)/ruff format --check .
	$(NICE) $(BIN)/mypy
	$(NICE) $(BIN)/lint-imports

## make oracle                               comparisons with other programs and long proofs, at full size
oracle: $(VENV)/.oracle
	$(BIN)/python -m tests.table_controller.scoring.oracle mcr 200000
	$(BIN)/python -m tests.table_controller.scoring.oracle mcr 200000 --ruleset mcr-2006-du
	$(BIN)/python -m tests.table_controller.scoring.oracle mcr 200000 --ruleset mcr-2002-tianjin
	$(BIN)/python -m tests.table_controller.scoring.oracle riichi 200000
	$(BIN)/python -m pytest -m slow $(ARGS)

## make bench [ARGS=demo]                    the project's own benchmarks
bench: $(VENV)/.run
	@$(BIN)/paiguan bench $(ARGS)

## make scenarios [ARGS="--hands 5"]         hands of every ruleset filmed, followed and compared; goes on where it stopped
scenarios: $(VENV)/.run
	@$(BIN)/paiguan bench happenings --hands 30 --mixed 30 --changed 5 --store build/happenings.jsonl $(ARGS)

## make models [ARGS="--effort 0.5"]          every model trained, exported and measured from scratch (hours; needs the data)
models: $(VENV)/.dev
	@$(BIN)/python -c "import cairosvg, torch" 2>/dev/null || $(BIN)/python -m pip install --quiet "torch==2.*" "cairosvg==2.*"
	@$(BIN)/python -m pytest -m training tests/vision/training
	@$(BIN)/python -m vision.training.rebuild $(ARGS)

## make pictures                             the README's pictures, from a run of the demo
pictures: $(VENV)/.dev
	@$(BIN)/python docs/make_pictures.py

## make gallery                              docs/gallery.md: frames as they were understood, of recorded games
gallery: $(VENV)/.dev
	@$(BIN)/python docs/make_gallery.py

## make lock                                 rewrite the lock files from pyproject.toml
lock: $(VENV)/.run
	$(LOCK) --extra build -o requirements.lock pyproject.toml
	$(LOCK) --extra build --extra dev -o requirements-dev.lock pyproject.toml
	$(LOCK) --extra oracle -o requirements-oracle.lock pyproject.toml
	$(LOCK) --group install -o requirements-install.lock

## make clean                                remove what the commands above made
clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
