# Two commands do everything on a machine that has Python 3.11+ and pip:
#   make demo   cut a photograph into shuffled, rotated, eroded pieces, and solve it
#   make test   ruff, mypy and the whole test suite
# and with the same:
#   make docs   the documents as a site, in build/site
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint docs benchmark report clean

demo: $(VENV)/.base
	$(BIN)/edge2vec cut samples/lake-sherburne.webp demo/puzzle.png --piece-size 28 --erode 1 --rotate --seed 0
	$(BIN)/edge2vec solve demo/puzzle.png --output demo/solved.png --json demo/solved.json
	@echo "before: demo/puzzle.png   after: demo/solved.png"

test: lint
	$(BIN)/pytest -n auto --dist loadgroup

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Every warning is an error, and nothing is fetched.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs --quiet build --strict
	@echo "wrote build/site/index.html"

benchmark: $(VENV)/.base
	$(BIN)/python -m research.benchmarks.classical
	$(BIN)/python -m research.benchmarks.growth

# Runs what docs/results still needs, hours of it, and writes the page anew; rerun it to resume.
# DATA has the folders test, train and train_large; GPU parts are named and left out.
DATA ?= ../shared/data
report: $(VENV)/.report
	$(BIN)/python -m research.report --run --data $(DATA)

# These targets end with a stamp file, so that a second run installs nothing.
$(VENV)/.base: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable .
	touch $@

$(VENV)/.report: $(VENV)/.base
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[train,report]"
	touch $@

$(VENV)/.dev: $(VENV)/.base
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[train,report,dev]"
	touch $@

$(VENV)/.docs: $(VENV)/.base
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[docs]"
	touch $@

clean:
	rm -rf $(VENV) demo build dist
