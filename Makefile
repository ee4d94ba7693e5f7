# Every target sets up what it needs, in .venv/ and .tools/.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
OLD_GENERATOR := .tools/openapi-generator-7.19.0
RELEASES := .tools/opensearch-protobufs
GATEWAY := .tools/grpc-gateway
SPEC2PROTO := $(BIN)/spec2proto
TESTS ?= tests

.DEFAULT_GOAL := help
.PHONY: help setup gateway demo protos test test-live lint format check bench baseline clean

help: ## show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## install the tools

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=…")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	$(BIN)/python -m pipeline.archive
	touch $@

$(OLD_GENERATOR)/.ready: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(OLD_GENERATOR) openapi-generator-cli==7.19.0
	touch $@

$(RELEASES)/.ready: $(READY)
	for release in 1.0.0 1.1.0 1.2.0 1.3.0 1.4.0 1.5.0 1.6.0 1.7.0; do \
	  $(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --dest $(RELEASES) opensearch-protobufs==$$release || exit 1; \
	done
	touch $@

gateway: $(GATEWAY)/protoc-gen-grpc-gateway ## fetch grpc-gateway's generator, which some tests run; needs Go

$(GATEWAY)/protoc-gen-grpc-gateway:
	GOBIN=$(CURDIR)/$(GATEWAY) go install github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-grpc-gateway@v2.31.0

demo: $(READY) ## the whole pipeline on the example spec, from nothing, offline
	rm -rf generated/demo
	$(SPEC2PROTO) build --profile example --lock examples/library/empty.lock.yaml --out generated/demo --report

protos: $(READY) ## the protos of the newest OpenSearch specification
	$(SPEC2PROTO) build --profile opensearch

test: $(READY) $(OLD_GENERATOR)/.ready $(RELEASES)/.ready ## all tests, those against a real server included
	$(BIN)/python -m pytest $(TESTS)

test-live: $(READY) ## only the tests against a real OpenSearch server
	$(BIN)/python -m pytest tests/live

lint: $(READY) ## format, lint, layers and types, without changing anything
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/mypy

format: $(READY) ## format and mend what can be mended
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

check: lint test ## everything that has to hold before a change lands

bench: $(READY) ## time and memory by stage
	$(BIN)/python -m tests.bench

baseline: $(READY) $(RELEASES)/.ready ## import every published release into the baseline lock
	$(SPEC2PROTO) lock import --profile opensearch $(sort $(wildcard $(RELEASES)/*.whl))

clean: ## remove what can be made again
	rm -rf $(VENV) .tools generated .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
