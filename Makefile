PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := $(wildcard src/setwise/kernels/native/* src/setwise/kernels/native/*/*)

.PHONY: demo test lint bench study clean
.NOTPARALLEL:

demo: $(VENV)/ready-for-demo
	$(BIN)/setwise demo

test: lint
	# Two workers of one thread each: BLAS threads of both would only fight for the cores.
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n 2 src tests

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/ready
	$(BIN)/python -m benchmarks

study: $(VENV)/ready
	$(BIN)/pytest -m slow tests

# One environment for everything, made again when the requirements or the compiled kernels change. The demo needs few
# of its packages and installs no more; what is ready for the tests is ready for the demo too.
REQUIREMENTS := pyproject.toml CMakeLists.txt $(NATIVE)
INSTALL = $(PYTHON) -m venv $(VENV) && $(BIN)/python -m pip install --quiet --disable-pip-version-check

$(VENV)/ready-for-demo: $(REQUIREMENTS)
	$(INSTALL) -e ".[demo]"
	touch $@

$(VENV)/ready: $(REQUIREMENTS)
	$(INSTALL) -e ".[dev]"
	touch $(VENV)/ready-for-demo $@

clean:
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache .hypothesis
