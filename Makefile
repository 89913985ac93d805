# `make demo` shows it, `make test` checks it. Both work in a fresh clone.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help coverage-table demo notebooks pictures lab test test-all fuzz choose lint labextension
.PHONY: clean header-names
.PHONY: bench bench-waiting bench-early bench-rivals bench-cuda bench-gradients bench-quick bench-results ratchet
.DEFAULT_GOAL := help

help:
	@echo "make demo          run the teaching notebook and write build/demo/*.html"
	@echo "make pictures      make the pictures of README.md from what the demo wrote"
	@echo "make notebooks     run the notebooks from their sources and save them with results"
	@echo "make lab           open JupyterLab on the notebooks"
	@echo "make test          the same tests each time, of every part: ten minutes"
	@echo "make test-all      all others: half an hour or more; goes on where it was stopped"
	@echo "make fuzz          tests that draw their examples, with a new seed"
	@echo "make choose        choose anew what \`make test\` runs: over an hour"
	@echo "make coverage-table  write docs/coverage.md from the lowering table"
	@echo "make header-names  write down what the headers of native loops define"
	@echo "make lint          formatting, types and style"
	@echo "make bench         measure against NumPy, Numba, JAX and torch.compile: under an hour"
	@echo "make bench-gradients  measure gradients against the function, the tape, JAX, autograd"
	@echo "make bench-waiting measure first results in turns with NumPy's: half an hour"
	@echo "make bench-early   measure the first 1 to 30 calls together: under an hour"
	@echo "make bench-rivals time what is close in turns with torch.compile: ten minutes"
	@echo "make bench-quick   the same for one program of each kind: some minutes"
	@echo "make bench-cuda    k-means on a GPU, with and without data that stays there"
	@echo "make bench-results copy what was measured to tests/benchmarks/RESULTS.md"
	@echo "make ratchet       count what a test then keeps from growing"
	@echo "make labextension  build the front end into jupyter_npcompile/labextension"
	@echo "make clean         remove what the recipes made"

demo:
	@echo "==> the first notebook: about a minute, and once before that some minutes of setting up"
	@scripts/setup.sh demo "$(PYTHON)"
	@$(BIN)/python scripts/demo.py

pictures: demo
	@scripts/setup.sh test "$(PYTHON)"
	@$(BIN)/python scripts/pictures.py

notebooks:
	@scripts/setup.sh test "$(PYTHON)"
	@$(BIN)/python scripts/notebooks.py $(NAMES)

lab:
	@scripts/setup.sh test "$(PYTHON)"
	@$(BIN)/jupyter lab --notebook-dir=notebooks $$([ "$$(id -u)" != 0 ] || echo --allow-root)

test:
	@echo "==> tests of every part: about ten minutes, and once before that some of setting up"
	@scripts/setup.sh test "$(PYTHON)"
	@scripts/test.sh chosen

test-all:
	@scripts/setup.sh test "$(PYTHON)"
	@scripts/test.sh rest "$(MINUTES)" "$(TURN)"

fuzz:
	@scripts/setup.sh test "$(PYTHON)"
	@scripts/test.sh fuzz "$(MINUTES)" "$(SEED)"

choose:
	@scripts/setup.sh test "$(PYTHON)"
	@$(BIN)/python -m tests.support.choosing

coverage-table:
	@scripts/setup.sh test "$(PYTHON)"
	@$(BIN)/python scripts/coverage_table.py

header-names:
	@scripts/setup.sh test "$(PYTHON)"
	@$(BIN)/python scripts/header_names.py

lint:
	@scripts/setup.sh test "$(PYTHON)"
	@scripts/lint.sh

bench: bench-gradients
	@$(BIN)/python -m tests.benchmarks

bench-gradients:
	@scripts/setup.sh bench "$(PYTHON)"
	@mkdir -p build/bench
	@$(BIN)/python -m tests.benchmarks.gradients | tee build/bench/gradients.md

bench-waiting:
	@scripts/setup.sh bench "$(PYTHON)"
	@$(BIN)/python -m tests.benchmarks --waiting

bench-early:
	@scripts/setup.sh bench "$(PYTHON)"
	@$(BIN)/python -m tests.benchmarks --early

bench-rivals:
	@scripts/setup.sh bench "$(PYTHON)"
	@$(BIN)/python -m tests.benchmarks --rivals

bench-quick:
	@scripts/setup.sh bench "$(PYTHON)"
	@$(BIN)/python -m tests.benchmarks --quick

bench-cuda:
	@scripts/setup.sh test "$(PYTHON)"
	@$(BIN)/python -m tests.benchmarks.devices --device cuda

bench-results:
	@scripts/setup.sh bench "$(PYTHON)"
	@$(BIN)/python -m tests.benchmarks --publish

ratchet:
	@scripts/setup.sh test "$(PYTHON)"
	@$(BIN)/python -m tests.benchmarks.ratchet

labextension:
	@scripts/setup.sh test "$(PYTHON)"
	@scripts/frontend.sh build

clean:
	rm -rf .venv build labextension/lib labextension/node_modules
