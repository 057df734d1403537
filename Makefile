# Two commands do everything: `make demo` and `make test`.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
JOBS ?= 2

.PHONY: demo venue venue-test test oracle bench scenarios pictures gallery models lock clean help

help:
	@sed -n 's/^## //p' Makefile

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null 2>&1 && $(PYTHON) -m venv $(VENV) || python3 -m venv $(VENV)

$(VENV)/.run: requirements.lock pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements-dev.lock
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

# Other programs that the scorers are compared with. One is built from source: without a compiler its
# tests are skipped with the reason, except in CI, where nothing may be.
$(VENV)/.oracle: $(VENV)/.dev requirements-oracle.lock
	@tests/tools.sh
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --require-hashes -r requirements-oracle.lock \
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
test: $(VENV)/.oracle
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder $(ARGS)

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
	@$(BIN)/python -m vision.training.rebuild $(ARGS)

## make pictures                             the README's pictures, from a run of the demo
pictures: $(VENV)/.dev
	@$(BIN)/python docs/make_pictures.py

## make gallery                              docs/gallery.md: frames as they were understood, of recorded games
gallery: $(VENV)/.dev
	@$(BIN)/python docs/make_gallery.py

## make lock                                 rewrite the lock files from pyproject.toml
lock: $(VENV)/.dev
	$(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --extra build -o requirements.lock pyproject.toml
	$(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --extra build --extra dev -o requirements-dev.lock pyproject.toml
	$(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --extra oracle -o requirements-oracle.lock pyproject.toml

## make clean                                remove what the commands above made
clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
