PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SANITIZED := build/sanitize
NATIVE := $(wildcard src/setwise/kernels/native/* src/setwise/kernels/native/*/*)

.PHONY: demo test lint bench study docs matrix wheels sanitize fuzz clean
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
	$(BIN)/python -m docs.tools.docstrings

bench: $(VENV)/ready
	$(BIN)/python -m benchmarks

# The site in build/site/html: all pages and the gallery, whose examples are run. Warnings are errors.
docs: $(VENV)/ready-for-docs
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m sphinx -c docs -b html -d build/site/doctrees -W --keep-going -q . build/site/html
	$(BIN)/python -m docs.tools.links build/site/html

study: $(VENV)/ready
	$(BIN)/pytest -m slow tests

# The suite on every Python and set of dependencies that this machine has; a table at the end.
matrix:
	$(PYTHON) packaging/matrix.py

wheels: $(VENV)/ready
	$(BIN)/python packaging/build.py dist

# The sanitizers must be loaded before Python, and libstdc++ with them. Python itself frees little at its end. Reports go
# past pytest, which would keep them until the test that ends the process is done.
SANITIZERS = $(shell $(CXX) -print-file-name=libasan.so) $(shell $(CXX) -print-file-name=libstdc++.so)

SANITIZED_PYTHON = OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 LD_PRELOAD="$(SANITIZERS)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 $(SANITIZED)/bin/python

sanitize: $(SANITIZED)/ready
	PYTHONMALLOC=malloc $(SANITIZED_PYTHON) -m pytest --capture=sys tests/kernels tests/persistence

# Forged model files under the sanitizers: make fuzz FILES=10000 SEED=1. Python's own objects stay where it puts them,
# which is twice as fast; the memory of arrays is guarded in any case.
FILES := 1000
SEED := 0
fuzz: $(SANITIZED)/ready
	$(SANITIZED_PYTHON) -m tests.fuzz --any-memory --files $(FILES) --seed $(SEED) --keep build/forged

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

$(VENV)/ready-for-docs: $(REQUIREMENTS)
	$(INSTALL) -e ".[docs]"
	touch $(VENV)/ready-for-demo $@

# Sanitized kernels have an environment of their own, which finds all other packages in the first.
$(SANITIZED)/ready: $(VENV)/ready
	$(PYTHON) -m venv $(SANITIZED)
	$(BIN)/python -c "import numpy, pathlib; print(pathlib.Path(numpy.__file__).parents[1])" \
		> $$($(SANITIZED)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/packages.pth
	$(SANITIZED)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -e . \
		-C build-dir=$(SANITIZED)/kernels -C cmake.build-type=RelWithDebInfo -C cmake.define.SETWISE_SANITIZE=ON
	touch $@

clean:
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache .hypothesis
